import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { EventGroupView } from '../../../core/core.types.js';
import { isRefusal } from '../../../domain/engine/context.js';
import { unitsOf } from '../../../domain/market/units.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { REFUSALS, errorOf } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { turnFor } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { registrationRootOf } from '../../../kit/turns/owner.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { OrderGate } from '../../limits/order-gate.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { toSizeLots } from '../orders/order-command.js';
import {
  type CreateEventGroupDto,
  type EventGroupDto,
  type SetsDto,
  toEventGroupDto,
  type TradedSetsDto,
} from './event-group.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** Groups of event markets that exclude each other, and trades of whole sets of their contracts. */
@Injectable()
export class EventGroupsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly limits: OrderGate,
    private readonly audit: AuditLog,
    private readonly rates: RateLimits,
  ) {}

  /** In order of their ids. Throws `invalid_cursor`. */
  list(query: PageQueryDto): Page<EventGroupDto> {
    const [after] = decodeCursor(query.cursor, ['text']) ?? [''];
    const found = this.core
      .eventGroups()
      .filter(({ groupId }) => groupId > after)
      .sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
    return pageOf(
      found,
      query.limit,
      ({ groupId }) => [groupId],
      (group) => this.describe(group),
    );
  }

  /** Throws `event_group_not_found`. */
  get(groupId: string): EventGroupDto {
    return this.describe(this.view(groupId));
  }

  /** Throws `event_group_exists`, `invalid_event_group`, `market_not_found`, `market_in_event_group`. */
  async create(
    principal: Principal,
    body: CreateEventGroupDto,
    key: string | undefined,
  ): Promise<Replayable<EventGroupDto>> {
    const { event_group_id: groupId, title, market_ids: marketIds } = body;
    const { outcomes, replayed } = await this.core.submit({
      commands: [{ type: 'create_event_group', groupId, title, marketIds }],
      idempotency: idempotencyOf(principal, key, '/admin/event-groups', body),
      actor: actorOf(principal),
      audit: this.audit.entryFor({
        target: { type: 'event_group', id: groupId },
        details: { market_ids: marketIds },
      }),
    });
    resultOf(outcomes[0], 'event_group');
    return { body: this.get(groupId), replayed: replayed[0]! };
  }

  /** Buys sets for 1 each, or sells them. Throws as an order in each of the group's markets would. */
  async trade(
    principal: Principal,
    act: 'split' | 'merge',
    {
      groupId,
      body,
      key,
    }: { readonly groupId: string; readonly body: SetsDto; readonly key: string | undefined },
  ): Promise<Replayable<TradedSetsDto>> {
    const accountId =
      body.account_id == null
        ? this.access.ownAccountId(principal)
        : await this.access.accountIdOf(principal, body.account_id, 'trade');
    const { marketIds } = this.view(groupId);
    // The guard has taken the first point.
    const points = Math.ceil(marketIds.length * POINTS.setInMarket) - 1;
    if (points > 0) {
      await this.rates.consume('orders', registrationRootOf(principal), points);
      await turnFor(points);
    }
    for (const marketId of marketIds) requireAllowedMarket(principal, marketId);
    const { definition } = this.catalog.view(marketIds[0]!);
    const { size } = unitsOf(definition);
    const sizeLots = toSizeLots(body.size, definition);
    if (isRefusal(sizeLots)) throw errorOf(sizeLots);
    const request = {
      idempotency: idempotencyOf(principal, key, `/event-groups/${groupId}/${act}`, body),
      actor: actorOf(principal),
    };
    const terms = { groupId, accountId, sizeLots };
    const { outcomes, replayed } =
      act === 'split'
        ? await this.limits.submit(
            principal,
            [{ command: { type: 'split_event_group', ...terms }, market: definition }],
            request,
          )
        : await this.core.submit({ ...request, commands: [{ type: 'merge_event_group', ...terms }] });
    resultOf(outcomes[0], 'event_group');
    const traded = {
      event_group_id: groupId,
      account_id: ACCOUNT_IDS.format(accountId),
      size: size.format(sizeLots),
    };
    return { body: traded, replayed: replayed[0]! };
  }

  private view(groupId: string): EventGroupView {
    const group = this.core.eventGroup(groupId);
    if (group === undefined)
      throw new ApiError(REFUSALS.event_group_not_found, 'There is no such event group.');
    return group;
  }

  private describe(group: EventGroupView): EventGroupDto {
    return toEventGroupDto(
      group,
      group.marketIds.map((marketId) => this.catalog.view(marketId)),
    );
  }
}
