import { describe, expect, it } from 'vitest';
import { KnownMarkets } from './market-symbols.js';

const MARKETS = new KnownMarkets([
  { market_id: 'BTC-USD', base_asset: 'BTC' },
  { market_id: 'ETH-USD', base_asset: 'ETH' },
  { market_id: 'ETH-USDC', base_asset: 'ETH' },
  { market_id: 'RAIN-LISBON', base_asset: null },
]);

describe('KnownMarkets', () => {
  it.each<[categories: string[], headline: string, symbols: string[]]>([
    [['BTC-USD'], '', ['BTC-USD']],
    [['btc', ' Rain-Lisbon '], '', ['BTC-USD', 'RAIN-LISBON']],
    [['ETH', 'ETH-USD'], '', ['ETH-USD', 'ETH-USDC']],
    [['$ETH'], '', ['ETH-USD', 'ETH-USDC']],
    [[], '$BTC up, $ETH down', ['BTC-USD', 'ETH-USD', 'ETH-USDC']],
    [[], 'Bets on RAIN-LISBON (and BTC-USD)', ['BTC-USD', 'RAIN-LISBON']],
    [[], 'BTC, ETH and $btc', []],
    [['Bitcoin', 'USD', ''], '$USD $NOPE A-B XBTC-USDX', []],
    [['__proto__', 'constructor'], 'toString', []],
  ])('finds in %j and %j the markets %j', (categories, headline, symbols) => {
    expect(MARKETS.namedBy(categories, headline)).toEqual(symbols);
  });
});
