import type { LevelDto, MarketData, TradeDto } from '../../../src/index.js';
import type { Client } from '../client.js';
import { utcTimeOfIso } from '../codec/encode.js';
import type { Field } from '../codec/fields.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import { type LevelChange, levelChanges, UPDATE_ACTION } from './book-diff.js';

/** Values of MDEntryType (269). */
export const ENTRY_TYPE = { bid: '0', offer: '1', trade: '2' } as const;

/** Trades that a client may be behind. */
const TRADES_WAITING_MAX = 1_000;
/** Entries of one message, so that every client can read it. */
const ENTRIES_MAX = 200;
const SNAPSHOT_TRADES = 20;

/** What a client has asked for. */
export interface MarketQuery {
  readonly requestId: string;
  readonly marketId: string;
  readonly depth: number;
  /** Of `ENTRY_TYPE`. */
  readonly entryTypes: ReadonlySet<string>;
}

interface Sides {
  readonly bids: readonly LevelDto[];
  readonly asks: readonly LevelDto[];
}

/**
 * A client's view of one market: a snapshot, and then what has changed since it was told last. While the client is
 * behind, changes of the book are summed up, and trades wait.
 */
export class MarketSubscription {
  private told: Sides = { bids: [], asks: [] };
  private trades: TradeDto[] = [];
  /** The last trade of the snapshot. */
  private lastTradeId = '';
  private isStale = false;
  private isTelling = true;
  private hasEnded = false;
  private stopFollowing: () => void = () => undefined;

  constructor(
    private readonly data: MarketData,
    private readonly client: Client,
    private readonly query: MarketQuery,
    /** Something was missed, or could not be read: the client must subscribe again. */
    private readonly onBreak: () => void,
  ) {}

  /** Sends the snapshot, and what comes after it where that `isFollowed`. */
  async begin(isFollowed: boolean): Promise<void> {
    const { marketId, requestId } = this.query;
    // It may end while others of its request begin.
    if (this.hasEnded) return;
    if (isFollowed) this.follow();
    const trades = this.wantsTrades
      ? (await this.data.trades(marketId, { limit: SNAPSHOT_TRADES })).data
      : [];
    this.lastTradeId = trades[0]?.trade_id ?? '';
    this.told = await this.sides();
    const entries = [
      ...this.told.bids.map((level) => levelEntry(ENTRY_TYPE.bid, level)),
      ...this.told.asks.map((level) => levelEntry(ENTRY_TYPE.offer, level)),
      ...trades.map(tradeEntry),
    ];
    this.client.sendUnkept(MSG_TYPE.MarketDataSnapshotFullRefresh, [
      [TAG.MDReqID, requestId],
      [TAG.Symbol, marketId],
      [TAG.NoMDEntries, String(entries.length)],
      ...entries.flat(),
    ]);
    this.isTelling = false;
    if (this.isStale) this.tellSoon();
  }

  end(): void {
    this.hasEnded = true;
    this.stopFollowing();
  }

  private get wantsTrades(): boolean {
    return this.query.entryTypes.has(ENTRY_TYPE.trade);
  }

  private follow(): void {
    this.stopFollowing = this.data.follow(this.query.marketId, {
      onChange: ({ trades }) => {
        if (this.wantsTrades) this.trades.push(...trades);
        if (this.trades.length > TRADES_WAITING_MAX) this.onBreak();
        else this.tellSoon();
      },
      // What the book is now can be read; trades that were missed cannot be told in their order.
      onGap: () => (this.wantsTrades ? this.onBreak() : this.tellSoon()),
    });
  }

  private tellSoon(): void {
    this.isStale = true;
    if (this.isTelling || this.hasEnded) return;
    this.isTelling = true;
    this.tell()
      .catch(() => this.onBreak())
      .finally(() => (this.isTelling = false));
  }

  private async tell(): Promise<void> {
    while (this.isStale) {
      await this.client.caughtUp();
      if (this.hasEnded) return;
      this.isStale = false;
      const trades = this.trades.splice(0).filter(({ trade_id: id }) => id > this.lastTradeId);
      const before = this.told;
      this.told = await this.sides();
      this.send([
        ...levelChanges(before.bids, this.told.bids).map((change) => this.change(ENTRY_TYPE.bid, change)),
        ...levelChanges(before.asks, this.told.asks).map((change) => this.change(ENTRY_TYPE.offer, change)),
        ...trades.map((trade) => this.update(UPDATE_ACTION.new, tradeEntry(trade))),
      ]);
    }
  }

  private send(entries: readonly (readonly Field[])[]): void {
    for (let from = 0; from < entries.length; from += ENTRIES_MAX) {
      const part = entries.slice(from, from + ENTRIES_MAX);
      this.client.sendUnkept(MSG_TYPE.MarketDataIncrementalRefresh, [
        [TAG.MDReqID, this.query.requestId],
        [TAG.NoMDEntries, String(part.length)],
        ...part.flat(),
      ]);
    }
  }

  private async sides(): Promise<Sides> {
    const { marketId, depth, entryTypes } = this.query;
    const { bids, asks } = await this.data.orderbook(marketId, depth);
    return {
      bids: entryTypes.has(ENTRY_TYPE.bid) ? bids : [],
      asks: entryTypes.has(ENTRY_TYPE.offer) ? asks : [],
    };
  }

  private change(entryType: string, { action, price, size }: LevelChange): Field[] {
    const entry: Field[] = [
      [TAG.MDEntryType, entryType],
      [TAG.MDEntryPx, price],
    ];
    return this.update(action, size === undefined ? entry : [...entry, [TAG.MDEntrySize, size]]);
  }

  /** An entry of an increment also names its market. */
  private update(action: string, [type, ...rest]: readonly Field[]): Field[] {
    return [[TAG.MDUpdateAction, action], type!, [TAG.Symbol, this.query.marketId], ...rest];
  }
}

function levelEntry(entryType: string, [price, size]: LevelDto): Field[] {
  return [
    [TAG.MDEntryType, entryType],
    [TAG.MDEntryPx, price],
    [TAG.MDEntrySize, size],
  ];
}

function tradeEntry({ price, size, executed_at: at }: TradeDto): Field[] {
  const [date, time] = utcTimeOfIso(at).split('-');
  return [
    [TAG.MDEntryType, ENTRY_TYPE.trade],
    [TAG.MDEntryPx, price],
    [TAG.MDEntrySize, size],
    [TAG.MDEntryDate, date!],
    [TAG.MDEntryTime, time!],
  ];
}
