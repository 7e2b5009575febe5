/** Messages to every socket of the service, each with something wrong, and packets that are none. */
import { randomBytes } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { CHAT_SOCKET } from '../../src/modules/chat/streams/chat-channels.js';
import { ACCOUNT_SOCKET } from '../../src/modules/markets/account-stream/account-channels.js';
import { MARKETS_SOCKET } from '../../src/modules/markets/streams/market-channels.js';
import { limit } from './clients/markets-client.js';
import type { HostileCaller } from './hostile-requests.js';
import { hostileValues, RawJson, withValue } from './hostile-values.js';

const ANSWER_MS_MAX = 30_000;
const CHANNELS = [CHAT_SOCKET, ACCOUNT_SOCKET, MARKETS_SOCKET];

/** A good message for each event of each namespace. */
function messagesFor(
  things: Readonly<Record<string, string>>,
): Readonly<Record<string, Record<string, object>>> {
  const { room_id, message_id, order_id, account_id } = things;
  const order = limit('BTC-USD', 'buy', '1', '0.01');
  return {
    '/chat': {
      'room.join': { room_id, offset: 0 },
      'room.leave': { room_id },
      'message.send': { room_id, text: 'Hello' },
      'message.read': { room_id, sequence: 1 },
      'reaction.add': { room_id, message_id, emoji: '👍' },
      'reaction.remove': { room_id, message_id, emoji: '👍' },
      'typing.start': { room_id },
      'typing.stop': { room_id },
    },
    '/account': {
      subscribe: { account_id, offset: 0 },
      unsubscribe: { account_id },
      'orders.place': order,
      'orders.batch': { orders: [order, order] },
      'orders.amend': { order_id, price: '2' },
      'orders.cancel': { order_id },
      'orders.cancel_all': { market_id: 'BTC-USD' },
      'orders.cancel_after': { timeout_ms: 60_000 },
      'orders.cancel_on_disconnect': { enabled: false },
    },
    '/markets': {
      subscribe: { market_id: 'BTC-USD', channels: ['trades', 'book'] },
      unsubscribe: { market_id: 'BTC-USD', channels: ['trades'] },
    },
  };
}

/** What no client library sends: broken packets of both protocols, and names that are taken. */
const PACKETS = [
  '',
  '4',
  '40',
  '40/none,',
  '40/chat,{"token":1}',
  '41/chat,',
  '42',
  '42[',
  '42[]',
  '42["disconnect"]',
  '42["connect_error",{}]',
  '42["__proto__",{}]',
  '42/account,["orders.place"]',
  '42/account,99999999999999999999["orders.place",{}]',
  '42/markets,0["subscribe",{"__proto__":{"a":1}}]',
  '43/markets,7[]',
  '44{}',
  '451-["subscribe",{"_placeholder":true,"num":0}]',
  '459999999-["subscribe",{"_placeholder":true,"num":-1}]',
  '6',
  '9',
  '\0',
  `42["subscribe",${'['.repeat(5_000)}`,
];

export class HostileSockets {
  private readonly sockets = new Map<string, Socket>();
  private readonly messages: ReturnType<typeof messagesFor>;
  answered = 0;

  constructor(
    private readonly caller: HostileCaller,
    private readonly random: () => number,
  ) {
    this.messages = messagesFor(caller.requests.things);
  }

  /** Events that nobody thought of here. */
  get missing(): string[] {
    return CHANNELS.flatMap(({ namespace, receives }) =>
      Object.keys(receives).filter((event) => this.messages[namespace]?.[event] === undefined),
    );
  }

  close(): void {
    for (const socket of this.sockets.values()) socket.disconnect();
  }

  /** Sends one message; what is wrong with the answer, if anything is. */
  async sendOne(): Promise<string | undefined> {
    const { random } = this;
    if (random() < 0.05) return this.sendPackets();
    const { namespace } = this.one(CHANNELS);
    const [event, good] = this.one(Object.entries(this.messages[namespace]!));
    const message = this.spoiled(good);
    const socket = await this.socketOf(namespace);
    const what = `${namespace} ${event} ${JSON.stringify(message)?.slice(0, 200)}`;
    try {
      const answer = (await socket.timeout(ANSWER_MS_MAX).emitWithAck(event, message)) as unknown;
      this.answered++;
      return isAnswer(answer) ? undefined : `${what}: ${JSON.stringify(answer)}`;
    } catch (error) {
      // One that was ended, for a message too large or too many of them, comes again.
      return socket.connected ? `${what}: ${String(error)}` : undefined;
    }
  }

  private async socketOf(namespace: string): Promise<Socket> {
    const known = this.sockets.get(namespace);
    if (known?.connected === true) return known;
    const token = namespace === '/markets' ? undefined : this.caller.requests.tokens.demo;
    const socket = io(this.caller.service.url + namespace, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth: { token },
    });
    this.sockets.set(namespace, socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', reject);
    });
    return socket;
  }

  private spoiled(good: object): unknown {
    const { random } = this;
    const [value] = hostileValues(random, 1).slice(random() < 0.5 ? 0 : 1);
    const hostile = value instanceof RawJson ? value.text : value;
    if (random() < 0.1) return hostile;
    const names = [...Object.keys(good), 'constructor', '__proto__'];
    return withValue(good, [this.one(names)], random() < 0.1 ? undefined : hostile);
  }

  /** The service may end the connection, and serves all others. */
  private async sendPackets(): Promise<string | undefined> {
    const { random } = this;
    const url = `${this.caller.service.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const socket = new WebSocket(url);
    await new Promise((resolve) => socket.once('open', resolve).once('error', resolve));
    for (let count = 0; count < 3 && socket.readyState === WebSocket.OPEN; count++)
      socket.send(random() < 0.8 ? this.one(PACKETS) : randomBytes(1 + Math.floor(random() * 200)));
    socket.once('error', () => undefined).close();
    const { status } = await fetch(`${this.caller.service.url}/health/live`);
    return status === 200 ? undefined : `after broken packets it is not alive: ${status}`;
  }

  private one<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }
}

/** Data, or the envelope of an error that is not the service's own. */
function isAnswer(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false;
  if ('data' in answer) return true;
  const { code, message } = ((answer as { error?: unknown }).error ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof message === 'string' && code !== 'internal_error';
}
