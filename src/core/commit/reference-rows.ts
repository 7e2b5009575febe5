/**
 * Rows that few batches have: assets, accounts and what changes about them, markets, settlements, holds, acts
 * of operators. They travel as JSON in statements of their own, inside the same transaction, so that the
 * statement every batch runs stays short.
 */
import type { Changes } from '../../domain/engine/changes.js';
import { type AuditEntry, insertionOf } from '../../platform/audit/audit-entry.js';
import type { Account, Asset, Hold, Limits, Market } from '../../domain/engine/state.js';
import type { SettlementChunk, SettlementRecord } from '../../domain/engine/types.js';
import type { Statement } from '../statement.js';

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const digits = (value: bigint | null): string | null => value?.toString() ?? null;

/** Inserts JSON objects whose members are columns of the table; those that a later version has added have their defaults. */
function insertRows(table: string, rows: readonly object[], action = ''): Statement[] {
  if (rows.length === 0) return [];
  const columns = Object.keys(rows[0]!).join(', ');
  const text = `INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ${action}`;
  return [{ text, values: [JSON.stringify(rows)] }];
}

function limitsStatement({ openOrdersMax, openStopsMax }: Limits): Statement {
  return {
    text: `
      INSERT INTO trading_limits (open_orders_max, open_stops_max) VALUES ($1, $2)
      ON CONFLICT (id) DO UPDATE SET open_orders_max = excluded.open_orders_max, open_stops_max = excluded.open_stops_max`,
    values: [openOrdersMax, openStopsMax],
  };
}

const assetRow = ({ code, scale, createdAtMs }: Asset): object => ({
  code,
  scale,
  created_at: time(createdAtMs),
});

const accountRow = (account: Account): object => ({
  account_id: account.accountId,
  kind: account.kind,
  name: account.name,
  owner: account.owner,
  kyc_level: account.kycLevel,
  frozen: account.frozen,
  created_at: time(account.createdAtMs),
});

const accountStatement = ({ accountId, kycLevel, frozen }: Account): Statement => ({
  text: 'UPDATE accounts SET kyc_level = $2, frozen = $3 WHERE account_id = $1',
  values: [accountId, kycLevel, frozen],
});

const marketRow = (market: Market): object => {
  const { definition } = market;
  return {
    market_id: definition.marketId,
    kind: definition.kind,
    title: definition.title,
    description: definition.description,
    category: definition.category,
    status: market.status,
    base_asset: definition.baseAsset,
    quote_asset: definition.quoteAsset,
    tick_size: digits(definition.tickSize),
    lot_size: digits(definition.lotSize),
    min_size_lots: definition.minSizeLots,
    max_size_lots: definition.maxSizeLots,
    min_notional: digits(definition.minNotional),
    price_min_ticks: definition.priceMinTicks,
    price_max_ticks: definition.priceMaxTicks,
    maker_fee_rate: digits(definition.makerFeeRate),
    taker_fee_rate: digits(definition.takerFeeRate),
    fee_base: definition.feeBase,
    opens_at: time(definition.opensAtMs),
    closes_at: time(definition.closesAtMs),
    settlement_value: digits(market.settlementValue),
    settled_at: time(market.settledAtMs),
    pool_account_id: market.poolAccountId,
    created_at: time(market.createdAtMs),
  };
};

const marketStatement = ({ definition, status, settlementValue, settledAtMs }: Market): Statement => ({
  text: 'UPDATE markets SET status = $2, settlement_value = $3, settled_at = $4 WHERE market_id = $1',
  values: [definition.marketId, status, digits(settlementValue), time(settledAtMs)],
});

const settlementRow = ({ marketId, sequence, settlementValue, settledAtMs }: SettlementRecord): object => ({
  market_id: marketId,
  sequence,
  settlement_value: digits(settlementValue),
  settled_at: time(settledAtMs),
});

const chunkRow = (chunk: SettlementChunk): object => ({
  ...settlementRow(chunk),
  account_ids: chunk.accountIds,
});

const holdRow = ({ ownerKind, ownerId, accountId, asset, amount, createdAtMs }: Hold): object => ({
  owner_kind: ownerKind,
  owner_id: ownerId,
  account_id: accountId,
  asset,
  amount: digits(amount),
  created_at: time(createdAtMs),
});

const endedHoldStatement = ({ ownerKind, ownerId }: Hold): Statement => ({
  text: 'DELETE FROM holds WHERE owner_kind = $1 AND owner_id = $2',
  values: [ownerKind, ownerId],
});

export function referenceStatements(changes: Changes, audit: readonly AuditEntry[]): Statement[] {
  const statusChanges = changes.markets.filter(
    (market) => market.statusChanged && !changes.newMarkets.includes(market),
  );
  return [
    ...insertRows('assets', changes.newAssets.map(assetRow)),
    ...insertRows('accounts', changes.newAccounts.map(accountRow)),
    ...changes.accounts.map(accountStatement),
    ...insertRows('markets', changes.newMarkets.map(marketRow)),
    ...statusChanges.map(marketStatement),
    ...insertRows('settlements', changes.settlements.map(settlementRow)),
    ...insertRows('settlement_chunks', changes.settlementChunks.map(chunkRow)),
    ...insertRows('holds', changes.newHolds.map(holdRow)),
    ...(changes.limits === null ? [] : [limitsStatement(changes.limits)]),
    ...changes.endedHolds.map(endedHoldStatement),
    ...(audit.length === 0 ? [] : [insertionOf(audit)]),
  ];
}
