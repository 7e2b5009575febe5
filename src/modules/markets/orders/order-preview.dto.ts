import { ApiProperty } from '@nestjs/swagger';
import type {
  CancelPreview,
  OrderListPreview,
  OrderPreview,
  ReplacementPreview,
} from '../../../domain/engine/preview.js';
import type { OrderStatus, StatusReason } from '../../../domain/engine/types.js';
import type { MarketUnits } from '../../../domain/market/units.js';
import { formatAmount } from '../../../domain/money/amount.js';

export class PreviewFillDto {
  /** @example "60000" */
  price: string;
  /** @example "0.1" */
  size: string;
  /** In the quote asset. */
  fee: string;
}

export class PreviewHoldDto {
  /** @example "USD" */
  asset: string;
  /** @example "9000" */
  amount: string;
}

/**
 * What netting would do with the account's contracts in the event group once the order has traded. What it pays is
 * available at once.
 */
export class PreviewNettingDto {
  /**
   * Complete sets, a contract in every market, that would become money.
   * @example "10"
   */
  merged_size: string;
  /**
   * Sets that would be bought against shorts in several markets: these close, and long contracts in the other markets stay.
   * @example "0"
   */
  converted_size: string;
  /**
   * What the account would be paid for both, in the quote asset.
   * @example "10"
   */
  amount: string;
  /**
   * By how much less its orders in the group would hold then, in the quote asset.
   * @example "0"
   */
  released: string;
}

/**
 * The order as placing or amending it now would leave it; nothing has been changed. What an amended order
 * has traded before counts in every figure, and is no fill of the preview.
 */
export class OrderPreviewDto {
  /** The status that the order would have. */
  status: OrderStatus;
  status_reason: StatusReason | null;
  /** What would trade at once, best price first. */
  fills: PreviewFillDto[];
  filled_size: string;
  remaining_size: string;
  /** Null where nothing would have traded. */
  average_fill_price: string | null;
  /** Value of all fills, in the quote asset. */
  notional: string;
  /** Fees of all fills, in the quote asset. */
  fees: string;
  /** What would stay held for the resting part. */
  hold: PreviewHoldDto;
  /** Size that would stand before the resting part at its own price; null where nothing would rest. */
  queue_ahead_size: string | null;
  /** In markets of event groups; null where nothing would be netted. */
  @ApiProperty({ type: PreviewNettingDto, nullable: true })
  netting: PreviewNettingDto | null;
}

/** What cancelling the order now would do; nothing has been changed. */
export class CancelPreviewDto {
  /**
   * What would be left untraded.
   * @example "0.15"
   */
  remaining_size: string;
  /**
   * By how much less would be held. Where the order has been covered by a position, what covers it passes on
   * to later orders, and these hold less.
   */
  released: PreviewHoldDto;
}

/** What replacing the order now would do; nothing has been changed. */
export class ReplacementPreviewDto {
  /** The order that would go. */
  replaced: CancelPreviewDto;
  /**
   * The new order, with the money and the room that the other one gives back: `rejected` where it could not be accepted
   * even so; `status_reason` then tells why.
   */
  order: OrderPreviewDto;
}

/**
 * The orders of a list as placing it now would leave them; nothing has been changed. An exit that would trade at once is
 * `untriggered` with `status_reason` `triggered`: what it would then do is not told.
 */
export class OrderListPreviewDto {
  /** The entry, if there is one, then the limit order and the stop. */
  orders: OrderPreviewDto[];
}

export function toReplacementPreviewDto(
  { replaced, order }: ReplacementPreview,
  units: MarketUnits,
): ReplacementPreviewDto {
  return { replaced: toCancelPreviewDto(replaced, units), order: toOrderPreviewDto(order, units) };
}

export function toOrderListPreviewDto({ orders }: OrderListPreview, units: MarketUnits): OrderListPreviewDto {
  return { orders: orders.map((order) => toOrderPreviewDto(order, units)) };
}

export function toOrderPreviewDto(preview: OrderPreview, units: MarketUnits): OrderPreviewDto {
  const average = units.pricePer(preview.filledNotional, preview.filledLots);
  return {
    status: preview.status,
    status_reason: preview.statusReason,
    fills: toPreviewFillDtos(preview, units),
    filled_size: units.size.format(preview.filledLots),
    remaining_size: units.size.format(preview.remainingLots),
    average_fill_price: average === null ? null : formatAmount(average),
    notional: formatAmount(preview.filledNotional),
    fees: formatAmount(preview.fees),
    hold: { asset: preview.hold.asset, amount: formatAmount(preview.hold.amount) },
    queue_ahead_size: preview.queueAheadLots === null ? null : units.size.format(preview.queueAheadLots),
    netting: toPreviewNettingDto(preview, units),
  };
}

function toPreviewNettingDto({ netting }: OrderPreview, units: MarketUnits): PreviewNettingDto | null {
  if (netting === null) return null;
  return {
    merged_size: units.size.format(netting.mergedLots),
    converted_size: units.size.format(netting.convertedLots),
    amount: formatAmount(netting.paid),
    released: formatAmount(netting.released),
  };
}

export function toPreviewFillDtos({ fills }: OrderPreview, units: MarketUnits): PreviewFillDto[] {
  return fills.map((fill) => ({
    price: units.price.format(fill.priceTicks),
    size: units.size.format(fill.sizeLots),
    fee: formatAmount(fill.fee),
  }));
}

export function toCancelPreviewDto(preview: CancelPreview, units: MarketUnits): CancelPreviewDto {
  const { asset, amount } = preview.released;
  return {
    remaining_size: units.size.format(preview.remainingLots),
    released: { asset, amount: formatAmount(amount) },
  };
}
