import { OmitType } from '@nestjs/swagger';
import type { MarketUnits } from '../../../domain/market/units.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { FiltersByFields } from '../../../kit/fields/field-marks.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import { toTradeDto, TRADE_CSV_COLUMNS, TradeDto } from '../market-data/trade.dto.js';
import type { TradeEntity } from '../market-data/trade.entity.js';
import { ListOrdersQueryDto } from '../orders/order.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { ORDER_IDS } from '../names/ids.js';

/** The query of `GET /admin/orders`; the period is that in which they were placed. */
@FiltersByFields('orders', 'operators')
export class ListAllOrdersQueryDto extends OmitType(ListOrdersQueryDto, ['client_order_id', 'account_id']) {
  /** @example "acc_00000000005" */
  @QueryText(64, 'Only orders of this account.')
  account_id?: string;
}

/** The query of `GET /admin/trades`. */
export class ListAllTradesQueryDto extends PeriodQueryDto {
  /** @example "acc_00000000005" */
  @QueryText(64, 'Only trades of which this account is a side.')
  account_id?: string;

  /** @example "BTC-USD" */
  @QueryText(64, 'Only trades of this market.')
  market_id?: string;
}

/** A trade as operators see it: with both its sides. */
export class OperatorTradeDto extends TradeDto {
  /** @example "acc_00000000005" */
  maker_account_id: string;
  /** @example "acc_00000000006" */
  taker_account_id: string;
  /** @example "ord_0000000001D" */
  maker_order_id: string;
  /** @example "ord_0000000002D" */
  taker_order_id: string;
  /**
   * In the quote asset.
   * @example "0"
   */
  maker_fee: string;
  /**
   * In the quote asset.
   * @example "0"
   */
  taker_fee: string;
}

/** The columns of the list as CSV. */
export const OPERATOR_TRADE_COLUMNS = [
  ...TRADE_CSV_COLUMNS,
  'maker_account_id',
  'taker_account_id',
  'maker_order_id',
  'taker_order_id',
  'maker_fee',
  'taker_fee',
] as const satisfies readonly CsvColumn<OperatorTradeDto>[];

export function toOperatorTradeDto(trade: TradeEntity, units: MarketUnits): OperatorTradeDto {
  return {
    ...toTradeDto(trade, units),
    maker_account_id: ACCOUNT_IDS.format(trade.makerAccountId),
    taker_account_id: ACCOUNT_IDS.format(trade.takerAccountId),
    maker_order_id: ORDER_IDS.format(trade.makerOrderId),
    taker_order_id: ORDER_IDS.format(trade.takerOrderId),
    maker_fee: formatAmount(trade.makerFee),
    taker_fee: formatAmount(trade.takerFee),
  };
}
