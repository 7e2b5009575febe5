import { Column, Entity } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/**
 * Trading of one market in one interval of time: a projection of `trades`, kept up by
 * `CandleProjection`. Columns come as the driver reads them: whole numbers as text.
 */
@Entity('candles')
export class CandleEntity {
  @key.text() marketId: string;
  @key.integer() intervalSeconds: number;
  @key.time() start: Date;
  @column.bigint() openTicks: string;
  @column.bigint() highTicks: string;
  @column.bigint() lowTicks: string;
  @column.bigint() closeTicks: string;
  /** A sum, and so possibly beyond the eight bytes of one trade's lots. */
  @Column({ name: 'volume_lots', type: 'numeric', precision: 38, scale: 0 }) volumeLots: string;
}
