import { randomUUID } from 'node:crypto';
import { REFUSALS, ApiError, type MarketData, type MarketDto } from '../../../src/index.js';
import type { Client } from '../client.js';
import type { Field } from '../codec/fields.js';
import type { FixMessage } from '../codec/fix-message.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';

const PAGE = 100;

/** Values of SecurityListRequestType (559). */
const ONE_SYMBOL = '0';
const ALL = '4';

/** Values of SecurityRequestResult (560). */
const RESULT = { valid: '0', unsupported: '1', none: '2' } as const;

/** The markets, for one client. */
export class SecurityList {
  constructor(
    private readonly data: MarketData,
    private readonly client: Client,
  ) {}

  /** SecurityListRequest. Throws `RejectedField`. */
  async take({ fields }: FixMessage): Promise<void> {
    const id = fields.requiredText(TAG.SecurityReqID);
    const type = fields.requiredText(TAG.SecurityListRequestType);
    if (type === ONE_SYMBOL) {
      await this.sendOne(id, fields.requiredText(TAG.Symbol));
    } else if (type === ALL) {
      await this.sendAll(id);
    } else {
      this.send(id, RESULT.unsupported, []);
    }
  }

  private async sendOne(id: string, marketId: string): Promise<void> {
    try {
      this.send(id, RESULT.valid, [await this.data.market(marketId)]);
    } catch (error) {
      if (!ApiError.is(error, REFUSALS.market_not_found)) throw error;
      this.send(id, RESULT.none, []);
    }
  }

  private async sendAll(id: string): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await this.data.markets({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
      cursor = page.next_cursor ?? undefined;
      this.send(id, RESULT.valid, page.data, cursor === undefined);
      await this.client.caughtUp();
    } while (cursor !== undefined);
  }

  private send(id: string, result: string, markets: readonly MarketDto[], isLast = true): void {
    this.client.sendUnkept(MSG_TYPE.SecurityList, [
      [TAG.SecurityReqID, id],
      [TAG.SecurityResponseID, randomUUID()],
      [TAG.SecurityRequestResult, result],
      [TAG.LastFragment, isLast ? 'Y' : 'N'],
      ...(markets.length === 0 ? [] : [[TAG.NoRelatedSym, String(markets.length)] as const]),
      ...markets.flatMap(securityOf),
    ]);
  }
}

function securityOf(market: MarketDto): Field[] {
  return [
    [TAG.Symbol, market.market_id],
    [TAG.SecurityDesc, market.title],
    [TAG.Currency, market.quote_asset],
    [TAG.RoundLot, market.lot_size],
    [TAG.MinTradeVol, market.min_size],
  ];
}
