/** What can be followed of a market. */
export const MARKET_CHANNELS = ['l2', 'trades', 'ticker'] as const;

export type MarketChannel = (typeof MARKET_CHANNELS)[number];

/** What a client follows: a channel of a market, of its book to some depth. */
export interface MarketTopic {
  readonly marketId: string;
  readonly channel: MarketChannel;
  /** How many levels of each side; 0 for other channels than `l2`. */
  readonly depth: number;
}

export function topicOf(marketId: string, channel: MarketChannel, depth: number): MarketTopic {
  return { marketId, channel, depth: channel === 'l2' ? depth : 0 };
}

/** One text for each topic: the room of those who follow it. */
export function roomOf({ marketId, channel, depth }: MarketTopic): string {
  return `${channel}/${depth}:${marketId}`;
}
