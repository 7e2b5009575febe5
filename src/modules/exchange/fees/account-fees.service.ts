import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { MarketView } from '../../../core/core.types.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { ConcurrencyLimit } from '../../../platform/concurrency-limit.js';
import type { FeeRateOverride, ProposedOrder } from '../../../platform/extension/fee-policy.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../platform/http/pagination.js';
import type { Principal } from '../../../platform/security/principal.js';
import { AccountAccessService } from '../../core-access/account-access.service.js';
import { MomentsService } from '../../core-access/moments.service.js';
import { OrderPolicies } from '../../markets/orders/order-policies.js';
import { type AccountFeesDto, toAccountFeesDto } from './account-fees.dto.js';

/** How many volumes are summed up at a time, so that those of busy accounts leave room to everybody else. */
const SUMMING_MAX = 2;
const WAITING_TO_SUM_MAX = 200;
const VOLUME_MS = 30 * 24 * 60 * 60 * 1_000;

/** By quote asset, what an account traded after a sequence. Ticks and lots have 18 decimals together, so nothing is rounded. */
const VOLUMES = `
  WITH traded AS (
    SELECT market_id, price_ticks, size_lots FROM trades WHERE maker_account_id = $1 AND trade_id > $2
    UNION ALL
    SELECT market_id, price_ticks, size_lots FROM trades WHERE taker_account_id = $1 AND trade_id > $2
  ), by_market AS (
    SELECT market_id, sum(price_ticks::numeric * size_lots) AS steps FROM traded GROUP BY market_id
  )
  SELECT m.quote_asset, sum(div(b.steps * m.tick_size * m.lot_size, 1e18::numeric))::text AS volume
  FROM by_market b JOIN markets m USING (market_id) GROUP BY m.quote_asset`;

/** The fee rates of accounts. */
@Injectable()
export class AccountFeesService {
  private readonly summing = new ConcurrencyLimit(SUMMING_MAX, WAITING_TO_SUM_MAX);

  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly moments: MomentsService,
    private readonly policies: OrderPolicies,
    private readonly reads: ReadPool,
  ) {}

  /** In order of the markets. Throws `account_not_found`, `invalid_cursor`, and what the exchange's fee policy throws. */
  async list(principal: Principal, account: string, query: PageQueryDto): Promise<Page<AccountFeesDto>> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const [after] = decodeCursor(query.cursor, ['text']) ?? [''];
    const markets: MarketView[] = [];
    for (const market of this.core.markets()) {
      if (market.definition.marketId > after) markets.push(market);
      if (markets.length > query.limit) break;
    }
    const volumes = await this.summing.take(() => this.volumesOf(accountId));
    const page = pageOf(
      markets,
      query.limit,
      ({ definition }) => [definition.marketId],
      async (market) =>
        toAccountFeesDto(
          market.definition,
          await this.ratesOf(accountId, market),
          volumes.get(market.definition.quoteAsset),
        ),
    );
    return { data: await Promise.all(page.data), next_cursor: page.next_cursor };
  }

  /** By quote asset; costs as much as the account has traded in the time. */
  private async volumesOf(accountId: number): Promise<ReadonlyMap<string, bigint>> {
    const after = await this.moments.sequenceBefore(Date.now() - VOLUME_MS);
    await this.core.projected();
    const rows = await this.reads.read((manager) =>
      manager.query<{ quote_asset: string; volume: string }[]>(VOLUMES, [accountId, after]),
    );
    return new Map(rows.map(({ quote_asset, volume }) => [quote_asset, BigInt(volume)]));
  }

  /** The default policy needs not be asked. */
  private async ratesOf(accountId: number, market: MarketView): Promise<FeeRateOverride | null> {
    return this.policies.areDefaults
      ? null
      : this.policies.ratesFor(smallestOrder(accountId, market), market.definition);
  }
}

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
