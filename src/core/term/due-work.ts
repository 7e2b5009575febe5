/**
 * Work that is due by time: expiries, opening and closing times, waiting stops. It runs together with requests until a
 * batch with it fails. Then it runs alone, in ever smaller parts, until the failing market is found; that market is
 * excluded from then on, and all others continue.
 */
import { DUE_PER_COMMAND_MAX } from '../../domain/engine/time.js';
import { monotonicMs } from '../clock/command-clock.js';

/** By how much the parts shrink: a thing among a thousand is found within four failures. */
const SHRINK = 8;
/** How long it rests where the server, and not one thing, was at fault. */
const REST_MS = 10_000;

/** How much of what is due a batch carries out. */
export interface DueScope {
  /** The first command only, so that a failure can be blamed on its market. */
  readonly alone: boolean;
  /** Of things that fall due; null = as many as one command takes. */
  readonly limit: number | null;
  /** Markets that are left out. */
  readonly except: ReadonlySet<string>;
}

export class DueWork {
  /** Set while something due is at fault and not yet found. */
  private limit: number | null = null;
  private restsUntilMs = 0;
  private wasLast = false;
  /** Markets in which something due could not be carried out; until an operator opens them again. */
  readonly except = new Set<string>();

  /** How long it still rests; 0 where it may run. */
  get restsForMs(): number {
    return Math.max(0, this.restsUntilMs - monotonicMs());
  }

  get isSuspect(): boolean {
    return this.limit !== null;
  }

  /** Whether its turn has come: while suspect it takes turns with requests. */
  get isItsTurn(): boolean {
    return !this.isSuspect || !this.wasLast;
  }

  get scope(): DueScope {
    return { alone: this.isSuspect, limit: this.limit, except: this.except };
  }

  noteBatch(withDue: boolean): void {
    this.wasLast = withDue;
  }

  /** Nothing more is due: whatever had failed has been found or was no fault of its own. */
  noteDone(): void {
    this.limit = null;
  }

  /** A batch with it failed, maybe because of it. */
  suspect(): void {
    this.limit ??= DUE_PER_COMMAND_MAX;
  }

  /** It failed by itself. True where that was a single thing, so that its market is to be left out. */
  narrow(isSingle: boolean): boolean {
    if (isSingle || this.limit === 1) {
      this.limit = null;
      return true;
    }
    this.limit = Math.max(1, Math.floor((this.limit ?? DUE_PER_COMMAND_MAX) / SHRINK));
    return false;
  }

  rest(): void {
    this.restsUntilMs = monotonicMs() + REST_MS;
  }
}
