/** Committed state as readers and listeners get it. */
import type { EventGroup } from '../../domain/engine/state.js';
import type {
  BookChange,
  BookLevel,
  LedgerTransfer,
  MarketDefinition,
  MarketStatus,
  OrderSnapshot,
  SetLeg,
  Trade,
} from '../../domain/engine/types.js';
import type { Amount } from '../../domain/money/amount.js';

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

/** What one commit made true, told to listeners after it is durable and never before. */
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
