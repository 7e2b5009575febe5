import { Logger } from '@nestjs/common';
import { ApiError, type MarketData, toApiError, type Trading } from '../../src/index.js';
import type { Client } from './client.js';
import { RejectedField } from './codec/fields.js';
import type { FixMessage } from './codec/fix-message.js';
import { MSG_TYPE, TAG } from './codec/tags.js';
import { MarketDataDesk } from './market-data/market-data-desk.js';
import { SecurityList } from './market-data/security-list.js';
import { AccountReports, type ReportSink } from './orders/account-reports.js';
import { OrderDesk } from './orders/order-desk.js';
import { RequestLinks } from './orders/request-links.js';

/** Values of BusinessRejectReason (380). */
const UNSUPPORTED_MSG_TYPE = '3';
const NOT_AVAILABLE = '4';

export interface ApplicationServices {
  readonly trading: Trading;
  readonly marketData: MarketData;
}

/** What a client that is logged on can ask for. */
export class Application {
  private static readonly logger = new Logger('FIX');
  private readonly reports: AccountReports;
  private readonly orders: OrderDesk;
  private readonly books: MarketDataDesk;
  private readonly securities: SecurityList;

  constructor(
    { trading, marketData }: ApplicationServices,
    private readonly client: Client,
    sink: ReportSink,
  ) {
    const links = new RequestLinks();
    this.reports = new AccountReports(trading, client, links, sink);
    this.orders = new OrderDesk(trading, client, links);
    this.books = new MarketDataDesk(marketData, client);
    this.securities = new SecurityList(marketData, client);
  }

  /** Begins to report what happens in the account, and first what has happened since the last log-on. */
  begin(): Promise<void> {
    return this.reports.begin();
  }

  end(): void {
    this.reports.end();
    this.books.end();
  }

  /** Throws `RejectedField` for a message that is not well-formed. */
  async take(message: FixMessage): Promise<void> {
    try {
      if (!(await this.answer(message))) {
        this.reject(message, UNSUPPORTED_MSG_TYPE, 'Unsupported Message Type.');
      }
    } catch (error) {
      if (error instanceof RejectedField) throw error;
      const known = error instanceof ApiError ? error : toApiError(error);
      if (known.status >= 500) {
        Application.logger.warn({ msg: 'a message could not be answered', err: known.cause ?? known });
      }
      this.reject(message, NOT_AVAILABLE, known.message);
    }
  }

  /** False for what is not supported. */
  private async answer(message: FixMessage): Promise<boolean> {
    switch (message.msgType) {
      case MSG_TYPE.NewOrderSingle:
        await this.orders.place(message);
        return true;
      case MSG_TYPE.OrderCancelReplaceRequest:
        await this.orders.replace(message);
        return true;
      case MSG_TYPE.OrderCancelRequest:
        await this.orders.cancel(message);
        return true;
      case MSG_TYPE.OrderMassCancelRequest:
        await this.orders.cancelAll(message);
        return true;
      case MSG_TYPE.OrderStatusRequest:
        await this.orders.tell(message);
        return true;
      case MSG_TYPE.MarketDataRequest:
        await this.books.take(message);
        return true;
      case MSG_TYPE.SecurityListRequest:
        await this.securities.take(message);
        return true;
      default:
        return false;
    }
  }

  private reject({ fields, msgType }: FixMessage, reason: string, text: string): void {
    this.client.send(MSG_TYPE.BusinessMessageReject, [
      [TAG.RefSeqNum, fields.text(TAG.MsgSeqNum)!],
      [TAG.RefMsgType, msgType],
      [TAG.BusinessRejectReason, reason],
      [TAG.Text, text],
    ]);
  }
}
