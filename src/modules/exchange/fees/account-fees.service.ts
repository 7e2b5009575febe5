import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { MarketView } from '../../../core/core.types.js';
import type { ProposedOrder } from '../../markets/policies/fee-policy.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { AccountTier } from '../../markets/fees/fee-tier.js';
import { FeeTiers } from '../../markets/fees/fee-tiers.service.js';
import { OrderPolicies } from '../../markets/orders/order-policies.js';
import { type AccountFeesDto, toAccountFeesDto } from './account-fees.dto.js';

/** The fee rates of accounts. */
@Injectable()
export class AccountFeesService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly policies: OrderPolicies,
    private readonly tiers: FeeTiers,
  ) {}

  /** In order of the markets. Throws `account_not_found`, `invalid_cursor`, and what a fee policy throws. */
  async list(principal: Principal, account: string, query: PageQueryDto): Promise<Page<AccountFeesDto>> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const [after] = decodeCursor(query.cursor, ['text']) ?? [''];
    const markets: MarketView[] = [];
    for (const market of this.core.markets()) {
      if (market.definition.marketId > after) markets.push(market);
      if (markets.length > query.limit) break;
    }
    const tierIn = await this.tiers.renewed(accountId);
    const page = pageOf(
      markets,
      query.limit,
      ({ definition }) => [definition.marketId],
      (market) => this.describe(accountId, market, tierIn(market.definition.quoteAsset)),
    );
    return { data: await Promise.all(page.data), next_cursor: page.next_cursor };
  }

  private async describe(accountId: number, market: MarketView, tier: AccountTier): Promise<AccountFeesDto> {
    const { definition } = market;
    const rates = await this.policies.ratesByPolicy(smallestOrder(accountId, market), definition);
    if (rates === null) return toAccountFeesDto(definition, tier.rates, tier);
    return toAccountFeesDto(definition, rates, { ...tier, ...NO_SCHEDULE });
  }
}

/** Schedules do not apply where the policy of a plugin decides. */
const NO_SCHEDULE = { schedule: null, nextTier: null } as const;

/** An order that says nothing beside whose it is and where. */
function smallestOrder(accountId: number, { definition, lastPriceTicks }: MarketView): ProposedOrder {
  return {
    accountId,
    marketId: definition.marketId,
    side: 'buy',
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks: lastPriceTicks ?? definition.priceMinTicks,
    stopPriceTicks: null,
    sizeLots: definition.minSizeLots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
  };
}
