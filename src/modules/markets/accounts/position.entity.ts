import { Entity, Index } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import {
  AmountColumn,
  GeneratedBooleanColumn,
  IntegerColumn,
  IntegerKeyColumn,
  TextKeyColumn,
} from '../../../platform/database/columns.js';

/** What an account has traded in one market. Written by the core only. */
@Entity('positions')
@Index('positions_market', ['marketId', 'accountId'], { where: 'is_holder' })
export class PositionEntity {
  @IntegerKeyColumn({ name: 'account_id' })
  readonly accountId: number;

  @TextKeyColumn({ name: 'market_id' })
  readonly marketId: string;

  /** Signed: positive is long. */
  @IntegerColumn({ name: 'size_lots' })
  readonly sizeLots: number;

  /** Entry value of the open size: sum of price times size, never negative. */
  @AmountColumn({ name: 'cost_basis' })
  readonly costBasis: Amount;

  @AmountColumn({ name: 'realized_pnl' })
  readonly realizedPnl: Amount;

  @AmountColumn({ name: 'fees' })
  readonly fees: Amount;

  /** Its signed size when the market settled; zero until then. */
  @IntegerColumn({ name: 'settled_lots' })
  readonly settledLots: number;

  /** Whether it is open, or was when the market settled. Most fills leave it as it is, so their updates are HOT. */
  @GeneratedBooleanColumn({
    name: 'is_holder',
    asExpression: '((size_lots <> 0) OR (settled_lots <> 0))',
  })
  readonly isHolder: boolean;
}
