import { EventSource } from 'eventsource';
import { expect } from 'vitest';
import { ClientAccount } from '../support/clients/account-stream-client.js';
import type { Caller, Json } from '../support/caller.js';
import { eventually } from '../support/eventually.js';
import { ClientBook } from '../support/clients/market-stream-client.js';
import type { Backend } from './cluster-client.js';

const BOOK_DEPTH = 1_000;
const REOPEN_MS = 100;

/**
 * Follows a market and an account through one process, and through the next one when that ends. Checks the events of
 * both against the rules of docs/streams.md; violations are kept until `check`, since an event has no caller to throw
 * to.
 */
export class ClusterStreams {
  /** How often a stream ended and was reopened. */
  reopened = 0;
  private readonly book = new ClientBook(BOOK_DEPTH);
  private readonly account = new ClientAccount();
  private readonly broken: unknown[] = [];
  private readonly sources = new Set<EventSource>();
  private isOver = false;

  private constructor(
    private readonly backends: readonly Backend[],
    private readonly market: string,
    private readonly token: string,
  ) {}

  /** Starts at the process of this number; resolves once both have had their snapshots. */
  static async open(
    backends: readonly Backend[],
    first: number,
    market: string,
    token: string,
  ): Promise<ClusterStreams> {
    const streams = new ClusterStreams(backends, market, token);
    streams.followBook(first);
    streams.followAccount(first);
    await eventually(() => {
      expect(streams.book.snapshots).toBeGreaterThan(0);
      expect(streams.accountSnapshots).toBe(1);
    });
    return streams;
  }

  /** Call it while nothing is being placed: the streams' state must equal what `caller` reads. */
  async check(caller: Caller): Promise<void> {
    const { body: book } = await caller.get(`/markets/${this.market}/orderbook?depth=${BOOK_DEPTH}`);
    await eventually(() => expect(this.book.sequence).toBeGreaterThanOrEqual(book.sequence));
    expect(this.book.best('bids', BOOK_DEPTH)).toEqual(book.bids);
    expect(this.book.best('asks', BOOK_DEPTH)).toEqual(book.asks);
    const { body: balances } = await caller.get('/accounts/me/balances?limit=200');
    const byAsset = (a: Json, b: Json): number => (a.asset < b.asset ? -1 : 1);
    await eventually(() =>
      expect([...this.account.balances.values()].toSorted(byAsset)).toEqual(balances.data),
    );
    // A client that sends its position gets the following events from any process.
    expect(this.accountSnapshots).toBe(1);
    expect(this.broken).toEqual([]);
  }

  close(): void {
    this.isOver = true;
    for (const source of this.sources) source.close();
  }

  /** A snapshot of an account with many orders has several parts. */
  private get accountSnapshots(): number {
    return this.account.snapshots.filter(({ data }) => data.is_last).length;
  }

  private followBook(index: number): void {
    const path = `/markets/${this.market}/stream?channels=l2&depth=${BOOK_DEPTH}`;
    this.follow(
      index,
      () => path,
      ['l2.snapshot', 'l2.update'],
      (event) => this.book.apply(event),
    );
  }

  private followAccount(index: number): void {
    const path = (): string => {
      const { sequence } = this.account;
      return `/accounts/me/stream${sequence === undefined ? '' : `?offset=${sequence}`}`;
    };
    this.follow(index, path, ['account.snapshot', 'account.update'], (event) => this.account.apply(event));
  }

  private follow(
    index: number,
    path: () => string,
    types: readonly string[],
    apply: (event: Json) => void,
  ): void {
    if (this.isOver) return;
    const { token } = this;
    const { url } = this.backends[index % this.backends.length]!;
    const next = (): void => {
      setTimeout(() => this.follow(index + 1, path, types, apply), REOPEN_MS);
    };
    if (url === undefined) {
      next();
      return;
    }
    const source = new EventSource(url + path(), {
      fetch: (address, init) =>
        fetch(address, { ...init, headers: { ...init?.headers, authorization: `Bearer ${token}` } }),
    });
    this.sources.add(source);
    source.addEventListener('error', () => {
      source.close();
      this.sources.delete(source);
      this.reopened++;
      next();
    });
    for (const type of types) {
      source.addEventListener(type, ({ data }) => {
        try {
          apply(JSON.parse(data));
        } catch (error) {
          this.broken.push(error);
        }
      });
    }
  }
}
