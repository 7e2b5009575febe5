import type { PlaceOrder, Refusal } from '../domain/engine/commands.js';
import type { Amount } from '../domain/money/amount.js';
import type { OrderStatus, StatusReason } from '../domain/engine/types.js';
import type {
  AccountRecord,
  AssetView,
  BookView,
  CommittedBatch,
  CoreAnswer,
  CoreRequest,
  CoreStatus,
  MarketView,
} from './core.types.js';

/** What placing an order would do, computed by the engine that would do it. */
export interface OrderPreview {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly fills: readonly { readonly priceTicks: number; readonly sizeLots: number; readonly fee: Amount }[];
  readonly filledLots: number;
  readonly filledNotional: Amount;
  readonly fees: Amount;
  readonly remainingLots: number;
  /** What would stay held for the resting part. */
  readonly hold: { readonly asset: string; readonly amount: Amount };
  /** Lots that would stand before the resting part at its price; null when nothing rests. */
  readonly queueAheadLots: number | null;
}

/** The one way to the single writer. PLACEHOLDER: its public surface, to build against; being implemented. */
export abstract class CoreService {
  /** Queues the commands; resolves after they are durable. Rejects with ApiError `temporarily_unavailable` or `outcome_unknown`. */
  abstract submit(request: CoreRequest): Promise<CoreAnswer>;
  abstract previewOrder(command: PlaceOrder): Promise<OrderPreview | Refusal>;
  abstract status(): CoreStatus;
  /** Committed markets, in order of their ids. */
  abstract markets(): readonly MarketView[];
  abstract market(marketId: string): MarketView | undefined;
  abstract book(marketId: string, depth: number): BookView | undefined;
  abstract asset(code: string): AssetView | undefined;
  abstract account(accountId: number): Promise<AccountRecord | undefined>;
  abstract accountsOf(owner: string): Promise<readonly AccountRecord[]>;
  /** Calls the listener after each commit, in commit order; returns the way to stop it. */
  abstract onCommitted(listener: (batch: CommittedBatch) => void): () => void;
}
