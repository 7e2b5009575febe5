import {
  type Credentials,
  type IssuedToken,
  type Secret,
  SecretKeeper,
  type Signing,
} from './credentials.js';
import { isObject, readError, TradepostError } from './errors.js';
import { KEYED_OPERATIONS } from './generated/keyed-operations.js';
import { backoffMs, reasonOf, sleep } from './waiting.js';

export interface RetryOptions {
  /** How often a call is sent at most. */
  readonly attemptsMax: number;
  /** The longest wait before the second attempt; it doubles with each further one, and a random part is waited. */
  readonly delayMs: number;
  /** A call fails at once where the service asks for a longer wait than this. */
  readonly delayMsMax: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For each attempt, until the whole answer is there. */
  readonly timeoutMs?: number | undefined;
  /** False: the call is sent once. */
  readonly retry?: Partial<RetryOptions> | false | undefined;
  /** Instead of a key that is made for the call; for calls that have to be repeated after a restart of the caller. */
  readonly idempotencyKey?: string | undefined;
}

export interface Call {
  readonly method: string;
  /** With its parameters in braces, as the document has it: what errors name. */
  readonly path: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string | FormData | URLSearchParams | undefined;
  /** `stream`: the answer is there with its headers, and its body is the caller's to read. */
  readonly answer: 'whole' | 'stream';
  /** Sent without a credential. */
  readonly isPublic?: boolean;
  /** May be sent twice, though neither its method nor a key says so. */
  readonly isRepeatable?: boolean;
  readonly options: CallOptions;
}

export interface TransportOptions {
  readonly url: URL;
  readonly credentials: Credentials | undefined;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
}

/** An answer with its body, if that was to be read. */
export interface Answer {
  readonly response: Response;
  readonly text: string;
}

/** What failed, and whether the service can have acted all the same. */
interface Failure {
  readonly error: TradepostError;
  readonly isTransient: boolean;
  readonly wasRefused: boolean;
}

const IDEMPOTENT_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE'];
const GATEWAY_STATUSES = [502, 503, 504];

/** Sends calls: with a credential, within a time, and again where that is safe. */
export class Transport {
  readonly keeper: SecretKeeper | undefined;

  constructor(private readonly options: TransportOptions) {
    const { credentials } = options;
    this.keeper = credentials && new SecretKeeper(credentials, this.#requestToken.bind(this));
  }

  get url(): URL {
    return this.options.url;
  }

  /** Rejects with a TradepostError, or with the reason of the caller's signal. */
  async send(call: Call): Promise<Answer> {
    const { signal, retry } = call.options;
    const { attemptsMax, delayMs, delayMsMax } = {
      ...this.options.retry,
      ...(retry === false ? { attemptsMax: 1 } : retry),
    };
    const isRepeatable = this.#makeRepeatable(call);
    let mayRenew = true;
    for (let attempts = 1; ; attempts++) {
      if (signal?.aborted === true) throw reasonOf(signal);
      const secret = call.isPublic === true ? undefined : await this.keeper?.secret(signal);
      const outcome = await this.#attempt(call, secret, attempts);
      if ('response' in outcome) return outcome;
      const { error, isTransient, wasRefused } = outcome;
      if (error.status === 401 && secret !== undefined && mayRenew) {
        mayRenew = false;
        if ((await this.keeper?.replace(secret, signal)) === true) continue;
      }
      if (attempts >= attemptsMax || !isTransient || !(isRepeatable || wasRefused)) throw error;
      const askedMs = error.retryAfterMs ?? 0;
      if (askedMs > delayMsMax) throw error;
      await sleep(askedMs + backoffMs(attempts - 1, delayMs, delayMsMax), signal);
    }
  }

  /** Gives a call its key where it takes one; true where it may be sent twice. */
  #makeRepeatable(call: Call): boolean {
    const { method, path, headers, options } = call;
    if (KEYED_OPERATIONS.has(`${method} ${path}`)) {
      if (options.idempotencyKey !== undefined) headers.set('Idempotency-Key', options.idempotencyKey);
      else if (!headers.has('Idempotency-Key')) headers.set('Idempotency-Key', randomKey());
      return true;
    }
    return call.isRepeatable === true || IDEMPOTENT_METHODS.includes(method);
  }

  async #attempt(call: Call, secret: Secret | undefined, attempts: number): Promise<Answer | Failure> {
    const { signal, timeoutMs = this.options.timeoutMs } = call.options;
    const controller = new AbortController();
    const abort = (): void => controller.abort(reasonOf(signal));
    const clock = { isLate: false };
    const timer = setTimeout(() => {
      clock.isLate = true;
      controller.abort();
    }, timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    let isStreaming = false;
    try {
      const response = await this.options.fetch(call.url, {
        method: call.method,
        ...(await proved(call, secret)),
        // A redirect would take the key of an api_key header elsewhere.
        redirect: 'error',
        signal: controller.signal,
      });
      if (call.answer === 'stream' && response.ok) {
        isStreaming = true;
        return { response, text: '' };
      }
      const text = await response.text();
      return response.ok ? { response, text } : refusal(call, response, text, attempts);
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      return noAnswer(call, clock.isLate ? timeoutMs : undefined, attempts, causeOf(error));
    } finally {
      clearTimeout(timer);
      if (!isStreaming) signal?.removeEventListener('abort', abort);
    }
  }

  async #requestToken(
    path: '/auth/token' | '/oauth/token',
    form: Readonly<Record<string, string>>,
    isRepeatable: boolean,
  ): Promise<IssuedToken> {
    const { text } = await this.send({
      method: 'POST',
      path,
      url: addressOf(this.url, path),
      headers: new Headers({ Accept: 'application/json' }),
      body: new URLSearchParams(form),
      answer: 'whole',
      isPublic: true,
      isRepeatable,
      options: {},
    });
    const token = parseJson(text, `POST ${path}`);
    if (
      !isObject(token) ||
      typeof token['access_token'] !== 'string' ||
      typeof token['expires_in'] !== 'number'
    ) {
      throw invalidAnswer(`POST ${path}`);
    }
    return token as unknown as IssuedToken;
  }
}

/** An address of the service, which may live below a path of its own. */
export function addressOf(base: URL, path: string): string {
  return base.origin + base.pathname.replace(/\/$/, '') + path;
}

/** Without the parser's own message, which repeats what it read. */
export function parseJson(text: string, operation: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidAnswer(operation);
  }
}

export function invalidAnswer(operation: string): TradepostError {
  return new TradepostError({
    code: 'invalid_response',
    message: 'The answer is not what the service sends; is the address right, or is a proxy in between?',
    operation,
  });
}

/** 128 random bits; `crypto.randomUUID` is missing on pages without https. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The headers and the body of a call, with what proves who sends it. */
async function proved(
  call: Call,
  secret: Secret | undefined,
): Promise<Pick<RequestInit, 'headers' | 'body'>> {
  const body = call.body ?? null;
  if (secret === undefined) return { headers: call.headers, body };
  const headers = new Headers(call.headers);
  if (secret.scheme === 'signature') return signed(call, headers, secret);
  if (secret.scheme === 'bearer') headers.set('Authorization', `Bearer ${secret.value}`);
  else headers.set('api_key', secret.value);
  return { headers, body };
}

/** A form is written out first: its bytes are signed, which differ each time. */
async function signed(
  { method, url, body }: Call,
  headers: Headers,
  { sign }: Signing,
): Promise<Pick<RequestInit, 'headers' | 'body'>> {
  const encoded = body === undefined ? undefined : new Response(body);
  const bytes = await encoded?.arrayBuffer();
  const type = encoded?.headers.get('Content-Type');
  if (typeof type === 'string' && !headers.has('Content-Type')) headers.set('Content-Type', type);
  // As the runtime writes the address.
  const proof = await sign({ method, url: new URL(url).href, body: bytes });
  for (const [name, value] of Object.entries(proof)) headers.set(name, value);
  return { headers, body: bytes ?? null };
}

function noAnswer(call: Call, timeoutMs: number | undefined, attempts: number, cause: string): Failure {
  const { origin } = new URL(call.url);
  const error = new TradepostError({
    ...(timeoutMs === undefined
      ? {
          code: 'connection_failed',
          message: `The connection to ${origin} failed before the whole answer was there${cause}.`,
        }
      : { code: 'timeout', message: `There was no whole answer of ${origin} within ${timeoutMs} ms.` }),
    operation: `${call.method} ${call.path}`,
    attempts,
  });
  return { error, isTransient: true, wasRefused: false };
}

/** System codes such as `ECONNREFUSED`; the words of the runtime may repeat the address with its query. */
const CAUSE = /^[A-Z][A-Z0-9_]{2,63}$/;

function causeOf(error: unknown): string {
  const { code, errors } = (isObject(error) && isObject(error['cause']) ? error['cause'] : {}) as {
    readonly code?: unknown;
    readonly errors?: readonly unknown[];
  };
  const [first] = errors ?? [];
  const cause = code ?? (isObject(first) ? first['code'] : undefined);
  if (typeof cause === 'string' && CAUSE.test(cause)) return `: ${cause}`;
  // Browsers tell pages nothing of it.
  return 'document' in globalThis
    ? ': is it there, and does its CORS_ORIGINS name the origin of this page?'
    : '';
}

function refusal(call: Call, response: Response, text: string, attempts: number): Failure {
  const { status, headers } = response;
  const answered = readError(safeJson(text)) ?? {
    code: 'invalid_response' as const,
    message: 'The answer is none of the service; is the address right, or is a proxy in between?',
    details: undefined,
    requestId: undefined,
  };
  const error = new TradepostError({
    ...answered,
    operation: `${call.method} ${call.path}`,
    status,
    requestId: answered.requestId ?? headers.get('X-Request-Id') ?? undefined,
    retryAfterMs: retryAfterMsOf(headers),
    attempts,
  });
  const isTransient =
    status === 429 || GATEWAY_STATUSES.includes(status) || error.code === 'idempotency_in_progress';
  return { error, isTransient, wasRefused: status === 429 };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in either of its forms. */
function retryAfterMsOf(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - Date.now());
}
