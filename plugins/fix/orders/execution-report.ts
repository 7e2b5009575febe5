import { amount, formatAmount, parseAmount, type FillDto, type OrderDto } from '../../../src/index.js';
import { utcTimeOfIso } from '../codec/encode.js';
import type { Field } from '../codec/fields.js';
import { TAG } from '../codec/tags.js';

/** Values of ExecType (150). */
export const EXEC_TYPE = {
  new: '0',
  cancelled: '4',
  replaced: '5',
  rejected: '8',
  expired: 'C',
  restated: 'D',
  trade: 'F',
  status: 'I',
  triggered: 'L',
} as const;

/** Values of OrdStatus (39). */
export const ORD_STATUS = {
  new: '0',
  partiallyFilled: '1',
  filled: '2',
  cancelled: '4',
  rejected: '8',
  expired: 'C',
} as const;

const ORD_STATUS_OF = {
  open: ORD_STATUS.new,
  untriggered: ORD_STATUS.new,
  partially_filled: ORD_STATUS.partiallyFilled,
  filled: ORD_STATUS.filled,
  cancelled: ORD_STATUS.cancelled,
  expired: ORD_STATUS.expired,
  rejected: ORD_STATUS.rejected,
} as const satisfies Record<OrderDto['status'], string>;

export const SIDE_OF = { buy: '1', sell: '2' } as const;
/** A trailing stop, which cannot be placed here, is a pegged order. */
const ORD_TYPE_OF = { market: '1', limit: '2', stop: '3', stop_limit: '4', trailing_stop: 'P' } as const;
const TIME_IN_FORCE_OF = { GTC: '1', IOC: '3', FOK: '4', GTD: '6' } as const;
const LIVE = new Set<string>([ORD_STATUS.new, ORD_STATUS.partiallyFilled]);
/** Value of MiscFeeType (139). */
const EXCHANGE_FEES = '4';
const UNIT = 10n ** 18n;

/** What one report says besides the terms of its order. */
export interface Execution {
  readonly execId: string;
  readonly execType: string;
  readonly ordStatus: string;
  /** Filled by then. */
  readonly cumQty: string;
  readonly avgPx: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly fill?: FillDto;
  /** Where that is not the order's own. */
  readonly clOrdId?: string;
  readonly origClOrdId?: string;
  /** More fields. */
  readonly more?: readonly Field[];
}

/** The fields of an ExecutionReport about an order that was accepted. */
export function executionReportOf(order: OrderDto, execution: Execution): Field[] {
  const { fill, ordStatus } = execution;
  return [
    [TAG.OrderID, order.order_id],
    ...optional(TAG.ClOrdID, execution.clOrdId ?? order.client_order_id),
    ...optional(TAG.OrigClOrdID, execution.origClOrdId),
    [TAG.ExecID, execution.execId],
    [TAG.ExecType, execution.execType],
    [TAG.OrdStatus, ordStatus],
    [TAG.Account, order.account_id],
    [TAG.Symbol, order.market_id],
    [TAG.Side, SIDE_OF[order.side]],
    [TAG.OrderQty, order.size],
    ...optional(TAG.CashOrderQty, order.quote_size),
    [TAG.OrdType, ORD_TYPE_OF[order.type]],
    ...optional(TAG.Price, order.price),
    ...optional(TAG.StopPx, order.stop_price),
    [TAG.TimeInForce, TIME_IN_FORCE_OF[order.time_in_force]],
    ...optional(TAG.ExpireTime, order.expires_at && utcTimeOfIso(order.expires_at)),
    ...optional(TAG.ExecInst, instructionsOf(order)),
    ...optional(TAG.MaxFloor, order.display_size),
    ...(fill === undefined ? [] : fieldsOfFill(fill)),
    [TAG.LeavesQty, LIVE.has(ordStatus) ? minus(order.size, execution.cumQty) : '0'],
    [TAG.CumQty, execution.cumQty],
    [TAG.AvgPx, execution.avgPx],
    [TAG.TransactTime, utcTimeOfIso(execution.at)],
    ...(execution.more ?? []),
  ];
}

/** An order as it stands. */
export function ordStatusOf({ status }: OrderDto): string {
  return ORD_STATUS_OF[status];
}

/** How an order stood before some fills, and after each of them. */
export class RunningFills {
  private cum: bigint;
  private notional: bigint;

  /** `order` is as it stands after the fills. */
  constructor(order: OrderDto, fills: readonly FillDto[]) {
    const filled = unitsOf(order.filled_size);
    const total = (unitsOf(order.average_fill_price ?? '0') * filled) / UNIT;
    const part = (of: (fill: FillDto) => bigint): bigint => fills.reduce((sum, fill) => sum + of(fill), 0n);
    this.cum = filled - part(({ size }) => unitsOf(size));
    // The average was rounded, so that nothing may be left a little less than nothing.
    this.notional = atLeastZero(this.cum === 0n ? 0n : total - part(notionalOf));
  }

  add(fill: FillDto): void {
    this.cum += unitsOf(fill.size);
    this.notional += notionalOf(fill);
  }

  get cumQty(): string {
    return textOf(this.cum);
  }

  get avgPx(): string {
    return textOf(this.cum === 0n ? 0n : (this.notional * UNIT) / this.cum);
  }

  get ordStatus(): string {
    return this.cum === 0n ? ORD_STATUS.new : ORD_STATUS.partiallyFilled;
  }
}

function fieldsOfFill(fill: FillDto): Field[] {
  return [
    [TAG.LastQty, fill.size],
    [TAG.LastPx, fill.price],
    [TAG.SecondaryExecID, fill.trade_id],
    [TAG.LastLiquidityInd, fill.liquidity === 'maker' ? '1' : '2'],
    [TAG.NoMiscFees, '1'],
    [TAG.MiscFeeAmt, fill.fee],
    [TAG.MiscFeeCurr, fill.fee_asset],
    [TAG.MiscFeeType, EXCHANGE_FEES],
  ];
}

function instructionsOf(order: OrderDto): string | null {
  const instructions = [...(order.post_only ? ['6'] : []), ...(order.reduce_only ? ['E'] : [])];
  return instructions.length === 0 ? null : instructions.join(' ');
}

function optional(tag: number, value: string | null | undefined): Field[] {
  return value == null ? [] : [[tag, value]];
}

/** Of two decimals; never below zero. */
function minus(total: string, part: string): string {
  return textOf(atLeastZero(unitsOf(total) - unitsOf(part)));
}

function notionalOf({ price, size }: FillDto): bigint {
  return (unitsOf(price) * unitsOf(size)) / UNIT;
}

function unitsOf(text: string): bigint {
  return parseAmount(text)!;
}

function textOf(units: bigint): string {
  return formatAmount(amount(units));
}

function atLeastZero(units: bigint): bigint {
  return units < 0n ? 0n : units;
}
