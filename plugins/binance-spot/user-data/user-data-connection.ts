import type { PlainSocket, SignedKeys, Signer, Trading } from '../../../src/index.js';
import { BinanceError, mandatory } from '../binance-error.js';
import { toBinanceError } from '../binance-error.filter.js';
import { type CallersService, READS } from '../callers.service.js';
import { Parameters } from '../parameters.js';
import type { RequestWeights } from '../request-weights.js';
import type { SymbolsService } from '../symbols.service.js';
import { changedListsOf, isUpdate, userEventsOf } from './account-events.js';
import { ListReports } from './list-reports.js';

const SUBSCRIPTIONS_MAX = 10;
const SUBSCRIBE_WEIGHT = 2;
const REQUEST_WEIGHT = 1;
/** How often a key that somebody subscribed with is looked at again. */
const CHECK_EVERY_MS = 5_000;
/** RFC 6455: the credential has ended. */
const POLICY_VIOLATION = 1008;
const ID_TEXT = /^[A-Za-z0-9_-]{1,36}$/;

export interface UserDataServices {
  readonly callers: CallersService;
  readonly keys: SignedKeys;
  readonly trading: Trading;
  readonly symbols: SymbolsService;
  readonly weights: RequestWeights;
}

interface Subscription {
  readonly signer: Signer;
  readonly end: () => void;
}

interface Message {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A client of the WebSocket API and the accounts that it follows. */
export class UserDataConnection {
  private readonly subscriptions = new Map<number, Subscription>();
  private nextId = 0;
  /** One message after another: their answers come in their order. */
  private work: Promise<void> = Promise.resolve();
  private readonly checks = setInterval(() => void this.checkKeys(), CHECK_EVERY_MS).unref();

  constructor(
    private readonly socket: PlainSocket,
    private readonly services: UserDataServices,
  ) {
    socket.onMessage((text) => {
      this.work = this.work.then(() => this.take(text));
    });
    socket.onClose(() => {
      clearInterval(this.checks);
      for (const { end } of this.subscriptions.values()) end();
    });
  }

  private async take(text: string): Promise<void> {
    let id: Message['id'] = null;
    try {
      const message = parse(text);
      ({ id } = message);
      const result = await this.answer(message);
      this.socket.send(JSON.stringify({ id, status: 200, result }));
    } catch (thrown) {
      const error = toBinanceError(thrown);
      this.socket.send(JSON.stringify({ id, status: error.status, error: error.body }));
    }
  }

  private async answer({ method, params }: Message): Promise<object> {
    const isSubscription = method === 'userDataStream.subscribe.signature';
    this.services.weights.take(this.socket.address, isSubscription ? SUBSCRIBE_WEIGHT : REQUEST_WEIGHT);
    const parameters = Parameters.ofMessage(params);
    switch (method) {
      case 'ping':
        return {};
      case 'time':
        return { serverTime: Date.now() };
      case 'userDataStream.subscribe.signature':
        return { subscriptionId: await this.subscribe(parameters) };
      case 'userDataStream.unsubscribe':
        return this.unsubscribe(parameters.integer('subscriptionId'));
      default:
        throw new BinanceError(-1020, 'This operation is not supported.');
    }
  }

  private async subscribe(parameters: Parameters): Promise<number> {
    if (this.subscriptions.size >= SUBSCRIPTIONS_MAX) {
      throw new BinanceError(-2042, 'Maximum subscription ID reached for this connection.');
    }
    const apiKey = parameters.text('apiKey');
    if (apiKey === undefined) throw mandatory('apiKey');
    const signedText = parameters
      .sorted()
      .filter(([name]) => name !== 'signature')
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const { callers, trading, symbols } = this.services;
    const signer = await callers.signerOf(parameters, apiKey, signedText, this.socket.address, READS);
    const id = this.nextId++;
    // What comes before the answer is told after it, since clients do not know the id yet.
    const early: object[] = [];
    let isAnswered = false;
    const tell = (event: object): void => {
      if (isAnswered) this.socket.send(JSON.stringify({ subscriptionId: id, event }));
      else early.push(event);
    };
    const lists = new ListReports(signer.principal, trading, symbols, tell);
    const end = await trading.follow(signer.principal, 'me', {
      onEvent: (event) => {
        if (!isUpdate(event)) return;
        userEventsOf(event, symbols).forEach(tell);
        lists.changed(changedListsOf(event));
      },
      onEnd: () => this.socket.close(POLICY_VIOLATION, 'The subscription has ended.'),
    });
    if (!this.socket.isOpen) end();
    else this.subscriptions.set(id, { signer, end });
    setImmediate(() => {
      isAnswered = true;
      early.forEach(tell);
    });
    return id;
  }

  private unsubscribe(id: number | undefined): object {
    for (const [each, { end }] of this.subscriptions) {
      if (id !== undefined && id !== each) continue;
      end();
      this.subscriptions.delete(each);
    }
    return {};
  }

  /** A key that was rotated or revoked tells nothing more. */
  private async checkKeys(): Promise<void> {
    try {
      for (const { signer } of this.subscriptions.values()) {
        if ((await this.services.keys.principalOf(signer.credential)) !== undefined) continue;
        this.socket.close(POLICY_VIOLATION, 'The key has ended.');
        return;
      }
    } catch {
      // What cannot be looked at now is looked at again.
    }
  }
}

function parse(text: string): Message {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new BinanceError(-1135, 'Invalid JSON Request');
  }
  const { id = null, method, params = {} } = (message ?? {}) as Partial<Record<string, unknown>>;
  const isId = id === null || Number.isSafeInteger(id) || (typeof id === 'string' && ID_TEXT.test(id));
  const hasParams = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (!isId || typeof method !== 'string' || !hasParams)
    throw new BinanceError(-1135, 'Invalid JSON Request');
  return { id: id as Message['id'], method, params: params as Message['params'] };
}
