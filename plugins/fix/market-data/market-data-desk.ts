import { ApiError, REFUSALS, type MarketData } from '../../../src/index.js';
import type { Client } from '../client.js';
import type { FixMessage } from '../codec/fix-message.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import { ENTRY_TYPE, MarketSubscription, type MarketQuery } from './market-subscription.js';

const DEPTH_MAX = 1_000;
/** Markets that one session may follow at a time. */
const SUBSCRIPTIONS_MAX = 100;

/** Values of SubscriptionRequestType (263). */
const REQUEST_TYPE = { 0: 'snapshot', 1: 'subscribe', 2: 'unsubscribe' } as const;
const INCREMENTAL = '1';
const SUPPORTED_TYPES = new Set<string>(Object.values(ENTRY_TYPE));

/** Values of MDReqRejReason (281). */
const REJ_REASON = {
  unknownSymbol: '0',
  duplicateRequest: '1',
  tooMany: '2',
  unsupportedRequestType: '4',
  unsupportedDepth: '5',
  unsupportedUpdateType: '6',
  unsupportedEntryType: '8',
} as const;

/** Members of NoRelatedSym (146) that a request may have. */
const SYMBOL_GROUP = [TAG.Symbol, 65, 48, 22, 460, 461, 167, 207, TAG.Currency];

class RefusedRequest extends Error {
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** Books and trades of markets, for one client. */
export class MarketDataDesk {
  /** By MDReqID, one for each market. */
  private readonly subscriptions = new Map<string, readonly MarketSubscription[]>();
  private hasEnded = false;

  constructor(
    private readonly data: MarketData,
    private readonly client: Client,
  ) {}

  end(): void {
    this.hasEnded = true;
    for (const id of this.subscriptions.keys()) this.unsubscribe(id);
  }

  /** MarketDataRequest. Throws `RejectedField`. */
  async take(message: FixMessage): Promise<void> {
    const { fields } = message;
    const id = fields.requiredText(TAG.MDReqID);
    const type = fields.required(TAG.SubscriptionRequestType, (each, tag) => each.choice(tag, REQUEST_TYPE));
    try {
      if (type === 'unsubscribe') {
        if (!this.unsubscribe(id))
          throw new RefusedRequest(REJ_REASON.unsupportedRequestType, NO_SUCH_REQUEST);
        return;
      }
      await this.begin(id, await this.queriesOf(message, id), type === 'subscribe');
    } catch (error) {
      this.refuse(id, error);
    }
  }

  private async begin(id: string, queries: readonly MarketQuery[], isFollowed: boolean): Promise<void> {
    if (this.hasEnded) return;
    const subscriptions = queries.map(
      (query) => new MarketSubscription(this.data, this.client, query, () => this.break(id)),
    );
    if (isFollowed) this.subscriptions.set(id, subscriptions);
    try {
      for (const subscription of subscriptions) {
        await this.client.pace();
        await subscription.begin(isFollowed);
        await this.client.caughtUp();
      }
    } catch (error) {
      this.unsubscribe(id);
      throw error;
    }
  }

  /** Throws `RefusedRequest` and `market_not_found`. */
  private async queriesOf({ fields }: FixMessage, id: string): Promise<MarketQuery[]> {
    const depth = fields.required(TAG.MarketDepth, (each, tag) => each.sequence(tag));
    const types = fields.required(TAG.NoMDEntryTypes, (each, tag) => each.group(tag, [TAG.MDEntryType]));
    const symbols = fields.required(TAG.NoRelatedSym, (each, tag) => each.group(tag, SYMBOL_GROUP));
    const isFollowed = fields.text(TAG.SubscriptionRequestType) === '1';
    if (isFollowed && this.subscriptions.has(id)) {
      throw new RefusedRequest(REJ_REASON.duplicateRequest, 'There is a subscription with this MDReqID.');
    }
    if (isFollowed && fields.text(TAG.MDUpdateType) !== INCREMENTAL) {
      throw new RefusedRequest(REJ_REASON.unsupportedUpdateType, 'MDUpdateType must be 1.');
    }
    const count = [...this.subscriptions.values()].reduce((sum, each) => sum + each.length, symbols.length);
    if (count > SUBSCRIPTIONS_MAX) {
      throw new RefusedRequest(REJ_REASON.tooMany, `At most ${SUBSCRIPTIONS_MAX} markets at a time.`);
    }
    if (depth > DEPTH_MAX) {
      throw new RefusedRequest(REJ_REASON.unsupportedDepth, `MarketDepth must be at most ${DEPTH_MAX}.`);
    }
    if (symbols.length === 0) throw new RefusedRequest(REJ_REASON.unknownSymbol, 'No market is named.');
    const entryTypes = new Set(types.map((type) => type.requiredText(TAG.MDEntryType)));
    for (const type of entryTypes) {
      if (!SUPPORTED_TYPES.has(type)) {
        throw new RefusedRequest(REJ_REASON.unsupportedEntryType, `MDEntryType ${type} is not supported.`);
      }
    }
    const marketIds = new Set(symbols.map((symbol) => symbol.requiredText(TAG.Symbol)));
    for (const marketId of marketIds) await this.data.market(marketId);
    return [...marketIds].map((marketId) => ({
      requestId: id,
      marketId,
      depth: depth === 0 ? DEPTH_MAX : depth,
      entryTypes,
    }));
  }

  private unsubscribe(id: string): boolean {
    for (const subscription of this.subscriptions.get(id) ?? []) subscription.end();
    return this.subscriptions.delete(id);
  }

  private break(id: string): void {
    if (!this.unsubscribe(id)) return;
    this.refuse(id, new RefusedRequest(REJ_REASON.tooMany, 'Something was missed: subscribe again.'));
  }

  /** MarketDataRequestReject. Throws again what is no refusal. */
  private refuse(id: string, error: unknown): void {
    const refusal = ApiError.is(error, REFUSALS.market_not_found)
      ? new RefusedRequest(REJ_REASON.unknownSymbol, error.message)
      : error;
    if (!(refusal instanceof RefusedRequest)) throw error;
    this.client.sendUnkept(MSG_TYPE.MarketDataRequestReject, [
      [TAG.MDReqID, id],
      [TAG.MDReqRejReason, refusal.reason],
      [TAG.Text, refusal.message],
    ]);
  }
}

const NO_SUCH_REQUEST = 'There is no subscription with this MDReqID.';
