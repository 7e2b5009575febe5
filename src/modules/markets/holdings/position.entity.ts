import { Entity, Index } from 'typeorm';
import { readOnly } from '../../../kit/database/columns.js';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { POSITION_COLUMNS } from '../../../core/tables/core-tables.js';

/** What an account has traded in one market. Written by the core only. */
@Entity('positions')
@Index('positions_market', ['marketId', 'accountId'], { where: 'is_holder' })
export class PositionEntity extends coreEntity(POSITION_COLUMNS, 'account_id', 'market_id') {
  /** Whether it is open, or was when the market settled. Most fills leave it as it is, so their updates are HOT. */
  @readOnly.generatedBoolean({
    asExpression: '((size_lots <> 0) OR (settled_lots <> 0))',
  })
  readonly isHolder: boolean;
}
