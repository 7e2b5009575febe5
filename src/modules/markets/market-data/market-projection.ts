import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { monotonicMs } from '../../../core/clock/command-clock.js';
import { NOBODY } from '../../../core/view/commit-listeners.js';
import type { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { Backlog } from '../../../core/followers/backlog.js';
import type { Followers } from '../../../core/followers/followers.js';
import { CoalescedWork } from '../../../kit/coalesced-work.js';
import { inTransaction } from '../../../kit/database/transaction.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import { CommitGaps } from './commit-gaps.js';
import { foldHeard, foldStored, type MarketFold } from './market-fold.js';

/** How long after a commit its events are taken up, together with those that come meanwhile. */
const GATHER_MS = 200;
/** What has failed is tried again after this time, where nothing new comes before. */
const RETRY_MS = 1_000;
/** How many events one transaction takes up at most. */
const STEP_EVENTS_MAX = 16_000;
/** With more than these in memory, all are forgotten and read from the core's tables. */
const HEARD_MAX = 200_000;
/** How long a reader waits: longer than the writer lets a table be behind (see `Followers`). */
const READER_WAIT_MS = 10_000;

/** What this process knows of a market. */
interface Followed<Event> {
  readonly marketId: string;
  /** What was committed after `place`, or since it was last forgotten. */
  heard: Event[];
  /** Where the table stands and what was heard goes on from; null where this process must look. */
  place: number | null;
  /** Counts what takes away the ground under a step that began before. */
  forgotten: number;
  /** Counts those who want the table to be brought up, */
  asked: number;
  /** and how many of them have it. */
  served: number;
}

/** What a step is to do in a market, as it was when the step began. */
interface Part<Event> {
  readonly market: Followed<Event>;
  readonly place: number | null;
  readonly events: readonly Event[];
  /** Whether the step takes everything that was heard. */
  readonly isAll: boolean;
  readonly asked: number;
  readonly forgotten: number;
}

type HeardPart<Event> = Part<Event> & { readonly place: number };

/**
 * Keeps a table up to date with commits, market by market. The process that leads takes up what it hears from its own
 * commits, five times a second, all markets in one transaction. Readers wait for the next step, which begins at once for
 * them; in other processes that reads the core's tables and mostly finds nothing to do.
 */
export class MarketProjection<Event> implements OnModuleInit, OnModuleDestroy {
  private readonly markets = new Map<string, Followed<Event>>();
  /** Those in which something is to be done. */
  private readonly due = new Set<Followed<Event>>();
  private readonly gaps = new CommitGaps();
  private readonly steps = new CoalescedWork(() => this.step());
  private readonly loop: BackgroundLoop;
  private unsubscribe: () => void = () => undefined;
  private hasLed = false;
  private heardCount = 0;
  private readonly backlog: Backlog;

  /** `what` names the table's content in messages. */
  protected constructor(
    private readonly core: CoreService,
    private readonly pool: Pool,
    followers: Followers,
    private readonly fold: MarketFold<Event>,
    private readonly what: string,
  ) {
    const name = what.toLowerCase();
    this.backlog = new Backlog(name);
    followers.add({ name, lagMs: () => (core.leads ? this.backlog.lagMs : 0) });
    this.loop = new BackgroundLoop(
      { name: what, everyMs: RETRY_MS, gatherMs: GATHER_MS, isFirstLater: true, leads: () => core.leads },
      () => this.steps.take(),
    );
  }

  async onModuleInit(): Promise<void> {
    this.unsubscribe = this.core.onCommitted((batch) => this.hear(batch), NOBODY);
    await this.loop.begin();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    await this.loop.end();
    await this.steps.settled();
  }

  /**
   * Resolves once everything committed before the call is in the table.
   * @throws ApiError `temporarily_unavailable` where that takes longer than the writer lets it
   */
  async catchUp(marketId: string): Promise<void> {
    const market = this.follow(marketId);
    if (this.core.leads && market.place !== null && market.asked === market.served) return;
    this.ask(market);
    const mine = market.asked;
    const endMs = monotonicMs() + READER_WAIT_MS;
    while (market.served < mine) await this.within(endMs, this.steps.take());
  }

  private async within(endMs: number, step: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new ApiError(
            TEMPORARILY_UNAVAILABLE,
            `${this.what} of this market are being rebuilt. Try again in a few seconds.`,
            { headers: { 'Retry-After': '2' } },
          ),
        );
      }, endMs - monotonicMs());
    });
    await Promise.race([step, isLate]).finally(() => clearTimeout(timer));
  }

  private follow(marketId: string): Followed<Event> {
    let market = this.markets.get(marketId);
    if (market === undefined) {
      market = { marketId, heard: [], place: null, forgotten: 0, asked: 0, served: 0 };
      this.markets.set(marketId, market);
    }
    return market;
  }

  private ask(market: Followed<Event>): void {
    market.asked++;
    this.due.add(market);
  }

  /** What follows in this market must be read from the core's tables, and what was heard of it too. */
  private forget(market: Followed<Event>): void {
    this.heardCount -= market.heard.length;
    market.heard = [];
    market.place = null;
    market.forgotten++;
  }

  private hear(batch: CommittedBatch): void {
    const { leads } = this.core;
    if (this.gaps.missedBefore(batch) || leads !== this.hasLed || this.heardCount > HEARD_MAX) {
      for (const market of this.markets.values()) this.forget(market);
    }
    this.hasLed = leads;
    if (leads) this.keep(batch);
  }

  /** Another process takes up what happens while this one does not lead. */
  private keep(batch: CommittedBatch): void {
    let isAny = false;
    for (const [marketId, event] of this.fold.heard(batch)) {
      const market = this.follow(marketId);
      if (event === null) this.forget(market);
      // A commit can be read a moment before it is published.
      else if (market.place !== null && this.fold.sequenceOf(event) <= market.place) continue;
      else {
        market.heard.push(event);
        this.heardCount++;
      }
      if (!this.due.has(market)) this.ask(market);
      isAny = true;
    }
    if (!isAny) return;
    this.backlog.add(batch.trace);
    this.loop.request();
  }

  /** Takes up what is due; answers whether some of it is left. What came meanwhile is gathered for the next step. */
  private async step(): Promise<boolean> {
    const dueCount = this.due.size;
    const parts = this.takeParts();
    const isAll = await this.backlog.step(async () => {
      try {
        // What is made of events comes after them, in the tables too.
        await this.core.projected();
        await this.take(parts);
      } catch (error) {
        for (const { market } of parts) {
          this.forget(market);
          this.due.add(market);
        }
        throw error;
      }
      return parts.length === dueCount && parts.every(({ market, asked }) => market.served >= asked);
    });
    return !isAll;
  }

  private takeParts(): Part<Event>[] {
    const parts: Part<Event>[] = [];
    let room = STEP_EVENTS_MAX;
    for (const market of this.due) {
      if (room === 0) break;
      const { place, asked, forgotten } = market;
      const events = place === null ? [] : market.heard.splice(0, room);
      const isAll = place === null || market.heard.length === 0;
      if (isAll) this.due.delete(market);
      room -= events.length;
      this.heardCount -= events.length;
      parts.push({ market, place, events, isAll, asked, forgotten });
    }
    return parts;
  }

  private async take(parts: readonly Part<Event>[]): Promise<void> {
    const heard: HeardPart<Event>[] = [];
    const rest: Part<Event>[] = [];
    for (const part of parts) {
      if (part.place === null || !this.core.leads) rest.push(part);
      else if (part.events.length > 0) heard.push({ ...part, place: part.place });
      else part.market.served = part.asked;
    }
    if (heard.length > 0) rest.push(...(await this.takeHeard(heard)));
    for (const part of rest) await this.takeStored(part);
  }

  /** Answers what another process has continued, which must be read therefore. */
  private async takeHeard(parts: readonly HeardPart<Event>[]): Promise<Part<Event>[]> {
    const markets = parts.map(({ market, place, events }) => ({
      marketId: market.marketId,
      cursor: place,
      events,
    }));
    const taken = await inTransaction(this.pool, (client) => foldHeard(client, this.fold, markets));
    return parts.filter((part) => {
      const { market, events, isAll, asked } = part;
      if (!taken.has(market.marketId)) {
        this.forget(market);
        return true;
      }
      if (isAll) market.served = asked;
      this.standAt(part, this.fold.sequenceOf(events.at(-1)!));
      return false;
    });
  }

  private async takeStored(part: Part<Event>): Promise<void> {
    const { market, asked } = part;
    const { cursor, isEnd } = await inTransaction(this.pool, (client) =>
      foldStored(client, this.fold, market.marketId),
    );
    if (!isEnd) {
      this.due.add(market);
      return;
    }
    market.served = asked;
    this.standAt(part, cursor);
  }

  /** What was heard goes on from here, unless some was forgotten since the step began. */
  private standAt({ market, forgotten }: Part<Event>, place: number): void {
    if (!this.hasLed || market.forgotten !== forgotten) return;
    market.place = place;
    const heard = market.heard.filter((event) => this.fold.sequenceOf(event) > place);
    this.heardCount -= market.heard.length - heard.length;
    market.heard = heard;
  }
}
