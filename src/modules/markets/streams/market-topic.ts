/** What one can subscribe to of a market. */
export const MARKET_CHANNELS = ['l2', 'trades', 'ticker'] as const;

export type MarketChannel = (typeof MARKET_CHANNELS)[number];

/** What a client subscribes to: a channel of a market, of its book to some depth. */
export interface MarketTopic {
  readonly marketId: string;
  readonly channel: MarketChannel;
  /** How many levels of each side; 0 for other channels than `l2`. */
  readonly depth: number;
}

export function topicOf(marketId: string, channel: MarketChannel, depth: number): MarketTopic {
  return { marketId, channel, depth: channel === 'l2' ? depth : 0 };
}

/** One text for each topic, under which its events are broadcast. */
export function topicNameOf({ marketId, channel, depth }: MarketTopic): string {
  return `${channel}/${depth}:${marketId}`;
}
