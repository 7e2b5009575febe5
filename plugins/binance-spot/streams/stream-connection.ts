import type { PlainSocket } from '../../../src/index.js';
import type { StreamHub, StreamReceiver } from './stream-hub.js';

/** How many streams one connection may listen to. */
export const STREAMS_MAX = 1_024;
const METHODS = ['SUBSCRIBE', 'UNSUBSCRIBE', 'LIST_SUBSCRIPTIONS', 'SET_PROPERTY', 'GET_PROPERTY'] as const;
const VARIANTS = METHODS.map((method) => `\`${method}\``).join(', ');
/** 64-bit integers are read as numbers, which keep about 53 bits. */
const ID_TEXT = /^[A-Za-z0-9]{1,36}$/;
/** RFC 6455: the service cannot go on with this connection, though another one will do. */
const TRY_AGAIN_LATER = 1013;

type MessageId = number | string | null;

/** A refusal of a message, in the words of the dialect. */
class MessageRefusal extends Error {
  constructor(
    readonly code: 0 | 1 | 2 | 3,
    message: string,
  ) {
    super(message);
  }
}

/** A client of the streams: which of them it listens to, and how their events are wrapped. */
export class StreamConnection implements StreamReceiver {
  private readonly names = new Set<string>();

  constructor(
    private readonly socket: PlainSocket,
    private readonly hub: StreamHub,
    private isCombined: boolean,
  ) {
    socket.onMessage((text) => this.take(text));
    socket.onClose(() => {
      for (const name of this.names) this.hub.leave(name, this);
    });
  }

  receive(stream: string, json: string): void {
    this.socket.send(this.isCombined ? `{"stream":${JSON.stringify(stream)},"data":${json}}` : json);
  }

  restart(): void {
    this.socket.close(TRY_AGAIN_LATER, 'Events were missed; connect again.');
  }

  /** Throws for a name that is no stream, and for too many. */
  subscribe(names: readonly string[]): void {
    const unknown = names.find((name) => !this.hub.has(name));
    if (unknown !== undefined)
      throw new MessageRefusal(2, `Invalid request: unknown stream ${unknown.slice(0, 64)}`);
    const all = new Set([...this.names, ...names]);
    if (all.size > STREAMS_MAX)
      throw new MessageRefusal(2, `Invalid request: at most ${STREAMS_MAX} streams`);
    for (const name of names) {
      this.names.add(name);
      this.hub.join(name, this);
    }
  }

  private take(text: string): void {
    let id: MessageId = null;
    try {
      const message = parse(text);
      id = idOf(message);
      const result = this.answer(message);
      this.socket.send(JSON.stringify({ result, id }));
    } catch (error) {
      // The markets cannot be read now.
      if (!(error instanceof MessageRefusal)) return this.restart();
      this.socket.send(JSON.stringify({ error: { code: error.code, msg: error.message }, id }));
    }
  }

  private answer({ method, params = [] }: Readonly<Record<string, unknown>>): unknown {
    if (method === undefined) throw new MessageRefusal(2, 'Invalid request: missing field `method`');
    if (!Array.isArray(params)) throw new MessageRefusal(2, 'Invalid request: params must be a list');
    switch (method) {
      case 'SUBSCRIBE':
        this.subscribe(namesIn(params));
        return null;
      case 'UNSUBSCRIBE':
        for (const name of namesIn(params)) {
          if (this.names.delete(name)) this.hub.leave(name, this);
        }
        return null;
      case 'LIST_SUBSCRIPTIONS':
        return [...this.names];
      case 'GET_PROPERTY':
        requireCombined(params, 1);
        return this.isCombined;
      case 'SET_PROPERTY': {
        requireCombined(params, 2);
        const value: unknown = params[1];
        if (typeof value !== 'boolean') throw new MessageRefusal(1, 'Invalid value type: expected Boolean');
        this.isCombined = value;
        return null;
      }
      default:
        throw new MessageRefusal(2, `Invalid request: unknown variant, expected one of ${VARIANTS}`);
    }
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new MessageRefusal(3, 'Invalid JSON: expected value at line 1 column 1');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new MessageRefusal(2, 'Invalid request: missing field `method`');
  }
  return message as Readonly<Record<string, unknown>>;
}

function idOf({ id }: Readonly<Record<string, unknown>>): MessageId {
  if (id === null || Number.isSafeInteger(id) || (typeof id === 'string' && ID_TEXT.test(id))) {
    return id as MessageId;
  }
  throw new MessageRefusal(2, 'Invalid request: request ID must be an unsigned integer');
}

function namesIn(params: readonly unknown[]): readonly string[] {
  if (params.length > STREAMS_MAX) throw new MessageRefusal(2, 'Invalid request: too many parameters');
  if (!params.every((name) => typeof name === 'string')) {
    throw new MessageRefusal(2, 'Invalid request: stream name must be a string');
  }
  return params;
}

function requireCombined(params: readonly unknown[], count: number): void {
  const [name] = params;
  if (typeof name !== 'string')
    throw new MessageRefusal(2, 'Invalid request: property name must be a string');
  if (name !== 'combined') throw new MessageRefusal(0, 'Unknown property');
  if (params.length > count) throw new MessageRefusal(2, 'Invalid request: too many parameters');
}
