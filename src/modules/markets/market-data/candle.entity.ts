import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Trading of one market in one interval of time: a projection of `trades`, kept up by
 * `CandleProjection`. Columns come as the driver reads them: whole numbers as text.
 */
@Entity('candles')
export class CandleEntity {
  @PrimaryColumn({ name: 'market_id', type: 'text' })
  marketId: string;

  @PrimaryColumn({ name: 'interval_seconds', type: 'integer' })
  intervalSeconds: number;

  @PrimaryColumn({ name: 'start', type: 'timestamptz' })
  start: Date;

  @Column({ name: 'open_ticks', type: 'bigint' })
  openTicks: string;

  @Column({ name: 'high_ticks', type: 'bigint' })
  highTicks: string;

  @Column({ name: 'low_ticks', type: 'bigint' })
  lowTicks: string;

  @Column({ name: 'close_ticks', type: 'bigint' })
  closeTicks: string;

  /** A sum, and so possibly beyond the eight bytes of one trade's lots. */
  @Column({ name: 'volume_lots', type: 'numeric', precision: 38, scale: 0 })
  volumeLots: string;
}
