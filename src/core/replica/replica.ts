/**
 * Follows the journal in a process that does not lead, and keeps readers' view as new as the journal's end at their
 * call. It needs only PostgreSQL: notifications merely save waiting.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { monotonicMs } from '../clock/command-clock.js';
import type { CommitListeners } from '../view/commit-listeners.js';
import type { CommittedView } from '../view/committed-view.js';
import type { CommittedBatch } from '../view/views.js';
import type { Market } from '../../domain/engine/state.js';
import { type JournalEntry, readJournal } from '../journal/journal-reader.js';
import { CoalescedWork } from '../../kit/coalesced-work.js';
import { connectCore, disconnect } from '../leadership/leadership.js';
import type { ProjectorLog } from '../projection/projector.js';
import type { HeldOrders } from '../state/held-orders.js';
import type { LeftState } from '../term/left-state.js';
import { ReplicaState } from './replica-state.js';

/** The polling interval without notifications. */
const LOOK_EVERY_MS = 250;
const RETRY_MS = 250;
/** How soon a reader that waits tries again, where the journal cannot be read. */
const CURRENT_RETRY_MS = 20;
const ENTRIES_PER_READ = 200;
/** How long a view may be shown after it was known to hold everything. */
const FRESH_MS = 2_000;
/** How long a reader waits for a sequence that its caller has seen. */
const REACHED_WAIT_MS = 5_000;
/** How long a look that is going on may take before its connection is cut. */
const LAST_LOOK_MS_MAX = 500;

/** The view could not be brought up to the journal. */
export class ReplicaBehind extends Error {}

export class Replica {
  private client: pg.Client | null = null;
  private state: ReplicaState | null = null;
  private readonly looks = new CoalescedWork(() => this.look());
  private ending: AbortController | null = null;
  private following: Promise<void> = Promise.resolve();
  private wakeUp: () => void = () => undefined;
  /** When the view was last known to hold everything, on the monotonic clock. */
  private confirmedAtMs = -Infinity;
  private isTroubled = false;
  /** How often the view was loaded from the tables: between two times listeners were not notified of commits. */
  generation = 0;

  constructor(
    private readonly url: string,
    private readonly listeners: CommitListeners,
    private readonly log: ProjectorLog,
  ) {}

  /** The last sequence that readers see; 0 before anything was read. */
  get sequence(): number {
    return this.state?.sequence ?? 0;
  }

  /** What readers see, or null where it is too old to be shown. */
  get view(): CommittedView | null {
    const isFresh = monotonicMs() - this.confirmedAtMs < FRESH_MS;
    return isFresh && this.state !== null ? this.state.view : null;
  }

  /**
   * Starts to follow, from `left` if this process has just ended a term; does nothing if it follows already. `left` can
   * be read at once: no later commit can exist when this is called.
   */
  start(left: LeftState | null = null): void {
    if (this.ending !== null) return;
    if (left !== null) {
      this.state = ReplicaState.of(left);
      this.generation++;
      this.confirmedAtMs = monotonicMs();
    }
    this.ending = new AbortController();
    this.following = this.follow(this.ending.signal);
  }

  /** Stops applying and notifying once this resolves; its state can still be read. */
  async halt(): Promise<void> {
    this.ending?.abort();
    this.ending = null;
    this.wakeUp();
    const done = Promise.allSettled([this.following, this.looks.settled()]).then(() => true);
    if (await Promise.race([done, delay(LAST_LOOK_MS_MAX, false, { ref: false })])) return;
    await this.dropClient();
    await done;
  }

  /** Drops its state, and closes its connection; call it after `halt`. */
  async forget(): Promise<void> {
    this.confirmedAtMs = -Infinity;
    this.state = null;
    await this.dropClient();
  }

  async stop(): Promise<void> {
    await this.halt();
    await this.forget();
  }

  /** The orders that it holds, to lead with them, where it holds them as of the sequence. */
  give(sequence: number): HeldOrders | null {
    return this.state?.give(sequence) ?? null;
  }

  /** There is something new. */
  wake(): void {
    this.wakeUp();
  }

  /**
   * Resolves once the view holds all that was durable when this was called.
   * @throws ReplicaBehind where the journal cannot be read
   */
  async current(): Promise<void> {
    try {
      await this.looks.take();
    } catch (error) {
      throw new ReplicaBehind('the journal cannot be read', { cause: error });
    }
  }

  /**
   * Resolves once the view holds all that was durable when this was called, however often that has to be tried. Gives
   * up after as long as a view may be shown, so a view that was not confirmed in this time is not shown; or as soon as
   * `isOver`.
   */
  async currentOrTooOld(isOver: () => boolean): Promise<void> {
    const givesUp = new AbortController();
    const timer = setTimeout(() => givesUp.abort(), FRESH_MS);
    const tried = async (): Promise<void> => {
      while (!givesUp.signal.aborted && !isOver()) {
        try {
          await this.current();
          return;
        } catch {
          await delay(CURRENT_RETRY_MS, undefined, { ref: false });
        }
      }
    };
    try {
      await Promise.race([tried(), once(givesUp.signal, 'abort')]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Resolves once the view has reached a sequence that a caller knows as durable.
   * @throws ReplicaBehind on timeout
   */
  async reached(sequence: number): Promise<void> {
    const deadlineMs = monotonicMs() + REACHED_WAIT_MS;
    while (this.ending !== null && this.sequence < sequence) {
      if (monotonicMs() > deadlineMs) throw new ReplicaBehind(`the view is at ${this.sequence}`);
      await this.current();
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.looks.take();
        this.isTroubled = false;
        await this.pause(LOOK_EVERY_MS);
      } catch (error) {
        if (!this.isTroubled) this.log.warn({ err: error }, 'the journal cannot be followed; trying again');
        this.isTroubled = true;
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wakeUp = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    this.wakeUp = () => undefined;
  }

  /** Reads and applies until nothing is left that was there when the last read began. */
  private async look(): Promise<void> {
    if (this.ending === null) throw new ReplicaBehind('this process does not follow the journal');
    try {
      this.client ??= await this.connect();
      this.state ??= await this.load(this.client);
      while (!(await this.step(this.client, this.state)));
    } catch (error) {
      await this.dropClient();
      throw error;
    }
  }

  /** Connects to the current primary; if its journal is another one, the state is dropped. */
  private async connect(): Promise<pg.Client> {
    const client = await connectCore(this.url, 'reader');
    try {
      if (this.state !== null && !(await this.state.isOf(client))) this.state = null;
      return client;
    } catch (error) {
      await disconnect(client);
      throw error;
    }
  }

  private async load(client: pg.Client): Promise<ReplicaState> {
    this.generation++;
    const state = await ReplicaState.load(client);
    this.listeners.notifyPlace(state.sequence, Date.now());
    return state;
  }

  /** Applies the next entries; answers whether those were all. */
  private async step(client: pg.Client, state: ReplicaState): Promise<boolean> {
    const beganAtMs = monotonicMs();
    const entries = await readJournal(client, state.sequence, ENTRIES_PER_READ);
    for (const entry of entries) {
      const refreshed = ReplicaState.needsRefresh(entry) ? await state.refresh(client) : [];
      this.listeners.notify(this.apply(state, entry, refreshed));
    }
    const isAll = entries.length < ENTRIES_PER_READ;
    if (isAll) this.confirmedAtMs = beganAtMs;
    return isAll;
  }

  private apply(state: ReplicaState, entry: JournalEntry, refreshed: readonly Market[]): CommittedBatch {
    try {
      return state.apply(entry, refreshed, this.listeners.audience);
    } catch (error) {
      // A partly applied or discontinuous state is reloaded from the tables.
      this.state = null;
      throw error;
    }
  }

  private async dropClient(): Promise<void> {
    const { client } = this;
    this.client = null;
    if (client !== null) await disconnect(client);
  }
}
