import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CoreService } from '../../../core/core.service.js';
import { beginningOf } from '../../../kit/content/beginning.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { MarketFields } from '../market-data/market-fields.service.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import type { MarketDto } from '../market-data/market.dto.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { type SettlementDecision, SettlementsService } from '../settlements/settlements.service.js';
import { type AssetDto, type CreateAssetDto, toAssetDto } from './asset.dto.js';
import {
  type CreateMarketDto,
  toChangeMarket,
  toCreateMarket,
  type UpdateMarketDto,
} from './market-operations.dto.js';

/** What operators do to assets and markets. A repeat is answered with the asset or market as it is now. */
@Injectable()
export class MarketOperationsService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly settlements: SettlementsService,
    private readonly audit: AuditLog,
    private readonly fields: MarketFields,
  ) {}

  /** Throws `asset_exists`. */
  async createAsset(
    principal: Principal,
    body: CreateAssetDto,
    key: string | undefined,
  ): Promise<Replayable<AssetDto>> {
    const { outcomes, replayed } = await this.core.submit({
      commands: [{ type: 'create_asset', code: body.code, scale: body.scale }],
      idempotency: idempotencyOf(principal, key, '/admin/assets', body),
      actor: actorOf(principal),
      audit: this.audit.entryFor({
        target: { type: 'asset', id: body.code },
        details: { scale: body.scale },
      }),
    });
    const { code } = resultOf(outcomes[0], 'asset');
    return { body: toAssetDto(this.core.asset(code)!), replayed: replayed[0]! };
  }

  /** Throws `market_exists`, `asset_not_found`, `invalid_market`. */
  async createMarket(
    principal: Principal,
    body: CreateMarketDto,
    key: string | undefined,
  ): Promise<Replayable<MarketDto>> {
    const { outcomes, replayed } = await this.core.submit({
      commands: [toCreateMarket(body)],
      idempotency: idempotencyOf(principal, key, '/admin/markets', body),
      actor: actorOf(principal),
      audit: this.audit.entryFor({
        target: { type: 'market', id: body.market_id },
        details: { kind: body.kind, base_asset: body.base_asset, quote_asset: body.quote_asset },
      }),
    });
    const [outcome] = outcomes;
    if (outcome?.ok === false && outcome.refusal.code === 'asset_not_found') {
      throw new ApiError(
        REFUSALS.asset_not_found,
        `${outcome.refusal.message} Create it with POST /admin/assets.`,
      );
    }
    const { marketId } = resultOf(outcome, 'market');
    // A repeat writes them once more: a process may have died before the first time.
    await this.fields.change(marketId, body.fields, { isAct: false });
    return { body: await this.catalog.get(marketId, 'operators'), replayed: replayed[0]! };
  }

  /** Throws `market_not_found`, `invalid_status_change`, `invalid_market`, and what `SettlementsService.settle` throws. */
  async updateMarket(
    principal: Principal,
    marketId: string,
    body: UpdateMarketDto,
  ): Promise<{ readonly market: MarketDto; readonly decision?: SettlementDecision }> {
    const { status } = body;
    const change = toChangeMarket(marketId, body);
    if (status == null && change === undefined && body.fields !== undefined) {
      this.catalog.view(marketId);
      await this.fields.change(marketId, body.fields, { isAct: true });
      return { market: await this.catalog.get(marketId, 'operators') };
    }
    if ((status == null) === (change === undefined)) {
      const message = 'give either a status, or what else shall change';
      throw ApiError.validation([{ field: 'status', message }]);
    }
    const settlementValue = body.settlement_value ?? null;
    if ((status === 'settled') !== (settlementValue !== null)) {
      const message = `settlement_value must be ${status === 'settled' ? 'given' : 'left out'} when status is ${status ?? 'left out'}`;
      throw ApiError.validation([{ field: 'settlement_value', message }]);
    }
    if (settlementValue !== null) {
      const decision = await this.settlements.settle(principal, marketId, settlementValue);
      await this.fields.change(marketId, body.fields, { isAct: true });
      return { market: await this.catalog.get(marketId, 'operators'), decision };
    }
    this.catalog.view(marketId);
    const { outcomes } = await this.core.submit({
      commands: [change ?? { type: 'set_market_status', marketId, status: status!, settlementValue }],
      actor: actorOf(principal),
      audit: this.audit.entryFor({ target: { type: 'market', id: marketId }, details: detailsOf(body) }),
    });
    resultOf(outcomes[0], 'market');
    await this.fields.change(marketId, body.fields, { isAct: false });
    return { market: await this.catalog.get(marketId, 'operators') };
  }
}

/** What is changed, but for a description that could be long. */
function detailsOf({ description, ...changes }: UpdateMarketDto): Readonly<Record<string, unknown>> {
  return description == null ? changes : { ...changes, description: beginningOf(description, 100) };
}
