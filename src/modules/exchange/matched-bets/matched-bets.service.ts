import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, type Repository } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import type { AcceptQuote } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { quotedOrder } from '../../../domain/engine/quotes.js';
import { MATCHED_BET_NOT_FOUND } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { decodeCursor, type Page, type Filter, filteredPageOf } from '../../../kit/http/pagination.js';
import { requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { type GatedOrder, OrderGate } from '../../limits/order-gate.js';
import { MarketCatalogService } from '../../markets/market-data/market-catalog.service.js';
import { OrderPolicies } from '../../markets/orders/order-policies.js';
import { OrderFillsService } from '../../markets/orders/order-fills.service.js';
import { toSnapshot } from '../../markets/orders/order.dto.js';
import { OrderEntity } from '../../markets/orders/order.entity.js';
import { QuotedTermsReader } from '../quotes/quoted-terms.js';
import {
  type AcceptQuoteDto,
  type ListMatchedBetsQueryDto,
  type MatchedBetDto,
  type MatchedBetPreviewDto,
  type MatchedBetWithFillsDto,
  toMatchedBetDto,
  toMatchedBetPreviewDto,
  toMatchedBetWithFillsDto,
} from './matched-bet.dto.js';
import { MatchedBetEntity } from './matched-bet.entity.js';
import { MATCHED_BET_IDS } from '../ids.js';

/**
 * Accepted quotes. Errors of accepting one come in this order: the body, the quote, the house's risk check, repeats
 * (`idempotency_key_reused`, `quote_already_accepted`), and then the engine's refusals.
 */
@Injectable()
export class MatchedBetsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly policies: OrderPolicies,
    private readonly limits: OrderGate,
    private readonly quotes: QuotedTermsReader,
    private readonly fills: OrderFillsService,
    private readonly reads: ReadPool,
    @InjectRepository(MatchedBetEntity) private readonly bets: Repository<MatchedBetEntity>,
    @InjectRepository(OrderEntity) private readonly orders: Repository<OrderEntity>,
  ) {}

  /** Resolves once the bet and its fills are durable. */
  async accept(
    principal: Principal,
    body: AcceptQuoteDto,
    key: string | undefined,
  ): Promise<Replayable<MatchedBetWithFillsDto>> {
    const gated = await this.commandOf(principal, body);
    const { accountId, quoteId } = gated.command;
    const idempotency = idempotencyOf(principal, key, '/matched-bets', body);
    const { outcomes, replayed } = await this.limits.submit(principal, [gated], {
      idempotency,
      actor: actorOf(principal),
    });
    const [outcome] = outcomes;
    if (outcome?.ok === true && outcome.result.type === 'order_reference') {
      await this.core.projected();
      const bet = await this.read(accountId, outcome.result.orderId, quoteId);
      return { body: bet, replayed: replayed[0]! };
    }
    const { order, fills } = resultOf(outcome, 'order');
    return { body: toMatchedBetWithFillsDto(order, quoteId, fills, gated.market), replayed: false };
  }

  /** What `accept` would do, without doing it. Throws what it throws. */
  async preview(principal: Principal, body: AcceptQuoteDto): Promise<MatchedBetPreviewDto> {
    const gated = await this.commandOf(principal, body);
    const preview = await this.limits.preview(principal, gated);
    if (isRefusal(preview)) throw errorOf(preview);
    return toMatchedBetPreviewDto(preview, gated.command, gated.market);
  }

  /** Throws `matched_bet_not_found`. */
  async get(principal: Principal, id: string): Promise<MatchedBetWithFillsDto> {
    const orderId = MATCHED_BET_IDS.parse(id);
    await this.core.projected();
    const bet = orderId === undefined ? null : await this.findInAccounts(principal, orderId);
    if (bet === null || !(await this.access.reaches(principal, bet.accountId, 'read'))) {
      throw new ApiError(MATCHED_BET_NOT_FOUND, 'There is no such matched bet. See GET /matched-bets.');
    }
    return this.read(bet.accountId, bet.orderId, bet.quoteId);
  }

  /**
   * Newest first, without their fills. With a market to look for, a page may be shorter than its limit, even
   * empty, and still have a next one. Throws `account_not_found`, `invalid_cursor`.
   */
  async list(principal: Principal, query: ListMatchedBetsQueryDto): Promise<Page<MatchedBetDto>> {
    const accountId = await this.access.accountIdOf(principal, query.account_id, 'read');
    const before = decodeCursor(query.cursor, ['integer'])?.[0];
    await this.core.projected();
    const filters: Filter[] =
      query.market_id === undefined ? [] : [['b.market_id = :marketId', { marketId: query.market_id }]];
    return this.reads.read(async (manager) => {
      const selection = manager
        .createQueryBuilder(MatchedBetEntity, 'b')
        .where('b.account_id = :accountId', { accountId });
      if (before !== undefined) selection.andWhere('b.order_id < :before', { before });
      const page = await filteredPageOf(selection, {
        key: 'b.orderId',
        keyOf: ({ orderId }) => orderId,
        filters,
        limit: query.limit,
        toItem: (bet) => bet,
      });
      return { data: await this.describe(manager, accountId, page.data), next_cursor: page.next_cursor };
    });
  }

  /**
   * The command of a validated body. The house agreed to the fee rates when it quoted them, so its policy is
   * not asked again. Throws `quote_not_found`, `market_not_allowed`, `risk_refused`.
   */
  private async commandOf(principal: Principal, body: AcceptQuoteDto): Promise<GatedOrder<AcceptQuote>> {
    const command = await this.quotes.acceptanceOf(principal, body.quote_id);
    requireAllowedMarket(principal, command.marketId);
    const definition = this.definitionOf(command.marketId);
    if (!this.policies.areDefaults) await this.policies.review(quotedOrder(command), definition);
    return { command, market: definition };
  }

  /** The bet with its fills; it must exist. */
  private async read(accountId: number, orderId: number, quoteId: string): Promise<MatchedBetWithFillsDto> {
    const order = toSnapshot(await this.orders.findOneByOrFail({ accountId, orderId }));
    const trades = await this.fills.of(order);
    return toMatchedBetWithFillsDto(order, quoteId, trades, this.definitionOf(order.marketId));
  }

  private async describe(
    manager: EntityManager,
    accountId: number,
    bets: readonly MatchedBetEntity[],
  ): Promise<MatchedBetDto[]> {
    const orderId = In(bets.map((bet) => bet.orderId));
    const orders = await manager.findBy(OrderEntity, { accountId, orderId });
    const orderOf = new Map(orders.map((order) => [order.orderId, toSnapshot(order)]));
    return bets.map(({ orderId, quoteId, marketId }) =>
      toMatchedBetDto(orderOf.get(orderId)!, quoteId, this.definitionOf(marketId)),
    );
  }

  private async findInAccounts(principal: Principal, orderId: number): Promise<MatchedBetEntity | null> {
    if (principal.accountId !== null) {
      const bet = await this.bets.findOneBy({ accountId: principal.accountId, orderId });
      if (bet !== null) return bet;
    }
    const others = await this.access.otherAccountIds(principal);
    return others.length === 0 ? null : this.bets.findOneBy({ accountId: In(others), orderId });
  }

  private definitionOf(marketId: string): MarketDefinition {
    return this.catalog.view(marketId).definition;
  }
}
