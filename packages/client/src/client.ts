import {
  createFinalURL,
  createQuerySerializer,
  defaultBodySerializer,
  defaultPathSerializer,
} from 'openapi-fetch';
import type { Credentials } from './credentials.js';
import { isObject } from './errors.js';
import type { paths } from './generated/openapi.js';
import type { CallArguments, Data, ItemOf, ListPath, Method, PathWith } from './operations.js';
import { type AccountEvent, type FollowAccountOptions, followAccount } from './streams/account.js';
import { followBook, type FollowBookOptions, type OrderBook } from './streams/book.js';
import {
  followTickers,
  followTrades,
  type FollowMarketOptions,
  type MarketTicker,
  type MarketTrades,
} from './streams/markets.js';
import { followOrders, type FollowOrdersOptions, type OrderUpdate } from './streams/orders.js';
import { followRoom, type FollowRoomOptions, type RoomEvent, type RoomStream } from './streams/room.js';
import {
  addressOf,
  type Answer,
  type CallOptions,
  invalidAnswer,
  parseJson,
  type RetryOptions,
  Transport,
} from './transport.js';

export interface ClientOptions {
  /** Where the service is, with the path that it lives below, if any. */
  readonly url: string;
  /** Without them, public routes and streams alone. */
  readonly credentials?: Credentials;
  /** For each attempt of a call (30,000). */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryOptions>;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

const TIMEOUT_MS = 30_000;
const RETRY: RetryOptions = { attemptsMax: 4, delayMs: 200, delayMsMax: 30_000 };

/** What the methods take once their types are checked. */
interface LooseInit extends CallOptions {
  readonly params?:
    | {
        readonly query?: Record<string, unknown> | undefined;
        readonly path?: Record<string, unknown> | undefined;
        readonly header?: Readonly<Record<string, string | number | undefined>> | undefined;
      }
    | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const serializeQuery = createQuerySerializer();

/**
 * A client of one service with one credential. It holds no connection but those of its streams.
 * `Paths` are those of the service's document: another than ours where plugins add routes.
 */
export class TradepostClient<in out Paths extends object = paths> {
  readonly #transport: Transport;

  constructor({ url, credentials, timeoutMs, retry, fetch: ownFetch }: ClientOptions) {
    const base = URL.canParse(url) ? new URL(url) : undefined;
    // Not repeated in the message: it may hold a password.
    if (
      base === undefined ||
      !/^https?:$/.test(base.protocol) ||
      base.username !== '' ||
      base.password !== ''
    )
      throw new TypeError('url must be an absolute http(s) address without a user name or password.');
    this.#transport = new Transport({
      url: base,
      credentials,
      timeoutMs: timeoutMs ?? TIMEOUT_MS,
      retry: { ...RETRY, ...retry },
      fetch: ownFetch ?? ((input, init) => fetch(input, init)),
    });
  }

  get<Path extends PathWith<Paths, 'get'>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'get'>
  ): Promise<Data<Paths, Path, 'get'>> {
    return this.#data('get', path, init[0]);
  }

  post<Path extends PathWith<Paths, 'post'>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'post'>
  ): Promise<Data<Paths, Path, 'post'>> {
    return this.#data('post', path, init[0]);
  }

  put<Path extends PathWith<Paths, 'put'>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'put'>
  ): Promise<Data<Paths, Path, 'put'>> {
    return this.#data('put', path, init[0]);
  }

  patch<Path extends PathWith<Paths, 'patch'>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'patch'>
  ): Promise<Data<Paths, Path, 'patch'>> {
    return this.#data('patch', path, init[0]);
  }

  delete<Path extends PathWith<Paths, 'delete'>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'delete'>
  ): Promise<Data<Paths, Path, 'delete'>> {
    return this.#data('delete', path, init[0]);
  }

  /** The items of a list, page after page; stop when you have enough. */
  async *list<Path extends ListPath<Paths>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'get'>
  ): AsyncGenerator<ItemOf<Paths, Path>, void, undefined> {
    const loose: LooseInit = { ...init[0] };
    let cursor: string | null | undefined;
    do {
      const query = { ...loose.params?.query, ...(typeof cursor === 'string' && { cursor }) };
      const page: unknown = await this.#data('get', path, { ...loose, params: { ...loose.params, query } });
      if (!isPage(page) || (page.next_cursor !== null && page.next_cursor === cursor)) {
        throw invalidAnswer(`GET ${path}`);
      }
      yield* page.data as ItemOf<Paths, Path>[];
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** A response whose body is yet to be read: CSV (with the header `Accept: text/csv`), files, headers. */
  async response<Path extends PathWith<Paths, 'get'>>(
    path: Path,
    ...init: CallArguments<Paths, Path, 'get'>
  ): Promise<Response> {
    return (await this.#send('get', path, { ...init[0] }, 'stream')).response;
  }

  /** An address that opens an event stream for ten minutes, for an `EventSource`, which cannot send a credential. */
  async streamUrl(path: string, options: CallOptions = {}): Promise<string> {
    const { ticket } = await this.#ofService().post('/auth/stream-tickets', { ...options, body: { path } });
    return `${addressOf(this.#transport.url, path)}?ticket=${encodeURIComponent(ticket)}`;
  }

  /** A copy of a market's book, given back after every change; where you are slow, after several. */
  book(marketId: string, options?: FollowBookOptions): AsyncGenerator<OrderBook, void, undefined> {
    return followBook(this.#transport, marketId, options);
  }

  /** The trades of a market: the latest, then each that is made. */
  trades(marketId: string, options?: FollowMarketOptions): AsyncGenerator<MarketTrades, void, undefined> {
    return followTrades(this.#transport, marketId, options);
  }

  /** The tickers of up to 200 markets, as they are and whenever they change. */
  tickers(
    marketIds: readonly string[],
    options?: FollowMarketOptions,
  ): AsyncGenerator<MarketTicker, void, undefined> {
    return followTickers(this.#transport, marketIds, options);
  }

  /** What happens in an account: a snapshot, then every change once and in order, over lost connections. */
  account(options?: FollowAccountOptions): AsyncGenerator<AccountEvent, void, undefined> {
    return followAccount(this.#transport, options);
  }

  /** All live orders of an account, then each order whenever it changes, in order and over lost connections. */
  orders(options?: FollowOrdersOptions): AsyncGenerator<OrderUpdate, void, undefined> {
    return followOrders(
      this.#transport,
      (order_id, signal) =>
        this.#ofService().get('/orders/{order_id}', {
          params: { path: { order_id } },
          ...(signal !== undefined && { signal }),
        }),
      options,
    );
  }

  /** What happens in a room, once and in order, over lost connections. */
  room(roomId: string, options?: FollowRoomOptions): RoomStream {
    const history = (after: number, signal?: AbortSignal): AsyncIterable<RoomEvent> =>
      this.#ofService().list('/chat/rooms/{room_id}/events', {
        params: { path: { room_id: roomId }, query: { after, limit: 200 } },
        ...(signal !== undefined && { signal }),
      });
    return followRoom(this.#transport, roomId, history, options);
  }

  /** With the routes that every service has. */
  #ofService(): TradepostClient {
    return this as unknown as TradepostClient;
  }

  async #data<Path extends keyof Paths & string, M extends Method>(
    method: M,
    path: Path,
    init: LooseInit = {},
  ): Promise<Data<Paths, Path, M>> {
    const { text } = await this.#send(method, path, init, 'whole');
    return (text === '' ? undefined : parseJson(text, `${method.toUpperCase()} ${path}`)) as Data<
      Paths,
      Path,
      M
    >;
  }

  #send(method: Method, path: string, init: LooseInit, answer: 'whole' | 'stream'): Promise<Answer> {
    const { params = {}, body, headers: own, ...options } = init;
    const headers = new Headers({ Accept: 'application/json', ...own });
    for (const [name, value] of Object.entries(params.header ?? {})) {
      if (value !== undefined) headers.set(name, String(value));
    }
    const isForm = body instanceof FormData || body instanceof URLSearchParams;
    if (body !== undefined && !isForm) headers.set('Content-Type', 'application/json');
    return this.#transport.send({
      method: method.toUpperCase(),
      path,
      url: createFinalURL(path, {
        baseUrl: addressOf(this.#transport.url, ''),
        params: { query: params.query ?? {}, path: params.path ?? {} },
        querySerializer: serializeQuery,
        pathSerializer: defaultPathSerializer,
      }),
      headers,
      body: body === undefined || isForm ? body : defaultBodySerializer(body),
      answer,
      options,
    });
  }
}

function isPage(page: unknown): page is { data: unknown[]; next_cursor: string | null } {
  return (
    isObject(page) &&
    Array.isArray(page['data']) &&
    (page['next_cursor'] === null || typeof page['next_cursor'] === 'string')
  );
}
