/**
 * The tables that few batches write, declared once: assets, accounts, markets, their groups, settlements, holds, limits. What
 * commits insert and change, the rows of checkpoints, the loader and the entities all follow from these lists.
 */
import type { Account, Asset, EventGroup, Hold, Limits, Market } from '../../domain/engine/state.js';
import type { SettlementRecord } from '../../domain/engine/types.js';
import { declareColumns } from './values.js';

const asset = declareColumns<Asset>();
const account = declareColumns<Account>();
const market = declareColumns<Market>();
const group = declareColumns<EventGroup>();
const settlement = declareColumns<SettlementRecord>();
const hold = declareColumns<Hold>();
const limits = declareColumns<Limits>();

export const ASSET_COLUMNS = [
  asset.text('code', (asset) => asset.code),
  asset.small('scale', (asset) => asset.scale),
  asset.time('created_at', (asset) => asset.createdAtMs),
] as const;

export const ACCOUNT_KEY = [account.integer('account_id', (account) => account.accountId)] as const;

/** What may change after an account was made. */
export const ACCOUNT_STANDING = [
  account.small('kyc_level', (account) => account.kycLevel),
  account.bool('frozen', (account) => account.frozen),
  account.nullable.integer('limits_sequence', (account) => account.limitsSequence),
  account.nullable.integer('limits_base', (account) => account.limitsBase),
  account.nullable.numeric('limits_taken', (account) => account.limitsTaken),
] as const;

export const ACCOUNT_COLUMNS = [
  ...ACCOUNT_KEY,
  account.text('kind', (account) => account.kind),
  account.text('name', (account) => account.name),
  account.nullable.text('owner', (account) => account.owner),
  account.nullable.text('root', (account) => account.root),
  ...ACCOUNT_STANDING,
  account.time('created_at', (account) => account.createdAtMs),
] as const;

export const MARKET_KEY = [market.text('market_id', (market) => market.definition.marketId)] as const;

/** What never changes about a market. */
const MARKET_NATURE = [
  ...MARKET_KEY,
  market.text('kind', (market) => market.definition.kind),
  market.nullable.text('base_asset', (market) => market.definition.baseAsset),
  market.text('quote_asset', (market) => market.definition.quoteAsset),
  market.numeric('tick_size', (market) => market.definition.tickSize),
  market.numeric('lot_size', (market) => market.definition.lotSize),
  market.text('fee_base', (market) => market.definition.feeBase),
  market.nullable.time('opens_at', (market) => market.definition.opensAtMs),
] as const;

/** What operators may change about a market. */
const MARKET_TERMS = [
  market.text('title', (market) => market.definition.title),
  market.text('description', (market) => market.definition.description),
  market.text('category', (market) => market.definition.category),
  market.integer('min_size_lots', (market) => market.definition.minSizeLots),
  market.integer('max_size_lots', (market) => market.definition.maxSizeLots),
  market.numeric('min_notional', (market) => market.definition.minNotional),
  market.integer('price_min_ticks', (market) => market.definition.priceMinTicks),
  market.integer('price_max_ticks', (market) => market.definition.priceMaxTicks),
  market.nullable.integer('market_order_band_bps', (market) => market.definition.marketOrderBandBps),
  market.numeric('maker_fee_rate', (market) => market.definition.makerFeeRate),
  market.numeric('taker_fee_rate', (market) => market.definition.takerFeeRate),
  market.nullable.numeric('original_maker_fee_rate', (market) => market.definition.originalMakerFeeRate),
  market.nullable.numeric('original_taker_fee_rate', (market) => market.definition.originalTakerFeeRate),
  market.nullable.time('closes_at', (market) => market.definition.closesAtMs),
  market.nullable.integer('revision', (market) => market.definition.revision),
] as const;

export const MARKET_DEFINITION = [...MARKET_NATURE, ...MARKET_TERMS] as const;

/** What the life of a market changes beside its book. */
export const MARKET_STATUS = [
  market.text('status', (market) => market.status),
  market.nullable.numeric('settlement_value', (market) => market.settlementValue),
  market.nullable.time('settled_at', (market) => market.settledAtMs),
] as const;

export const MARKET_CHANGING = [...MARKET_TERMS, ...MARKET_STATUS] as const;

export const MARKET_COLUMNS = [
  ...MARKET_DEFINITION,
  ...MARKET_STATUS,
  market.nullable.integer('pool_account_id', (market) => market.poolAccountId),
  market.time('created_at', (market) => market.createdAtMs),
] as const;

/** Its sets are not kept: they follow from its pool and the open interest of its markets. */
export const EVENT_GROUP_COLUMNS = [
  group.text('event_group_id', (group) => group.groupId),
  group.text('title', (group) => group.title),
  // Ids of markets have no spaces.
  group.text('market_ids', (group) => group.marketIds.join(' ')),
  group.text('quote_asset', (group) => group.quoteAsset),
  group.numeric('lot_size', (group) => group.lotSize),
  group.integer('pool_account_id', (group) => group.poolAccountId),
  group.time('created_at', (group) => group.createdAtMs),
] as const;

export const SETTLEMENT_COLUMNS = [
  settlement.text('market_id', (settlement) => settlement.marketId),
  settlement.integer('sequence', (settlement) => settlement.sequence),
  settlement.numeric('settlement_value', (settlement) => settlement.settlementValue),
  settlement.time('settled_at', (settlement) => settlement.settledAtMs),
] as const;

export const HOLD_KEY = [
  hold.text('owner_kind', (hold) => hold.ownerKind),
  hold.text('owner_id', (hold) => hold.ownerId),
] as const;

export const HOLD_COLUMNS = [
  ...HOLD_KEY,
  hold.integer('account_id', (hold) => hold.accountId),
  hold.text('asset', (hold) => hold.asset),
  hold.numeric('amount', (hold) => hold.amount),
  hold.time('created_at', (hold) => hold.createdAtMs),
] as const;

export const LIMITS_COLUMNS = [
  limits.small('open_orders_max', (limits) => limits.openOrdersMax),
  limits.small('open_stops_max', (limits) => limits.openStopsMax),
  limits.small('owner_open_orders_max', (limits) => limits.ownerOpenOrdersMax),
  limits.small('owner_open_stops_max', (limits) => limits.ownerOpenStopsMax),
] as const;
