import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import type { ApiError } from '../../../kit/http/errors.js';
import type { Page } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import type { AccountEvent } from '../../markets/account-stream/account-stream.events.js';
import type { ReachedAccountDto } from '../../accounts/account.dto.js';
import type { BalanceDto } from '../../markets/holdings/balance.dto.js';
import type { HistorySelection, PageSelection } from '../../markets/market-data/market-data.js';
import type { AmendOrderDto } from '../../markets/orders/amend-order.dto.js';
import type { CancelledOrdersDto, CancelOrdersQueryDto } from '../../markets/orders/cancel-orders.dto.js';
import type { OrderBatchDto, PlaceOrderBatchDto } from '../../markets/orders/order-batch.dto.js';
import type { OrderListDto, PlaceOrderListDto } from '../../markets/order-lists/order-list.dto.js';
import type { OrderPreviewDto } from '../../markets/orders/order-preview.dto.js';
import type { OrderDto, OrderWithFillsDto } from '../../markets/orders/order.dto.js';
import type { PlaceOrderDto } from '../../markets/orders/place-order.dto.js';
import type { ReplacedOrderDto, ReplaceOrderDto } from '../../markets/orders/replace-order.dto.js';
import type { AccountFeesDto } from '../fees/account-fees.dto.js';
import type { AccountFillDto } from '../fills/account-fill.dto.js';

/** Makes a request safe to repeat. */
export interface RepeatOptions {
  /** 1 to 255 printable ASCII characters: for 24 hours the same key and body give the first answer again. */
  readonly idempotencyKey?: string;
}

/** Which orders: those that meet every condition. */
export interface OrderSelection extends HistorySelection {
  readonly market_id?: string;
  /** One or more states of `OrderDto.status`, separated by commas: `open,partially_filled,untriggered` for live orders. */
  readonly status?: string;
  readonly client_order_id?: string;
  /** The caller's own account where it is left out. */
  readonly account_id?: string;
}

/** Which order lists. */
export interface OrderListSelection extends PageSelection {
  /** The caller's own account where it is left out. */
  readonly account_id?: string;
}

/** Which fills: those that meet every condition. */
export interface FillSelection extends HistorySelection {
  readonly market_id?: string;
  /** The caller's own account where it is left out. */
  readonly account_id?: string;
}

/**
 * Gets what happens in an account. Its methods are called in the order of the commits, and must return at once; one that
 * throws removes the listener.
 */
export interface AccountListener {
  /**
   * First a snapshot, in parts where it is long, or what has changed since an offset, and then an update for each
   * commit; `sequence` has no gaps.
   */
  onEvent(event: AccountEvent): void;
  /**
   * Called once, and nothing after it: the caller has no role on the account any more, the credential has ended or lost
   * its scope, or the events cannot be read. Not called after the listener was removed.
   */
  onEnd(reason: ApiError): void;
}

/**
 * Orders, fills, accounts and balances of a caller: what the routes under `/orders` and `/accounts` answer, in the same
 * shapes and by the same rules. Injectable everywhere, also in plugins.
 *
 * Every method takes the caller, as `@CurrentPrincipal()` gives it, and holds it to its scopes, its accounts, its roles
 * there and the markets that its key is bound to. Bodies and selections are validated like those of the routes, so they
 * may be what a stranger has sent. Methods reject with the `ApiError` of the route, and besides with
 * `insufficient_scope` and `validation_failed`.
 *
 * Only budgets are left to the plugin: an HTTP route takes its caller's points by `@RateLimitedAs('orders')`, and what
 * comes another way, such as a message of a socket, by `spend`, before the order.
 */
export abstract class Trading {
  /**
   * Takes points from the budget of orders that all requests of the caller's owner share: one for an order, an
   * amendment or a cancellation; all points or none. Rejects with `rate_limited`, whose headers tell when to try again.
   */
  abstract spend(caller: Principal, points?: number): Promise<void>;

  /**
   * `POST /orders`: resolves once the order and its fills are durable. `replayed` tells that `client_order_id` or the
   * key came before: then the order is as it is now.
   */
  abstract place(
    caller: Principal,
    order: PlaceOrderDto,
    options?: RepeatOptions,
  ): Promise<Replayable<OrderWithFillsDto>>;

  /** `POST /orders/batch`: up to 100 orders, each on its own; those that are refused have an `error`. */
  abstract placeBatch(
    caller: Principal,
    batch: PlaceOrderBatchDto,
    options?: RepeatOptions,
  ): Promise<Replayable<OrderBatchDto>>;

  /** `POST /orders/preview`: what `place` would do, without doing it. */
  abstract preview(caller: Principal, order: PlaceOrderDto): Promise<OrderPreviewDto>;

  /**
   * `POST /orders/{order_id}/replace`: cancels the order and places another one, in one command. With a `total_size`, both
   * never fill more than that.
   */
  abstract replace(
    caller: Principal,
    orderId: string,
    order: ReplaceOrderDto,
    options?: RepeatOptions,
  ): Promise<Replayable<ReplacedOrderDto>>;

  /** `PATCH /orders/{order_id}`. */
  abstract amend(caller: Principal, orderId: string, amendment: AmendOrderDto): Promise<OrderWithFillsDto>;

  /** `DELETE /orders/{order_id}`: rejects with `order_not_open` where the order has ended. */
  abstract cancel(caller: Principal, orderId: string): Promise<OrderWithFillsDto>;

  /** As `cancel`, by the id that its placer gave the order. */
  abstract cancelByClientOrderId(
    caller: Principal,
    clientOrderId: string,
    accountId?: string,
  ): Promise<OrderWithFillsDto>;

  /** `DELETE /orders`: the orders of `market_id`, or with `all: true` those of every market that the caller trades on. */
  abstract cancelAll(
    caller: Principal,
    which: Readonly<Partial<CancelOrdersQueryDto>>,
  ): Promise<CancelledOrdersDto>;

  /** `GET /orders/{order_id}`. */
  abstract order(caller: Principal, orderId: string): Promise<OrderWithFillsDto>;

  /** As `order`, by the id that its placer gave it. Rejects with `order_not_found`. */
  abstract orderByClientOrderId(
    caller: Principal,
    clientOrderId: string,
    accountId?: string,
  ): Promise<OrderWithFillsDto>;

  /** `GET /orders`: newest first, without their fills; a page may be short, and still have a next one. */
  abstract orders(caller: Principal, selection?: OrderSelection): Promise<Page<OrderDto>>;

  /** `POST /order-lists`: a pair of exits, or a bracket. `replayed` as in `place`. */
  abstract placeList(
    caller: Principal,
    list: PlaceOrderListDto,
    options?: RepeatOptions,
  ): Promise<Replayable<OrderListDto>>;

  /** `GET /order-lists/{order_list_id}`. */
  abstract orderList(caller: Principal, orderListId: string): Promise<OrderListDto>;

  /** `GET /order-lists`: newest first, of the caller's own account where no other is named. */
  abstract orderLists(caller: Principal, selection?: OrderListSelection): Promise<Page<OrderListDto>>;

  /** `DELETE /order-lists/{order_list_id}`: rejects with `order_list_not_open` where all its orders have ended. */
  abstract cancelList(caller: Principal, orderListId: string): Promise<OrderListDto>;

  /**
   * `GET /markets/{market_id}/fills`, or of all markets: newest first, settlements included. Its cursors lead to what is older. To
   * follow what comes, and miss none, use a `LedgerConsumer`, or `follow` for one account.
   */
  abstract fills(caller: Principal, selection?: FillSelection): Promise<Page<AccountFillDto>>;

  /** `GET /accounts`: newest first, the caller's own and those of others on which the caller has a role. */
  abstract accounts(caller: Principal, selection?: PageSelection): Promise<Page<ReachedAccountDto>>;

  /** `GET /accounts/{account_id}/balances`: in order of the assets; `me` is the caller's own account. */
  abstract balances(
    caller: Principal,
    accountId: string,
    selection?: PageSelection,
  ): Promise<Page<BalanceDto>>;

  /** `GET /accounts/{account_id}/fees`: the rates in each market, in order of the markets; `me` as in `balances`. */
  abstract fees(
    caller: Principal,
    accountId: string,
    selection?: PageSelection,
  ): Promise<Page<AccountFeesDto>>;

  /**
   * The events of `GET /accounts/{account_id}/stream`, as they are committed: from a snapshot on, or from the changes
   * after `offset`, the last sequence that the listener has. Resolves with what removes the listener, once it was told
   * of the account as it is. A listener that passes events on to a slow client must hold no more than it has room for.
   * A log-out and the end of the former half of a rotated key do not end it: the plugin that let the caller in checks
   * these.
   */
  abstract follow(
    caller: Principal,
    accountId: string,
    listener: AccountListener,
    offset?: number,
  ): Promise<() => void>;
}
