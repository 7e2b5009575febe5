import { io, type Socket } from 'socket.io-client';
import type { Secret, Signing } from '../credentials.js';
import { isCredentialError, isObject, readError, TradepostError } from '../errors.js';
import type { Transport } from '../transport.js';
import { reasonOf } from '../waiting.js';
import { Reconnecting } from './reconnecting.js';

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 10_000;
/** The largest delay that timers take. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Called with whether events come: at first, and whenever the connection is lost or made again. */
export type OnConnection = (isLive: boolean) => void;

export interface SocketSessionOptions {
  readonly transport: Transport;
  readonly namespace: '/account' | '/markets' | '/chat';
  readonly signal: AbortSignal | undefined;
  /** On every connection, to subscribe; a rejection makes another connection. */
  readonly onOpen: (session: SocketSession) => Promise<void>;
  readonly onEvent: (type: string, event: unknown) => void;
  readonly onConnection?: OnConnection | undefined;
  /** Once: the session is over. */
  readonly onEnd: (error: Error) => void;
}

/** A socket that comes back by itself, with a credential that still counts, until it is closed or refused for good. */
export class SocketSession {
  readonly #socket: Socket;
  readonly #reconnecting: Reconnecting;
  #secret: Secret | undefined;
  /** What the next handshake says. */
  #auth: object = {};
  #renewal: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #isReopening = false;

  constructor(private readonly options: SocketSessionOptions) {
    const { transport, namespace, signal } = options;
    this.#reconnecting = new Reconnecting(namespace, signal);
    this.#socket = io(transport.url.origin + namespace, {
      path: pathOf(transport.url),
      transports: ['websocket'],
      forceNew: true,
      autoConnect: false,
      // Done here, since each time the credential has to be a good one.
      reconnection: false,
      timeout: CONNECT_TIMEOUT_MS,
      auth: (give) => give(this.#auth),
    });
    this.#socket
      .on('connect', () => void this.#opened())
      .on('connect_error', (error) => void this.#reopen(refusalOf(error, namespace) ?? error))
      .on('disconnect', () => void this.#reopen(new Error('disconnected')))
      .on('error', (body: unknown) => void this.#told(body))
      .onAny((type: string, event: unknown) => type !== 'error' && this.options.onEvent(type, event));
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted === true) this.#abort();
    else void this.#connect();
  }

  /** The data of an acknowledgement; rejects with the error that it carries. */
  async request(type: string, body: object): Promise<unknown> {
    const operation = `${this.options.namespace} ${type}`;
    let answer: unknown;
    try {
      answer = await this.#socket.timeout(ANSWER_TIMEOUT_MS).emitWithAck(type, body);
    } catch {
      throw new TradepostError({ code: 'timeout', message: 'There was no acknowledgement.', operation });
    }
    const refused = readError(answer);
    if (refused !== undefined) throw new TradepostError({ ...refused, operation });
    return isObject(answer) ? answer['data'] : undefined;
  }

  /** What came over the connection is good: its next failure is the first again. */
  succeed(): void {
    this.#reconnecting.succeed();
  }

  /** Gives the connection up for another one. */
  fail(error: unknown): void {
    void this.#reopen(error);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#renewal);
    this.options.signal?.removeEventListener('abort', this.#abort);
    this.#socket.disconnect();
  }

  readonly #abort = (): void => this.#end(reasonOf(this.options.signal));

  #end(error: Error): void {
    if (this.#isClosed) return;
    this.close();
    this.options.onEnd(error);
  }

  async #connect(): Promise<void> {
    try {
      this.#secret = await this.options.transport.keeper?.secret(this.options.signal);
      this.#auth = await this.#handshake();
    } catch (error) {
      await this.#reopen(error);
      return;
    }
    if (!this.#isClosed) this.#socket.connect();
  }

  #handshake(): object | Promise<object> {
    const secret = this.#secret;
    if (secret === undefined) return {};
    if (secret.scheme === 'signature') return signedHandshake(this.options.transport.url, secret);
    return secret.scheme === 'bearer' ? { token: secret.value } : { api_key: secret.value };
  }

  async #opened(): Promise<void> {
    this.#renewInTime();
    try {
      await this.options.onOpen(this);
      if (!this.#isReopening) this.options.onConnection?.(true);
    } catch (error) {
      await this.#reopen(error);
    }
  }

  /** Ends the connection, if there is one, and makes another after a pause. */
  async #reopen(error: unknown): Promise<void> {
    if (this.#isClosed || this.#isReopening) return;
    this.#isReopening = true;
    this.options.onConnection?.(false);
    clearTimeout(this.#renewal);
    this.#socket.disconnect();
    try {
      await this.#renewIfRefused(error);
      await this.#reconnecting.pause(error);
      this.#isReopening = false;
    } catch (last) {
      this.#end(last instanceof Error ? last : new Error('The stream failed.'));
      return;
    }
    await this.#connect();
  }

  async #renewIfRefused(error: unknown): Promise<void> {
    const { transport, signal } = this.options;
    if (!(error instanceof TradepostError) || !isCredentialError(error.code)) return;
    const secret = this.#secret;
    if (secret === undefined || (await transport.keeper?.replace(secret, signal)) !== true) throw error;
  }

  /** The service's last word before it hangs up. */
  async #told(body: unknown): Promise<void> {
    const refused = readError(body);
    if (refused === undefined) return;
    await this.#reopen(new TradepostError({ ...refused, operation: this.options.namespace }));
  }

  /** Goes on with a new token as soon as the keeper renews the old one, before that expires. */
  #renewInTime(): void {
    clearTimeout(this.#renewal);
    const renewAtMs = this.options.transport.keeper?.renewAtMs ?? Infinity;
    if (renewAtMs === Infinity) return;
    const delayMs = Math.max(0, renewAtMs - Date.now());
    this.#renewal = setTimeout(() => void this.#renew(), Math.min(delayMs, TIMER_MS_MAX));
  }

  async #renew(): Promise<void> {
    const { transport, signal } = this.options;
    const old = this.#secret;
    try {
      const next = await transport.keeper?.secret(signal);
      if (next === undefined || this.#isClosed) return;
      if (next !== old && next.scheme === 'bearer') await this.request('auth.renew', { token: next.value });
      this.#secret = next;
      this.#renewInTime();
    } catch (error) {
      await this.#reopen(error);
    }
  }
}

/** Signed is the request that opens the WebSocket, as the library writes its address. */
async function signedHandshake(base: URL, { sign }: Signing): Promise<object> {
  const url = `${base.origin}${pathOf(base)}?EIO=4&transport=websocket`;
  const { 'Signature-Input': signature_input, Signature: signature } = await sign({ method: 'GET', url });
  return { signature_input, signature };
}

function pathOf(base: URL): string {
  return `${base.pathname.replace(/\/$/, '')}/socket.io/`;
}

/** What the service said to a handshake that it refused. */
function refusalOf(error: Error, operation: string): TradepostError | undefined {
  const refused = readError((error as Error & { data?: unknown }).data);
  return refused && new TradepostError({ ...refused, operation });
}
