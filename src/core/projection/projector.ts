/**
 * Brings the query tables up to the committed state, in windows: each row once, together with the cursor. Readers wait
 * for the commits that they need, and a waiting reader makes the projector run at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { invariant } from '../../domain/invariant.js';
import { Boundary } from '../../kit/tracing/boundary.js';
import { monotonicMs } from '../clock/command-clock.js';
import { disconnect } from '../leadership/leadership.js';
import { EffectWindow } from './effects.js';
import { type CursorMove, projectionStatement } from './projection-statement.js';
import type { SqlStatement } from '../tables/statement.js';
import type pg from 'pg';

/** A commit waits no longer than this before the tables are brought up to it. */
const WINDOW_MS = 50;
/** A window with this many rows starts without delay. */
const WINDOW_ROWS = 10_000;
/** With this many pending rows the writer waits. */
const WAITING_ROWS_MAX = 100_000;
const RETRY_MS = 100;
const RETRY_MS_MAX = 2_000;
const REACHED_WAIT_MS = 5_000;

/** What the projector needs of a commit. */
export interface ProjectedCommit {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timeMs: number;
  readonly effects: Buffer;
  readonly stateParts: string;
  readonly trace?: string | undefined;
}

const steps = new Boundary();

/** The tables could not be brought up to a commit in time. */
export class ProjectionLate extends Error {}

export interface ProjectorLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

interface Gathered {
  readonly window: EffectWindow;
  readonly oldestMs: number;
  to: number;
  stateParts: string;
  /** Of its commits, as far as they are traced. */
  readonly traces: string[];
}

interface Waiter {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Lives as long as a term. */
export class Projector {
  private client: pg.Client | null = null;
  /** Commits of the next window. */
  private gathered: Gathered | null = null;
  /** The window on its way. */
  private moving: Gathered | null = null;
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private waiters: Waiter[] = [];
  private readonly ending = new AbortController();
  /** Why the tables cannot be brought up at the moment; null where they can. */
  failure: string | null = null;

  /** `cursor` is where the tables stand; `onMoved` is called each time they have moved. */
  constructor(
    private readonly connect: () => Promise<pg.Client>,
    private cursor: number,
    private readonly carriedAfter: number,
    private readonly log: ProjectorLog,
    private readonly onMoved: (sequence: number) => void = () => undefined,
    private readonly waitingRowsMax = WAITING_ROWS_MAX,
  ) {}

  /** The tables hold everything up to here, and nothing after it. */
  get sequence(): number {
    return this.cursor;
  }

  /** Rows that are to be written. */
  get waitingRows(): number {
    return (this.gathered?.window.rowCount ?? 0) + (this.moving?.window.rowCount ?? 0);
  }

  get hasRoom(): boolean {
    return this.waitingRows < this.waitingRowsMax;
  }

  /** How long the oldest commit that is not in the tables has waited. */
  get lagMs(): number {
    const oldest = this.moving ?? this.gathered;
    return oldest === null ? 0 : monotonicMs() - oldest.oldestMs;
  }

  newWindow(): EffectWindow {
    return new EffectWindow(this.carriedAfter);
  }

  add({ firstSequence, lastSequence, timeMs, effects, stateParts, trace }: ProjectedCommit): void {
    const end = (this.gathered ?? this.moving)?.to ?? this.cursor;
    invariant(
      firstSequence === end + 1 && lastSequence >= firstSequence,
      'the tables take up one commit after the other',
      firstSequence,
      end,
    );
    this.gathered ??= {
      window: this.newWindow(),
      oldestMs: monotonicMs(),
      to: lastSequence,
      stateParts,
      traces: [],
    };
    if (trace !== undefined) this.gathered.traces.push(trace);
    this.gathered.window.add(effects, timeMs);
    this.gathered.to = lastSequence;
    this.gathered.stateParts = stateParts;
    this.schedule();
  }

  /**
   * Resolves when the tables hold everything up to the sequence.
   * @throws ProjectionLate where they do not in time
   */
  reached(sequence: number): Promise<void> {
    if (sequence <= this.cursor) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiters = this.waiters.filter((other) => other !== waiter);
        reject(new ProjectionLate(this.failure ?? 'the tables are behind'));
      }, REACHED_WAIT_MS);
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        act();
      };
      const waiter: Waiter = {
        sequence,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      this.waiters.push(waiter);
      this.schedule();
    });
  }

  /** The tables are there by now: by a window of this, or by a commit on the writer's own connection. */
  moveTo(sequence: number): void {
    invariant(sequence > this.cursor, 'the cursor of the tables goes forward', this.cursor, sequence);
    this.cursor = sequence;
    this.onMoved(sequence);
    this.waiters = this.waiters.filter((waiter) => {
      if (waiter.sequence > sequence) return true;
      waiter.resolve();
      return false;
    });
  }

  /** Leaves the tables as they are; the next leader continues from there. */
  async end(): Promise<void> {
    this.ending.abort();
    clearTimeout(this.timer);
    for (const { reject } of this.waiters.splice(0)) reject(new ProjectionLate('the term is over'));
    await this.dropClient();
    await this.running;
  }

  private isOver(): boolean {
    return this.ending.signal.aborted;
  }

  /** Moves now where somebody waits or enough has come together, and otherwise once the window is over. */
  private schedule(): void {
    if (this.running !== null || this.gathered === null || this.isOver()) return;
    if (this.waiters.length > 0 || this.gathered.window.rowCount >= WINDOW_ROWS) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.run();
      return;
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.run();
    }, WINDOW_MS);
  }

  private run(): void {
    if (this.running !== null || this.isOver()) return;
    this.running = this.move().finally(() => {
      this.running = null;
      this.schedule();
    });
  }

  /** Writes one window, however often that must be tried. */
  private async move(): Promise<void> {
    this.moving = this.gathered;
    this.gathered = null;
    if (this.moving === null) return;
    const { window, to, stateParts, traces } = this.moving;
    const statement = projectionStatement({ from: this.cursor, to, stateParts }, window);
    for (let attempt = 0; !this.isOver(); attempt++) {
      try {
        await steps.run(
          'project',
          () => this.write(statement, { from: this.cursor, to }),
          () => ({ links: traces, attributes: { 'tradepost.last_sequence': to } }),
        );
        break;
      } catch (error) {
        if (this.isOver()) return;
        this.failure = error instanceof Error ? error.message : String(error);
        this.log.error({ err: error, to }, 'the tables could not be brought up to the journal; trying again');
        await this.dropClient();
        const { signal } = this.ending;
        await delay(Math.min(RETRY_MS * 2 ** attempt, RETRY_MS_MAX), undefined, { signal }).catch(
          () => undefined,
        );
      }
    }
    if (this.isOver()) return;
    this.failure = null;
    this.moving = null;
    this.moveTo(to);
  }

  private async write(statement: SqlStatement, { from, to }: Pick<CursorMove, 'from' | 'to'>): Promise<void> {
    if (this.client === null) {
      this.client = await this.connect();
      if (this.isOver()) return this.dropClient();
    }
    invariant(to > from, 'the tables go forward', from, to);
    const { rows } = await this.client.query<{ moved: number }>({ ...statement });
    if (rows[0]!.moved === 1) return;
    // An earlier try may have worked without its answer arriving.
    const cursor = await cursorOf(this.client);
    if (cursor !== to)
      throw new Error(`the tables are at ${cursor}, not at ${from}; another process moves them`);
  }

  private async dropClient(): Promise<void> {
    const { client } = this;
    this.client = null;
    if (client !== null) await disconnect(client);
  }
}

/** How far the tables are. */
export async function cursorOf(client: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await client.query<{ sequence: string }>('SELECT sequence FROM core_projection');
  invariant(rows.length === 1, 'the tables have one cursor', rows.length);
  return Number(rows[0]!.sequence);
}

/** The sequence after which trades carry their transfers; infinite before a leader has begun with it. */
export async function carriedAfterIn(client: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await client.query<{ carried_after: string | null }>(
    'SELECT carried_after FROM core_projection',
  );
  return Number(rows[0]!.carried_after ?? Infinity);
}

/** Has trades carry their transfers from where the tables stand, unless they do already. */
export async function beginCarrying(client: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await client.query<{ carried_after: string }>(
    'UPDATE core_projection SET carried_after = coalesce(carried_after, sequence) RETURNING carried_after',
  );
  return Number(rows[0]!.carried_after);
}
