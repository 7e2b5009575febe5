import { Entity } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { BOOK_COLUMNS } from '../../../core/tables/core-tables.js';

/** Where a market's book stands. Written by the core only; the levels themselves are the open orders. */
@Entity('market_books')
export class MarketBookEntity extends coreEntity(BOOK_COLUMNS, 'market_id') {}
