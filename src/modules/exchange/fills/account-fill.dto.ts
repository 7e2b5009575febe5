import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { MarketDefinition, Side } from '../../../domain/engine/types.js';
import { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount, ZERO } from '../../../domain/money/amount.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { fillIdOf, type Liquidity } from '../../markets/orders/fill.dto.js';
import { FILL_KINDS, type FillEntity, type FillKind } from '../../markets/fills/fill.entity.js';
import { FILL_IDS, ORDER_IDS, TRADE_IDS } from '../../markets/names/ids.js';

/** The query of `GET /accounts/{account_id}/fills`. */
export class ListAccountFillsQueryDto extends IntersectionType(PointInTimeQueryDto, PeriodQueryDto) {}

/** The query of `GET /markets/{market_id}/fills`. */
export class ListFillsQueryDto extends ListAccountFillsQueryDto {
  /** One of the caller's own accounts; without it, the credential's own. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;
}

/** What changed one's position in a market: a fill of an own order, or the settlement of what was held. */
export class AccountFillDto {
  /** Unique in the account. */
  fill_id: string;
  /** `settlement` closes what was held at the settlement value; `correction` changes what that was worth. */
  @ApiProperty({ enum: FILL_KINDS })
  kind: FillKind;
  /** The trade that both sides share; null unless `kind` is `trade`. */
  trade_id: string | null;
  /** Null unless `kind` is `trade`. */
  order_id: string | null;
  /** @example "BTC-USD" */
  market_id: string;
  /**
   * Of a settlement, the side that closes what was held.
   * @example "buy"
   */
  side: Side;
  /**
   * In the quote asset: the maker's price, or the settlement value.
   * @example "60000"
   */
  price: string;
  /** @example "0.25" */
  size: string;
  /**
   * How much of the size closed what was open; the rest opened.
   * @example "0"
   */
  closed_size: string;
  /** In `fee_asset`. */
  fee: string;
  /** @example "USD" */
  fee_asset: string;
  /** `maker` where the order was resting, `taker` where it came in; null unless `kind` is `trade`. */
  @ApiProperty({ enum: ['maker', 'taker'], nullable: true, type: String })
  liquidity: Liquidity | null;
  /** RFC 3339, UTC. */
  executed_at: string;
  /** The market's book sequence of the command that traded; null unless `kind` is `trade`. */
  @ApiProperty({ type: 'integer', nullable: true })
  sequence: number | null;
  /** Its place in the global ledger sequence, which `at_sequence` takes. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
  /**
   * The signed position after it.
   * @example "0.25"
   */
  position_size: string;
  /**
   * What it realized by average cost, before its fee, in the quote asset.
   * @example "0"
   */
  realized_pnl: string;
  /**
   * What it realized first in, first out, before its fee, in the quote asset.
   * @example "0"
   */
  realized_pnl_fifo: string;
}

/** The columns of the list as CSV. */
export const FILL_COLUMNS = [
  'fill_id',
  'kind',
  'trade_id',
  'order_id',
  'market_id',
  'side',
  'price',
  'size',
  'closed_size',
  'fee',
  'fee_asset',
  'liquidity',
  'executed_at',
  'sequence',
  'ledger_sequence',
  'position_size',
  'realized_pnl',
  'realized_pnl_fifo',
] as const satisfies readonly CsvColumn<AccountFillDto>[];

/** What an account had realized in a market before a fill, by average cost and first in, first out. */
export interface RealizedBeforeFill {
  readonly realizedPnl: bigint;
  readonly fifoRealizedPnl: bigint;
}

export function toAccountFillDto(
  fill: FillEntity,
  before: RealizedBeforeFill | undefined,
  definition: MarketDefinition,
): AccountFillDto {
  const { size } = unitsOf(definition);
  const { orderId, liquidity } = fill;
  return {
    fill_id: liquidity === null ? FILL_IDS.format(fill.sequence * 2) : fillIdOf(fill.sequence, liquidity),
    kind: fill.kind,
    trade_id: fill.kind === 'trade' ? TRADE_IDS.format(fill.sequence) : null,
    order_id: orderId === null ? null : ORDER_IDS.format(orderId),
    market_id: fill.marketId,
    side: fill.side,
    price: formatAmount(fill.price),
    size: size.format(fill.lots),
    closed_size: size.format(fill.kind === 'correction' ? 0 : fill.lots - fill.openedLots),
    fee: formatAmount(fill.fee),
    fee_asset: definition.quoteAsset,
    liquidity,
    executed_at: fill.executedAt.toISOString(),
    sequence: fill.bookSequence,
    ledger_sequence: fill.sequence,
    position_size: size.format(fill.sizeLots),
    realized_pnl: formatAmount(fill.realizedPnl - (before?.realizedPnl ?? ZERO)),
    realized_pnl_fifo: formatAmount(fill.fifoRealizedPnl - (before?.fifoRealizedPnl ?? ZERO)),
  };
}
