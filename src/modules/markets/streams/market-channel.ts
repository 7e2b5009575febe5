/** What can be followed of a market. */
export const MARKET_CHANNELS = ['l2', 'trades', 'ticker'] as const;

export type MarketChannel = (typeof MARKET_CHANNELS)[number];
