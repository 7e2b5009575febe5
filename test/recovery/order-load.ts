import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { PublicJournal } from '../../packages/verify/src/proofs.js';
import { ApiClient, type Answer, type CallOptions } from '../../scripts/support/api-client.js';

const MARKET = 'BTC-USD';
const CLIENTS = ['demo', 'maker'] as const;
/** Concurrent requests of each client. */
const WINDOW = 6;
const RETRY_MS = 20;
/** How long a read is retried while it is asked to. */
const READ_WAIT_MS = 60_000;

type ClientId = (typeof CLIENTS)[number];

interface OrderBody {
  readonly order_id: string;
  readonly client_order_id: string;
  readonly filled_size: string;
  readonly status: string;
  readonly fills?: readonly { readonly trade_id: string }[];
  readonly error?: { readonly code: string };
}

/** The target of a load's requests: one service, or a balancer over several. */
export interface LoadTarget {
  /** Rejects without an answer. */
  call<T>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  authorize(credentials: string): Promise<string>;
  close(): void;
}

interface Book {
  readonly sequence: number;
  readonly checksum: string;
}

interface Entry {
  readonly entry_id: string;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** The acknowledged state of one order. */
interface Acknowledged {
  readonly client: ClientId;
  readonly orderId: string;
  filledSize: number;
  readonly tradeIds: Set<string>;
}

/**
 * Several clients that place orders against each other despite failures, as careful clients do: unanswered orders are
 * sent again under the same `client_order_id`. A concurrent reader remembers everything it was ever shown.
 */
export class OrderLoad {
  readonly acknowledged = new Map<string, Acknowledged>();
  /** Orders sent again after an error, and then answered. */
  repeated = 0;
  /** Unanswered requests, with the times when they were sent and failed. */
  readonly broken: { readonly sentAtMs: number; readonly failedAtMs: number }[] = [];
  private readonly tokens = new Map<ClientId, string>();
  private readonly shown = new Shown();
  private api: LoadTarget | undefined;
  private isOver = false;
  private running: Promise<unknown> = Promise.resolve();
  private serial = 0;

  /** `name` keeps the client order ids of different loads apart. */
  constructor(private readonly name: string) {}

  /** Switches to a service, or to a balancer over several; may be called again after the first is gone. */
  async turnTo(target: string | LoadTarget): Promise<void> {
    this.api?.close();
    this.api = typeof target === 'string' ? new ApiClient(target) : target;
    for (const client of CLIENTS) {
      if (!this.tokens.has(client))
        this.tokens.set(client, await this.api.authorize(`${client}:${client}-secret`));
    }
  }

  start(): void {
    const traders = CLIENTS.flatMap((client) => Array.from({ length: WINDOW }, () => this.trade(client)));
    this.running = Promise.all([...traders, this.read()]);
  }

  /** Waits until all requests in flight, repeats included, are answered. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.running;
    this.api!.close();
  }

  private async trade(client: ClientId): Promise<void> {
    while (!this.isOver) {
      const serial = ++this.serial;
      await this.placeUntilAnswered(client, {
        market_id: MARKET,
        side: serial % 2 === 0 ? 'buy' : 'sell',
        type: 'limit',
        price: `${20_000 + ((serial * 7) % 11)}`,
        size: `0.0${1 + (serial % 9)}`,
        time_in_force: serial % 5 === 0 ? 'IOC' : 'GTC',
        client_order_id: `${this.name}-${serial}`,
      });
      // The service needs both cores; short pauses spread kills, checks and reads over time.
      await delay(2);
    }
  }

  private async placeUntilAnswered(client: ClientId, order: object): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const sentAtMs = Date.now();
      const answer = await this.call<OrderBody>('POST', '/orders', client, order);
      if (answer === undefined) this.broken.push({ sentAtMs, failedAtMs: Date.now() });
      if (answer !== undefined && answer.status < 300) {
        this.acknowledge(client, answer.body);
        if (attempt > 0) this.repeated++;
        return;
      }
      if (answer !== undefined && answer.status !== 503) {
        throw new Error(`POST /orders answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      await delay(RETRY_MS);
    }
  }

  private acknowledge(client: ClientId, order: OrderBody): void {
    this.acknowledged.set(order.client_order_id, {
      client,
      orderId: order.order_id,
      filledSize: Number(order.filled_size),
      tradeIds: new Set(order.fills?.map(({ trade_id }) => trade_id)),
    });
  }

  /** Reads books, orders and entries continuously; whatever was shown once must stay true. */
  private async read(): Promise<void> {
    while (!this.isOver) {
      const book = await this.look(`/markets/${MARKET}/orderbook`);
      if (book !== undefined) this.shown.book(book as Book);
      for (const client of CLIENTS) {
        const orders = await this.look('/orders?limit=50', client);
        if (orders !== undefined) this.shown.orders(client, (orders as Page<OrderBody>).data);
        const entries = await this.look('/accounts/me/entries?limit=50', client);
        if (entries !== undefined) this.shown.entries(client, (entries as Page<Entry>).data);
      }
      await delay(5);
    }
  }

  /** One read; its answer is either true or asks for a retry. */
  private async look(path: string, client?: ClientId): Promise<unknown> {
    const answer = await this.call<unknown>('GET', path, client);
    if (answer?.status === 200) return answer.body;
    if (answer !== undefined && answer.status !== 503) {
      this.shown.contradictions.push(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return undefined;
  }

  /** Undefined without an answer. */
  private call<T>(
    method: string,
    path: string,
    client?: ClientId,
    json?: unknown,
  ): Promise<Answer<T> | undefined> {
    const token = client === undefined ? undefined : this.tokens.get(client)!;
    return this.api!.call<T>(method, path, {
      ...(token !== undefined && { token }),
      ...(json !== undefined && { json }),
    }).catch(() => undefined);
  }

  /** Retries after a 503: the last strike may be so recent that the state is still being loaded. */
  private async readPatiently<T>(path: string, client?: ClientId): Promise<Answer<T> | undefined> {
    const deadlineMs = performance.now() + READ_WAIT_MS;
    for (;;) {
      const answer = await this.call<T>('GET', path, client);
      if (answer?.status !== 503 || performance.now() > deadlineMs) return answer;
      await delay(50);
    }
  }

  private async all<T>(path: string, client?: ClientId): Promise<T[]> {
    const rows: T[] = [];
    let cursor: string | null = null;
    do {
      const separator = path.includes('?') ? '&' : '?';
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await this.readPatiently<Page<T>>(`${path}${separator}limit=200${next}`, client);
      if (answer?.status !== 200)
        throw new Error(`GET ${path} answered ${answer?.status}: ${JSON.stringify(answer?.body)}`);
      rows.push(...answer.body.data);
      cursor = answer.body.next_cursor;
    } while (cursor !== null);
    return rows;
  }

  /**
   * Compares everything acknowledged, or shown to the reader, with the state of the service at `url`. Call it while
   * nothing is being placed.
   */
  async check(url: string): Promise<void> {
    await this.turnTo(url);
    const trades = new Set(
      (await this.all<{ trade_id: string }>(`/markets/${MARKET}/trades`)).map(({ trade_id }) => trade_id),
    );
    const lost: string[] = [];
    for (const client of CLIENTS) {
      const orders = await this.all<OrderBody>('/orders', client);
      const byName = new Map<string, OrderBody[]>();
      for (const order of orders) {
        byName.set(order.client_order_id, [...(byName.get(order.client_order_id) ?? []), order]);
      }
      for (const [name, acknowledged] of this.acknowledged) {
        if (acknowledged.client !== client) continue;
        const found = byName.get(name) ?? [];
        const isThere =
          found.length === 1 &&
          found[0]!.order_id === acknowledged.orderId &&
          Number(found[0]!.filled_size) >= acknowledged.filledSize &&
          [...acknowledged.tradeIds].every((tradeId) => trades.has(tradeId));
        if (!isThere)
          lost.push(`${name}: told ${JSON.stringify(acknowledged)}, found ${JSON.stringify(found)}`);
      }
      const entries = await this.all<Entry>('/accounts/me/entries', client);
      lost.push(...this.shown.vanished(client, orders, entries));
    }
    expect(lost).toEqual([]);
    expect(this.shown.contradictions).toEqual([]);
  }

  /** Sends some old orders again, most of them filled since; each must still be the same order. */
  async checkRepeats(count: number): Promise<void> {
    const names = [...this.acknowledged.keys()];
    for (let index = 0; index < Math.min(count, names.length); index++) {
      const name = names[Math.floor((index * names.length) / count)]!;
      const { client, orderId } = this.acknowledged.get(name)!;
      const [found] = (await this.call<Page<Record<string, unknown>>>(
        'GET',
        `/orders?client_order_id=${name}`,
        client,
      ))!.body.data;
      const { market_id, side, type, price, size, time_in_force } = found!;
      const terms = { market_id, side, type, price, size, time_in_force, client_order_id: name };
      const repeat = await this.call<OrderBody>('POST', '/orders', client, terms);
      expect(repeat).toMatchObject({ status: 200, body: { order_id: orderId } });
      const other = await this.call<OrderBody>('POST', '/orders', client, { ...terms, size: '0.5' });
      expect(other).toMatchObject({ status: 409, body: { error: { code: 'duplicate_client_order_id' } } });
    }
  }
}

/** Everything that a reader was shown, and the contradictions in it. */
class Shown {
  readonly contradictions: string[] = [];
  private bookSequence = 0;
  /** The book's checksum at each of its sequences. */
  private readonly checksums = new Map<number, string>();
  private readonly filledSizes = new Map<string, { client: ClientId; filledSize: number }>();
  private readonly entryIds = new Map<string, ClientId>();

  book({ sequence, checksum }: Book): void {
    if (sequence < this.bookSequence) {
      this.contradictions.push(`the book went back from ${this.bookSequence} to ${sequence}`);
    }
    const before = this.checksums.get(sequence);
    if (before !== undefined && before !== checksum) {
      this.contradictions.push(`the book of sequence ${sequence} was shown in two ways`);
    }
    this.bookSequence = sequence;
    this.checksums.set(sequence, checksum);
  }

  orders(client: ClientId, orders: readonly OrderBody[]): void {
    for (const { order_id, filled_size } of orders) {
      const filledSize = Number(filled_size);
      const before = this.filledSizes.get(order_id);
      if (before !== undefined && before.filledSize > filledSize) {
        this.contradictions.push(`${order_id} was filled ${before.filledSize}, and then ${filledSize}`);
      }
      this.filledSizes.set(order_id, { client, filledSize });
    }
  }

  entries(client: ClientId, entries: readonly Entry[]): void {
    for (const { entry_id } of entries) this.entryIds.set(entry_id, client);
  }

  /** Orders and entries that were shown once and are missing now. */
  vanished(client: ClientId, orders: readonly OrderBody[], entries: readonly Entry[]): string[] {
    const orderIds = new Set(orders.map(({ order_id }) => order_id));
    const entryIds = new Set(entries.map(({ entry_id }) => entry_id));
    return [
      ...[...this.filledSizes].filter(([id, seen]) => seen.client === client && !orderIds.has(id)),
      ...[...this.entryIds].filter(([id, owner]) => owner === client && !entryIds.has(id)),
    ].map(([id]) => `${id} was shown and has vanished`);
  }
}

/** Calls `GET /admin/ledger/check` as an operator; throws if the books do not balance. */
export async function checkBooks(api: ApiClient): Promise<{ state_hash: string; sequence: number }> {
  const token = await api.authorize('admin:admin-secret');
  const { body } = await api.expect<{ balanced: boolean; state_hash: string; sequence: number }>(
    200,
    'GET',
    '/admin/ledger/check',
    { token },
  );
  expect(body).toMatchObject({ balanced: true });
  return body;
}

interface Head {
  readonly height: number;
  readonly sequence: number;
}

/** Replays the public part of the journal, once a signed head covers a place of the ledger. */
export async function checkPublicJournal(api: ApiClient, sequence: number): Promise<void> {
  const get = async <T>(path: string): Promise<T> => (await api.expect<T>(200, 'GET', path)).body;
  let head = await get<Head>('/journal/head');
  for (; head.sequence < sequence; head = await get<Head>('/journal/head')) await delay(RETRY_MS);
  const journal = new PublicJournal();
  while (journal.height < head.height) {
    const page = `/journal/public?from=${journal.height + 1}&limit=${Math.min(200, head.height - journal.height)}`;
    for (const row of (await get<{ readonly data: readonly unknown[] }>(page)).data)
      expect(journal.take(row)).toBeNull();
  }
  expect(journal.verify(head, await get('/journal/keys'))).toMatchObject({ ok: true });
}
