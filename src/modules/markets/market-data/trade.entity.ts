import { Entity, Index } from 'typeorm';
import { coreEntity, declareUnread } from '../../../core/tables/core-entity.js';
import { CARRIED_COLUMNS, TRADE_COLUMNS } from '../../../core/tables/core-tables.js';

/** A match between two orders. Written by the core only, never changed. */
@Entity('trades')
@Index('trades_maker', ['makerAccountId', 'tradeId'])
@Index('trades_taker', ['takerAccountId', 'tradeId'])
export class TradeEntity extends coreEntity(TRADE_COLUMNS, 'market_id', 'trade_id') {}
declareUnread(TradeEntity, CARRIED_COLUMNS);
