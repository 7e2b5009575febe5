import type { Command, Outcome } from '../domain/engine/commands.js';
import type { EventGroup } from '../domain/engine/state.js';
import type {
  BookChange,
  BookLevel,
  LedgerTransfer,
  MarketDefinition,
  MarketStatus,
  OrderSnapshot,
  SetLeg,
  Trade,
} from '../domain/engine/types.js';
import type { Amount } from '../domain/money/amount.js';
import type { AuditEntry } from '../kit/audit/audit-entry.js';
import type { FollowerLag } from './followers/followers.js';

export type { AccountRecord } from '../domain/engine/state.js';

/** A unit of work for the core: its commands run one after the other and become durable together. */
export interface CoreRequest {
  readonly commands: readonly Command[];
  /** The caller's `Idempotency-Key`; a repeat of it never reaches the engine. */
  readonly idempotency?: IdempotencyKey;
  /** The sender, from `actorOf`; stored in the journal. Absent for the service itself. */
  readonly actor?: string;
  /** The audit entry, from `AuditLog.entryFor`: written in the same commit if any command is applied. */
  readonly audit?: AuditEntry;
}

export interface IdempotencyKey {
  /** The principal's key, such as `client:demo`. */
  readonly owner: string;
  readonly key: string;
  /** A digest of route and body; the same key with another fingerprint is refused. */
  readonly fingerprint: string;
  /** For the ids that modules derive from their own records: kept for good instead of a day. */
  readonly keptForGood?: boolean;
  /** How long it is kept otherwise, in place of a day. */
  readonly keptMs?: number;
}

export interface CoreAnswer {
  /** One for each command, in their order. */
  readonly outcomes: readonly Outcome[];
  /** For each command, whether its outcome is a repeat of an earlier one (by either key). */
  readonly replayed: readonly boolean[];
  /** Set where all of it is the answer that was given before under the request's key. */
  readonly isOfKey?: true;
}

/** A market as the last committed batch left it. */
export interface MarketView {
  readonly definition: MarketDefinition;
  readonly status: MarketStatus;
  readonly bookSequence: number;
  readonly lastPriceTicks: number | null;
  /** Contracts in existence, in lots; zero on spot markets. */
  readonly openInterestLots: number;
  readonly settlementValue: Amount | null;
  readonly settledAtMs: number | null;
  /** The event group that it belongs to. */
  readonly groupId: string | null;
}

export type EventGroupView = Pick<EventGroup, 'groupId' | 'title' | 'marketIds' | 'lotSize' | 'createdAtMs'>;

export interface BookView {
  readonly marketId: string;
  readonly bookSequence: number;
  /** When the last change of this book was committed. */
  readonly timeMs: number;
  /** Best first. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

export interface AssetView {
  readonly code: string;
  readonly scale: number;
}

/** What an account has of one asset after a commit. */
export interface BalanceView {
  readonly accountId: number;
  readonly asset: string;
  readonly available: Amount;
  readonly held: Amount;
}

/** What one commit made true, published after it is durable and never before. */
export interface CommittedBatch {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timeMs: number;
  readonly trades: readonly Trade[];
  readonly setLegs: readonly SetLeg[];
  /** Of accounts in which a listener was interested when the batch was made. */
  readonly orders: readonly OrderSnapshot[];
  readonly books: readonly BookChange[];
  readonly transfers: readonly LedgerTransfer[];
  /** Those that changed, of accounts in which a listener was interested when the batch was made. */
  readonly balances: readonly BalanceView[];
  /** For each account of somebody that was changed, the number that the commit has in the account's own stream. */
  readonly accountSequences: ReadonlyMap<number, number>;
  /** Accounts whose KYC level was set, that were frozen or unfrozen, or whose own limits have changed or were used. */
  readonly changedAccountIds: readonly number[];
  /** Markets whose definition or status changed. */
  readonly marketIds: readonly string[];
  /** Of the commit, as `traceparent`; absent where it is not traced. */
  readonly trace?: string;
}

export interface CoreStatus {
  readonly leading: boolean;
  /** Another process leads; this one serves reads of its commits, and can forward commands to it. */
  readonly following: boolean;
  /** Who leads another installation, such as a restored copy, that uses the same Redis; null where there is none. */
  readonly otherInstallation: { readonly holder: string; readonly epoch: number } | null;
  readonly epoch: number;
  readonly sequence: number;
  /** Commands that wait for their commit. */
  readonly queueDepth: number;
  /** How long the oldest waiting request has waited. */
  readonly lagMs: number;
  readonly stateHash: string;
  /** By how much the wall clock is ahead of commands' time; shown where it was set by more than is followed. */
  readonly clock: { readonly driftMs: number; readonly hasStepped: boolean };
  /** How far the tables are, how long the oldest commit waits for them, and what keeps them from moving, if anything. */
  readonly projection: { readonly sequence: number; readonly lagMs: number; readonly failure: string | null };
  /** What follows commits in this process, and how long the oldest commit waits for each. */
  readonly followers: readonly FollowerLag[];
  /** Markets that the core itself halted, with the reason. */
  readonly faults: readonly { readonly marketId: string; readonly reason: string }[];
}
