/** A batch that has been applied, as values: what is written of it, shown to readers and to listeners. */
import type { Balance } from '../../domain/engine/state.js';
import type { Amount } from '../../domain/money/amount.js';
import { ROWS_PER_COMMIT } from '../commit/commit-statement.js';
import { referenceStatements } from '../commit/reference-rows.js';
import type { Audience } from '../view/commit-listeners.js';
import { CommittedView, type ViewChange } from '../view/committed-view.js';
import type { BalanceView, CommittedBatch } from '../view/views.js';
import type { JournalRow } from '../journal/journal.js';
import { countRows, type EffectRows } from '../projection/tables.js';
import type { SqlStatement } from '../tables/statement.js';
import type { AppliedBatch } from './batch.js';
import type { WorkAnswer } from '../requests/work.js';

/** A batch with all that is to be written and shown of it, as values; not yet durable. */
export interface PreparedBatch {
  /** In the order of the works. */
  readonly answers: readonly WorkAnswer[];
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Null where the batch changed nothing, so that there is nothing to commit. */
  readonly journal: JournalRow | null;
  /** What few batches write beside their journal row, in the same transaction. */
  readonly referenceWrites: readonly SqlStatement[];
  /** Rows that the commit writes. */
  readonly rowCount: number;
  readonly view: ViewChange;
  /** The batch for listeners; null if there are none, or nothing to notify them of. */
  readonly notification: CommittedBatch | null;
  /** Markets that it left open, of those that it changed. */
  readonly openMarketIds: readonly string[];
}

/** All that is to be written and shown of a batch, while the working state is exactly there. */
export function capture(
  applied: AppliedBatch,
  effects: EffectRows,
  journal: JournalRow | null,
  audience: Audience,
): PreparedBatch {
  const { answers, changes, firstSequence, lastSequence } = applied;
  const referenceWrites = journal === null ? [] : referenceStatements(changes, applied.audit);
  const isNotified = audience !== null && journal !== null;
  const prepared = {
    answers,
    firstSequence,
    lastSequence,
    journal,
    referenceWrites,
    rowCount:
      ROWS_PER_COMMIT + (referenceWrites.length === 0 ? 0 : referenceWrites.length + countRows(effects)),
    view: CommittedView.changeOf(changes),
    notification: isNotified ? describe(applied, effects, audience) : null,
    openMarketIds: changes.markets.flatMap(({ status, definition }) =>
      status === 'open' ? [definition.marketId] : [],
    ),
  };
  for (const order of changes.orders) order.stored = true;
  for (const market of changes.markets) market.rowChanged = false;
  return prepared;
}

/** The batch for listeners, with the orders and balances of followed accounts. */
function describe(
  { changes, firstSequence, lastSequence, timeMs }: AppliedBatch,
  { accountChanges }: EffectRows,
  isFollowed: (accountId: number) => boolean,
): CommittedBatch {
  return {
    firstSequence,
    lastSequence,
    timeMs,
    trades: changes.trades,
    setLegs: changes.setLegs,
    orders: changes.orders.filter(({ accountId }) => isFollowed(accountId)).map((order) => order.snapshot()),
    books: changes.books,
    transfers: changes.transfers,
    balances: changes.balances.filter(({ accountId }) => isFollowed(accountId)).map(viewOf),
    accountSequences: new Map(accountChanges.map((change) => [change.accountId, change.sequence])),
    changedAccountIds: changes.accounts.map(({ accountId }) => accountId),
    marketIds: changes.markets
      .filter((market) => market.rowChanged || changes.newMarkets.includes(market))
      .map(({ definition }) => definition.marketId),
  };
}

function viewOf({ accountId, asset, available, held }: Balance): BalanceView {
  return { accountId, asset, available: available as Amount, held: held as Amount };
}
