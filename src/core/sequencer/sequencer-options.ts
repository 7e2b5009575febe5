import type { Clock } from '../../kit/clock.js';
import type { CommitBoundary } from './commit-boundary.js';
import type { Followers } from '../followers/followers.js';
import type { OwnHeads } from '../proof/own-heads.js';
import type { SyncStandby } from '../leadership/sync-standby.js';
import type { TermOptions } from '../term/term.js';

export interface SequencerLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** The token of those of the process's one sequencer. */
export const SEQUENCER_OPTIONS = Symbol('SEQUENCER_OPTIONS');

/** What must hold for a process to lead. */
export interface LeadConditions {
  /** Without it nothing checks whether a standby confirms commits. */
  readonly syncStandby?: SyncStandby;
  /** Without them nothing checks whether the journal still has what was signed. */
  readonly ownHeads?: OwnHeads;
}

export interface SequencerOptions {
  /** Beyond this many accounts in memory, idle ones are evicted. */
  readonly accountsInMemoryMax?: number;
  /** How long to query the database for the outcome of a commit before its callers are told that it is unknown. */
  readonly outcomeWaitMs?: number;
  /** How many live orders, and stops among them, an account may have in one market. */
  readonly limits?: TermOptions['limits'];
  /** How many live orders fit this process's memory; beyond, new ones are refused. */
  readonly liveOrdersMax?: number;
  /** How many holders one command of a settlement pays. */
  readonly settledPerCommandMax?: number;
  /** How many rows may be durable and not yet in the tables before new orders wait. */
  readonly waitingRowsMax?: number;
  readonly conditions?: LeadConditions;
  /** Those for whom the writer rests while they are behind. */
  readonly followers?: Followers;
  /** Counts and times commits. */
  readonly commits?: CommitBoundary;
  /** The process's; where left out, one that begins now. */
  readonly clock?: Clock;
}
