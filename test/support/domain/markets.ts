/** Markets for tests: by default a whole dollar, a whole coin, and no fees. */
import type { CreateMarket } from '../../../src/domain/engine/commands.js';

type Terms = Partial<Omit<CreateMarket, 'type'>>;

export function spot(terms: Terms = {}): CreateMarket {
  return {
    ...PLAIN,
    marketId: 'BTC-USD',
    kind: 'spot',
    baseAsset: 'BTC',
    tickSize: '1',
    lotSize: '1',
    ...terms,
  };
}

export function event(terms: Terms = {}): CreateMarket {
  return {
    ...PLAIN,
    marketId: 'RAIN',
    kind: 'event',
    baseAsset: null,
    tickSize: '0.01',
    lotSize: '1',
    ...terms,
  };
}

const PLAIN = {
  type: 'create_market',
  title: 'A market',
  description: '',
  category: 'test',
  quoteAsset: 'USD',
  minSize: null,
  maxSize: null,
  minNotional: null,
  priceMin: null,
  priceMax: null,
  makerFeeRate: null,
  takerFeeRate: null,
  feeBase: null,
  opensAtMs: null,
  closesAtMs: null,
} as const;
