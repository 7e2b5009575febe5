import { ErrorCode } from '../../../kit/http/error-code.js';
import { randomUUID } from 'node:crypto';
import { Injectable, type Type } from '@nestjs/common';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { parseIdempotencyKey } from '../../../kit/http/idempotency/idempotency-key.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { BodyFields } from '../../../kit/http/validation/body-fields.js';
import { CompiledValidationPipe } from '../../../kit/http/validation/compiled-validation.pipe.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { insufficientScope } from '../../../kit/security/challenges.js';
import type { Principal } from '../../../kit/security/principal.js';
import { grants, type ScopeRequirement } from '../../../kit/security/scope.js';
import { Boundary } from '../../../kit/tracing/boundary.js';
import { InFlight } from '../../../kit/turns/in-flight.js';
import { handleFor, ownerOfPrincipal, presentCaller, registrationRootOf } from '../../../kit/turns/owner.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import type { ReachedAccountDto } from '../../accounts/account.dto.js';
import { AccountsService } from '../../accounts/accounts.service.js';
import { HoldingsService } from '../../markets/holdings/holdings.service.js';
import type { BalanceDto } from '../../markets/holdings/balance.dto.js';
import type { PageSelection } from '../../markets/market-data/market-data.js';
import { AmendOrderDto } from '../../markets/orders/amend-order.dto.js';
import {
  type CancelledOrdersDto,
  CancelListedOrdersDto,
  CancelOrdersQueryDto,
} from '../../markets/orders/cancel-orders.dto.js';
import { type OrderBatchDto, PlaceOrderBatchDto } from '../../markets/orders/order-batch.dto.js';
import {
  ListOrderListsQueryDto,
  type OrderListDto,
  PlaceOrderListDto,
} from '../../markets/order-lists/order-list.dto.js';
import { OrderListsService } from '../../markets/order-lists/order-lists.service.js';
import { OrderCancellationService } from '../../markets/orders/order-cancellation.service.js';
import { OrderEntryService } from '../../markets/orders/order-entry.service.js';
import { OrderHistoryService } from '../../markets/orders/order-history.service.js';
import type { OrderPreviewDto } from '../../markets/orders/order-preview.dto.js';
import { READ_TRADING_REQUIREMENT, TRADE_REQUIREMENT } from '../../markets/orders/order-requirements.js';
import { ListOrdersQueryDto, type OrderDto, type OrderWithFillsDto } from '../../markets/orders/order.dto.js';
import { PlaceOrderDto } from '../../markets/orders/place-order.dto.js';
import { type ReplacedOrderDto, ReplaceOrderDto } from '../../markets/orders/replace-order.dto.js';
import type { AccountFeesDto } from '../fees/account-fees.dto.js';
import { AccountFeesService } from '../fees/account-fees.service.js';
import {
  type AccountFillDto,
  ListAccountFillsQueryDto,
  ListFillsQueryDto,
} from '../fills/account-fill.dto.js';
import { FillsService } from '../fills/fills.service.js';
import { FollowedAccounts } from './followed-accounts.js';
import { Trading } from './trading.js';
import type {
  AccountListener,
  FillSelection,
  OrderListSelection,
  OrderSelection,
  RepeatOptions,
} from './trading.js';

const calls = new Boundary('server');

/** Calls the services of the routes, after the checks that guards and pipes do for these. */
@Injectable()
export class TradingService extends Trading {
  private readonly rules: CompiledValidationPipe;

  constructor(
    private readonly entry: OrderEntryService,
    private readonly cancellation: OrderCancellationService,
    private readonly history: OrderHistoryService,
    private readonly lists: OrderListsService,
    private readonly accountFills: FillsService,
    private readonly accountFees: AccountFeesService,
    private readonly reachedAccounts: AccountsService,
    private readonly holdings: HoldingsService,
    private readonly access: AccountAccessService,
    private readonly followed: FollowedAccounts,
    private readonly limits: RateLimits,
    private readonly inFlight: InFlight,
    fields: BodyFields,
  ) {
    super();
    this.rules = new CompiledValidationPipe(fields);
  }

  override async spend(caller: Principal, points = 1): Promise<void> {
    await this.limits.consume('orders', registrationRootOf(caller), points);
  }

  override async place(
    caller: Principal,
    order: PlaceOrderDto,
    options?: RepeatOptions,
  ): Promise<Replayable<OrderWithFillsDto>> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.entry.place(caller, await this.body(PlaceOrderDto, order), keyIn(options)),
    );
  }

  override async placeBatch(
    caller: Principal,
    batch: PlaceOrderBatchDto,
    options?: RepeatOptions,
  ): Promise<Replayable<OrderBatchDto>> {
    return this.handled(caller, TRADE_REQUIREMENT, async () => {
      const body = await this.body(PlaceOrderBatchDto, batch);
      return this.entry.placeBatch(caller, body, keyIn(options), randomUUID());
    });
  }

  override async preview(caller: Principal, order: PlaceOrderDto): Promise<OrderPreviewDto> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.entry.preview(caller, await this.body(PlaceOrderDto, order)),
    );
  }

  override async replace(
    caller: Principal,
    orderId: string,
    order: ReplaceOrderDto,
    options?: RepeatOptions,
  ): Promise<Replayable<ReplacedOrderDto>> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.entry.replace(
        caller,
        textOf(orderId, 'order_id'),
        await this.body(ReplaceOrderDto, order),
        keyIn(options),
      ),
    );
  }

  override async amend(
    caller: Principal,
    orderId: string,
    amendment: AmendOrderDto,
  ): Promise<OrderWithFillsDto> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.entry.amend(caller, textOf(orderId, 'order_id'), await this.body(AmendOrderDto, amendment)),
    );
  }

  override async cancel(caller: Principal, orderId: string): Promise<OrderWithFillsDto> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.cancellation.cancel(caller, textOf(orderId, 'order_id')),
    );
  }

  override async cancelByClientOrderId(
    caller: Principal,
    clientOrderId: string,
    accountId?: string,
  ): Promise<OrderWithFillsDto> {
    return this.handled(caller, TRADE_REQUIREMENT, async () => {
      const named = { client_order_ids: [clientOrderId], account_id: accountId };
      const body = await this.body(CancelListedOrdersDto, named);
      const answer = await this.cancellation.cancelListed(caller, body, undefined, randomUUID());
      const { order, status, error } = answer.body.results[0]!;
      if (order === undefined) throw new ApiError(new ErrorCode(error!.code, status), error!.message);
      return order;
    });
  }

  override async cancelAll(
    caller: Principal,
    which: Readonly<Partial<CancelOrdersQueryDto>>,
  ): Promise<CancelledOrdersDto> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.cancellation.cancelAll(caller, await this.query(CancelOrdersQueryDto, which)),
    );
  }

  override async order(caller: Principal, orderId: string): Promise<OrderWithFillsDto> {
    return this.handled(caller, READ_TRADING_REQUIREMENT, async () =>
      this.history.get(caller, textOf(orderId, 'order_id')),
    );
  }

  override async orderByClientOrderId(
    caller: Principal,
    clientOrderId: string,
    accountId?: string,
  ): Promise<OrderWithFillsDto> {
    const { data } = await this.orders(caller, {
      // Left out, it would select every order.
      client_order_id: textOf(clientOrderId, 'client_order_id'),
      account_id: accountId,
    });
    if (data.length === 0)
      throw new ApiError(
        REFUSALS.order_not_found,
        'There is no order with this client_order_id. See GET /orders.',
      );
    return this.history.get(caller, data[0]!.order_id);
  }

  override async orders(caller: Principal, selection: OrderSelection = {}): Promise<Page<OrderDto>> {
    return this.handled(caller, READ_TRADING_REQUIREMENT, async () =>
      this.history.list(caller, await this.query(ListOrdersQueryDto, selection)),
    );
  }

  override async placeList(
    caller: Principal,
    list: PlaceOrderListDto,
    options?: RepeatOptions,
  ): Promise<Replayable<OrderListDto>> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.lists.place(caller, await this.body(PlaceOrderListDto, list), keyIn(options)),
    );
  }

  override async orderList(caller: Principal, orderListId: string): Promise<OrderListDto> {
    return this.handled(caller, READ_TRADING_REQUIREMENT, async () =>
      this.lists.get(caller, textOf(orderListId, 'order_list_id')),
    );
  }

  override async orderLists(
    caller: Principal,
    selection: OrderListSelection = {},
  ): Promise<Page<OrderListDto>> {
    return this.handled(caller, READ_TRADING_REQUIREMENT, async () =>
      this.lists.list(caller, await this.query(ListOrderListsQueryDto, selection)),
    );
  }

  override async cancelList(caller: Principal, orderListId: string): Promise<OrderListDto> {
    return this.handled(caller, TRADE_REQUIREMENT, async () =>
      this.lists.cancel(caller, textOf(orderListId, 'order_list_id')),
    );
  }

  override async fills(caller: Principal, selection: FillSelection = {}): Promise<Page<AccountFillDto>> {
    return this.handled(caller, READ_TRADING_REQUIREMENT, async () => {
      const { market_id: marketId, account_id: accountId = 'me', ...which } = selection;
      if (marketId === undefined) {
        const query = await this.query(ListAccountFillsQueryDto, which);
        return this.accountFills.listOfAccount(caller, textOf(accountId, 'account_id'), query);
      }
      const query = await this.query(ListFillsQueryDto, { ...which, account_id: accountId });
      return this.accountFills.list(caller, textOf(marketId, 'market_id'), query);
    });
  }

  override async accounts(
    caller: Principal,
    selection: PageSelection = {},
  ): Promise<Page<ReachedAccountDto>> {
    return this.handled(caller, ACCOUNT_REQUIREMENT, async () =>
      this.reachedAccounts.list(caller, await this.query(PageQueryDto, selection)),
    );
  }

  override async balances(
    caller: Principal,
    accountId: string,
    selection: PageSelection = {},
  ): Promise<Page<BalanceDto>> {
    return this.handled(caller, ACCOUNT_REQUIREMENT, async () => {
      const query = await this.query(PointInTimeQueryDto, selection);
      return this.holdings.listBalances(caller, textOf(accountId, 'account_id'), query);
    });
  }

  override async fees(
    caller: Principal,
    accountId: string,
    selection: PageSelection = {},
  ): Promise<Page<AccountFeesDto>> {
    return this.handled(caller, ACCOUNT_REQUIREMENT, async () => {
      const query = await this.query(PageQueryDto, selection);
      return this.accountFees.list(caller, textOf(accountId, 'account_id'), query);
    });
  }

  override async follow(
    caller: Principal,
    accountId: string,
    listener: AccountListener,
    offset?: number,
  ): Promise<() => void> {
    return this.handled(caller, ACCOUNT_REQUIREMENT, async () => {
      const reached = await this.access.accountIdOf(caller, textOf(accountId, 'account_id'), 'read');
      return this.followed.follow(caller, reached, listener, offset);
    });
  }

  /** Does what a route does before it calls its service: counts it for the caller, in whose turn it waits. */
  private async handled<Result>(
    caller: Principal,
    requirement: ScopeRequirement,
    handle: () => Promise<Result>,
  ): Promise<Result> {
    requireScopes(caller, requirement);
    const isOrder = requirement === TRADE_REQUIREMENT;
    const present = presentCaller();
    if (present?.flight !== undefined) {
      // A route of a plugin, which is counted already.
      present.isOrder ||= isOrder;
      return handle();
    }
    const flight = this.inFlight.begin(ownerOfPrincipal(caller));
    try {
      await flight.turn;
      return await handleFor({ user: caller, isOrder }, () => calls.run('call of a plugin', handle));
    } finally {
      flight.end();
    }
  }

  private body<Body>(type: Type<Body>, body: unknown): Promise<Body> {
    return this.validated('body', type, body);
  }

  private query<Query>(type: Type<Query>, selection: object): Promise<Query> {
    return this.validated('query', type, selection);
  }

  private async validated<Dto>(kind: 'body' | 'query', type: Type<Dto>, value: unknown): Promise<Dto> {
    return (await this.rules.transform(withoutUndefined(value), {
      type: kind,
      metatype: type,
      data: undefined,
    })) as Dto;
  }
}

/** What is undefined is left out, so that defaults count; JSON has none. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

/** An id that is no field of a body, and may come from a stranger as well. Throws `validation_failed` (400). */
function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw ApiError.validation([{ field, message: `${field} must be a string` }]);
}

function keyIn(options: RepeatOptions | undefined): string | undefined {
  return parseIdempotencyKey(options?.idempotencyKey);
}

/** Throws `insufficient_scope` (403). */
function requireScopes({ scopes }: Principal, requirement: ScopeRequirement): void {
  if (!grants(scopes, requirement)) throw insufficientScope(requirement);
}
