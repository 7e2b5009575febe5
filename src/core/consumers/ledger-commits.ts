import type { LedgerTransfer, Side, Trade, TransferReason } from '../../domain/engine/types.js';
import type { MarketUnits } from '../../domain/market/units.js';
import { amount } from '../../domain/money/amount.js';
import type { LedgerCommit } from '../../kit/consumers/ledger-consumer.js';
import type { EntryEffects } from '../journal/journal-reader.js';
import { type EffectTable, tablesOf } from '../proof/effect-tables.js';

/** What a row of the journal did to the ledger. `unitsIn` gives the units of a market. */
export function ledgerCommitOf(
  entry: EntryEffects,
  unitsIn: (marketId: string) => MarketUnits,
): LedgerCommit {
  const { firstSequence, lastSequence, timeMs, effects } = entry;
  if (effects === null)
    throw new Error(
      `the journal does not tell what its row ${lastSequence} did: it is older than that is kept`,
    );
  const tables = tablesOf(entry);
  return {
    firstSequence,
    lastSequence,
    timeMs,
    trades: rowsIn(tables, 'trades', (table, row) => tradeOf(table, row, unitsIn)),
    transfers: rowsIn(tables, 'transfers', transferOf),
  };
}

function rowsIn<Row>(
  tables: readonly EffectTable[],
  name: string,
  rowOf: (table: EffectTable, row: number) => Row,
): Row[] {
  return tables
    .filter(({ effect }) => effect.table === name)
    .flatMap((table) => Array.from({ length: table.count }, (_, row) => rowOf(table, row)));
}

function tradeOf(table: EffectTable, row: number, unitsIn: (marketId: string) => MarketUnits): Trade {
  const { integer, text, units } = valuesOf(table, row);
  const marketId = text('market_id');
  const priceTicks = integer('price_ticks');
  const sizeLots = integer('size_lots');
  return {
    tradeId: integer('trade_id'),
    marketId,
    priceTicks,
    sizeLots,
    notional: unitsIn(marketId).notional(priceTicks, sizeLots),
    takerSide: text('taker_side') as Side,
    makerOrderId: integer('maker_order_id'),
    takerOrderId: integer('taker_order_id'),
    makerAccountId: integer('maker_account_id'),
    takerAccountId: integer('taker_account_id'),
    makerFee: units('maker_fee'),
    takerFee: units('taker_fee'),
    executedAtMs: integer('executed_at'),
    bookSequence: integer('book_sequence'),
  };
}

function transferOf(table: EffectTable, row: number): LedgerTransfer {
  const { integer, text, units } = valuesOf(table, row);
  return {
    transferId: integer('transfer_id'),
    debitAccountId: integer('debit_account_id'),
    creditAccountId: integer('credit_account_id'),
    asset: text('asset'),
    amount: units('amount'),
    reason: text('reason') as TransferReason,
    reference: text('reference'),
    debitBalanceAfter: units('debit_balance_after'),
    creditBalanceAfter: units('credit_balance_after'),
    createdAtMs: integer('created_at'),
  };
}

function valuesOf(table: EffectTable, row: number) {
  const value = (name: string) => table.column(name)[row]!;
  return {
    integer: (name: string) => Number(value(name)),
    text: (name: string) => String(value(name)),
    units: (name: string) => amount(value(name) as bigint),
  };
}
