import { randomUUID } from 'node:crypto';
import { REFUSALS, ApiError, type OrderDto, toApiError, type Trading } from '../../../src/index.js';
import type { Client } from '../client.js';
import { utcTimeOf } from '../codec/encode.js';
import { type Field, RejectedField, REJECT_REASON } from '../codec/fields.js';
import type { FixMessage } from '../codec/fix-message.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import { statusReportOf } from './account-reports.js';
import { EXEC_TYPE, ORD_STATUS, ordStatusOf, SIDE_OF } from './execution-report.js';
import { ORD_REJ_REASON, placeOrderOf, replaceOrderOf, UnsupportedOrder } from './order-request.js';
import type { RequestLinks } from './request-links.js';

/** What an id is where there is no order. */
const NO_ORDER = 'NONE';

/** Values of CxlRejReason (102). */
const CXL_REJ_REASON = { tooLate: '0', unknownOrder: '1', duplicateClOrdId: '6', other: '99' } as const;
/** Values of CxlRejResponseTo (434), by what is responded to. */
const RESPONSE_TO: Readonly<Record<string, string>> = {
  [MSG_TYPE.OrderCancelRequest]: '1',
  [MSG_TYPE.OrderCancelReplaceRequest]: '2',
};
/** Values of MassCancelRequestType (530), and of MassCancelResponse (531) for what was done. */
const ORDERS_OF_SECURITY = '1';
const ALL_ORDERS = '7';
const MASS_CANCEL_TYPE = /^[1-7]$/;
/** MassCancelResponse and MassCancelRejectReason (532) of a refusal. */
const MASS_CANCEL_REJECTED: readonly Field[] = [
  [TAG.MassCancelResponse, '0'],
  [TAG.MassCancelRejectReason, '99'],
];

const REASONS: Readonly<Record<string, string>> = {
  market_not_found: ORD_REJ_REASON.unknownSymbol,
  market_not_allowed: ORD_REJ_REASON.unknownSymbol,
  market_not_open: ORD_REJ_REASON.exchangeClosed,
  duplicate_client_order_id: ORD_REJ_REASON.duplicateOrder,
  account_not_found: ORD_REJ_REASON.unknownAccount,
  insufficient_funds: ORD_REJ_REASON.exceedsLimit,
  too_many_open_orders: ORD_REJ_REASON.exceedsLimit,
  self_limit_exceeded: ORD_REJ_REASON.exceedsLimit,
  limit_exceeded: ORD_REJ_REASON.exceedsLimit,
  size_out_of_range: ORD_REJ_REASON.incorrectQuantity,
  invalid_lot: ORD_REJ_REASON.incorrectQuantity,
};

const CANCEL_REASONS: Readonly<Record<string, string>> = {
  order_not_open: CXL_REJ_REASON.tooLate,
  size_below_filled: CXL_REJ_REASON.tooLate,
  order_not_found: CXL_REJ_REASON.unknownOrder,
  duplicate_client_order_id: CXL_REJ_REASON.duplicateClOrdId,
};

interface Refusal {
  readonly reason: string;
  readonly text: string;
}

/**
 * Orders of a client. What the exchange accepts is reported with the events of the account, by `AccountReports`; here
 * only refusals and questions are answered.
 */
export class OrderDesk {
  constructor(
    private readonly trading: Trading,
    private readonly client: Client,
    private readonly links: RequestLinks,
  ) {}

  /** NewOrderSingle. Throws `RejectedField`, and what leaves open whether there is an order. */
  async place(message: FixMessage): Promise<void> {
    try {
      this.requireAccount(message);
      const order = placeOrderOf(message);
      await this.trading.spend(this.client.principal);
      const { body, replayed } = await this.trading.place(this.client.principal, order);
      if (!replayed) return;
      if (!message.isRepeat) throw duplicate();
      // Whether it was reported before is not known here: this is no execution, so it may come twice.
      this.client.send(MSG_TYPE.ExecutionReport, statusOf(body));
    } catch (error) {
      const refusal = refusalOf(error, REASONS, ORD_REJ_REASON.other);
      this.client.send(MSG_TYPE.ExecutionReport, rejectionOf(message, EXEC_TYPE.rejected, refusal));
    }
  }

  /** OrderCancelReplaceRequest: the old order goes and the new one comes in one command. */
  async replace(message: FixMessage): Promise<void> {
    await this.change(message, async (order, clOrdId) => {
      if (message.fields.text(TAG.Side) !== SIDE_OF[order.side]) {
        throw new UnsupportedOrder('The side of an order cannot change.', CXL_REJ_REASON.other);
      }
      const terms = replaceOrderOf(message);
      const origClOrdId = message.fields.requiredText(TAG.OrigClOrdID);
      const unlink = this.links.replacing({ orderId: order.order_id, origClOrdId }, clOrdId);
      try {
        const { replayed } = await this.trading.replace(this.client.principal, order.order_id, terms);
        if (replayed) throw duplicate();
      } catch (error) {
        unlink();
        throw error;
      }
    });
  }

  /** OrderCancelRequest. */
  async cancel(message: FixMessage): Promise<void> {
    await this.change(message, async (order, clOrdId) => {
      const unlink = this.links.cancelling(order.order_id, clOrdId);
      try {
        await this.trading.cancel(this.client.principal, order.order_id);
      } catch (error) {
        unlink();
        throw error;
      }
    });
  }

  /** OrderMassCancelRequest: of one market, or of all. */
  async cancelAll(message: FixMessage): Promise<void> {
    const { fields } = message;
    const type = fields.requiredText(TAG.MassCancelRequestType);
    if (!MASS_CANCEL_TYPE.test(type)) throw incorrect(TAG.MassCancelRequestType);
    const answer: Field[] = [
      [TAG.ClOrdID, fields.requiredText(TAG.ClOrdID)],
      [TAG.OrderID, randomUUID()],
      [TAG.MassCancelRequestType, type],
    ];
    try {
      const which = cancelledBy(message, type);
      await this.trading.spend(this.client.principal);
      const { cancelled } = await this.trading.cancelAll(this.client.principal, which);
      answer.push([TAG.MassCancelResponse, type], [TAG.TotalAffectedOrders, String(cancelled.length)]);
    } catch (error) {
      answer.push(...MASS_CANCEL_REJECTED, [TAG.Text, refusalOf(error, {}, '').text]);
    }
    this.client.send(MSG_TYPE.OrderMassCancelReport, answer);
  }

  /** OrderStatusRequest. */
  async tell(message: FixMessage): Promise<void> {
    const { fields } = message;
    fields.requiredText(TAG.ClOrdID);
    const asked = optional(TAG.OrdStatusReqID, fields.text(TAG.OrdStatusReqID));
    try {
      await this.trading.spend(this.client.principal);
      const order = await this.find(message, TAG.ClOrdID);
      this.client.send(MSG_TYPE.ExecutionReport, statusOf(order, asked));
    } catch (error) {
      const reasons = { order_not_found: ORD_REJ_REASON.unknownOrder };
      const refusal = refusalOf(error, reasons, ORD_REJ_REASON.other);
      const fieldsOfAnswer = rejectionOf(message, EXEC_TYPE.status, refusal);
      this.client.send(MSG_TYPE.ExecutionReport, [...fieldsOfAnswer, ...asked]);
    }
  }

  /** Finds the order that a message would change, and answers what is refused. */
  private async change(
    message: FixMessage,
    work: (order: OrderDto, clOrdId: string) => Promise<void>,
  ): Promise<void> {
    const { fields } = message;
    const clOrdId = fields.requiredText(TAG.ClOrdID);
    fields.requiredText(TAG.OrigClOrdID);
    let order: OrderDto | undefined;
    try {
      this.requireAccount(message);
      await this.trading.spend(this.client.principal);
      order = await this.find(message, TAG.OrigClOrdID);
      await work(order, clOrdId);
    } catch (error) {
      const refusal = refusalOf(error, CANCEL_REASONS, CXL_REJ_REASON.other);
      // What was refused may be what has ended the order.
      if (order !== undefined) order = await this.trading.order(this.client.principal, order.order_id);
      if (message.isRepeat && order !== undefined) {
        this.client.send(MSG_TYPE.ExecutionReport, statusOf(order));
        return;
      }
      this.client.send(MSG_TYPE.OrderCancelReject, cancelRejectOf(message, order, refusal));
    }
  }

  /** By OrderID where the message has one, else by a ClOrdID. */
  private find({ fields }: FixMessage, clOrdIdTag: number): Promise<OrderDto> {
    const orderId = fields.text(TAG.OrderID);
    const { principal } = this.client;
    return orderId === undefined
      ? this.trading.orderByClientOrderId(principal, fields.requiredText(clOrdIdTag))
      : this.trading.order(principal, orderId);
  }

  private requireAccount({ fields }: FixMessage): void {
    const account = fields.text(TAG.Account);
    if (account === undefined || account === this.client.accountId) return;
    throw new UnsupportedOrder('The session trades on another account.', ORD_REJ_REASON.unknownAccount);
  }
}

/** Throws `UnsupportedOrder` and `RejectedField`. */
function cancelledBy({ fields }: FixMessage, type: string): { market_id: string } | { all: true } {
  if (type === ALL_ORDERS) return { all: true };
  if (type === ORDERS_OF_SECURITY) return { market_id: fields.requiredText(TAG.Symbol) };
  throw new UnsupportedOrder('MassCancelRequestType must be 1 or 7.');
}

/** Why something is refused. Throws again what is no refusal. */
function refusalOf(error: unknown, reasons: Readonly<Record<string, string>>, other: string): Refusal {
  if (error instanceof UnsupportedOrder) return { reason: error.reason, text: error.message };
  if (error instanceof RejectedField) throw error;
  const known = error instanceof ApiError ? error : toApiError(error);
  // The order may be there all the same.
  if (known.status >= 500) throw error;
  const text = known.details?.map(({ message }) => message).join('; ') ?? known.message;
  return { reason: reasons[known.code] ?? other, text };
}

/** The answer to a message about an order that there is not. */
function rejectionOf(message: FixMessage, execType: string, { reason, text }: Refusal): Field[] {
  const { fields } = message;
  return [
    [TAG.OrderID, NO_ORDER],
    ...optional(TAG.ClOrdID, fields.text(TAG.ClOrdID)),
    [TAG.ExecID, randomUUID()],
    [TAG.ExecType, execType],
    [TAG.OrdStatus, ORD_STATUS.rejected],
    [TAG.OrdRejReason, reason],
    ...optional(TAG.Symbol, fields.text(TAG.Symbol)),
    ...optional(TAG.Side, fields.text(TAG.Side)),
    ...optional(TAG.OrderQty, fields.text(TAG.OrderQty)),
    [TAG.LeavesQty, '0'],
    [TAG.CumQty, '0'],
    [TAG.AvgPx, '0'],
    [TAG.TransactTime, utcTimeOf(Date.now())],
    [TAG.Text, text],
  ];
}

function cancelRejectOf(
  { fields, msgType }: FixMessage,
  order: OrderDto | undefined,
  { reason, text }: Refusal,
): Field[] {
  return [
    [TAG.OrderID, order?.order_id ?? NO_ORDER],
    [TAG.ClOrdID, fields.requiredText(TAG.ClOrdID)],
    [TAG.OrigClOrdID, fields.requiredText(TAG.OrigClOrdID)],
    [TAG.OrdStatus, order === undefined ? ORD_STATUS.rejected : ordStatusOf(order)],
    [TAG.TransactTime, utcTimeOf(Date.now())],
    [TAG.CxlRejResponseTo, RESPONSE_TO[msgType]!],
    [TAG.CxlRejReason, reason],
    [TAG.Text, text],
  ];
}

function statusOf(order: OrderDto, more: readonly Field[] = []): Field[] {
  return statusReportOf(order, randomUUID(), order.updated_at, more);
}

function duplicate(): ApiError {
  return new ApiError(REFUSALS.duplicate_client_order_id, 'There is an order with this ClOrdID.');
}

function incorrect(tag: number): RejectedField {
  return new RejectedField(tag, REJECT_REASON.valueIncorrect, 'Value is incorrect (out of range).');
}

function optional(tag: number, value: string | undefined): Field[] {
  return value === undefined ? [] : [[tag, value]];
}
