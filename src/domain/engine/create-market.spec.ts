import { describe, expect, it } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { formatAmount } from '../money/amount.js';
import type { CreateMarket } from './commands.js';
import { isRefusal } from './context.js';
import { Engine } from './engine.js';
import { defineMarket } from './markets.js';
import type { MarketDefinition } from './types.js';

function defined(terms: CreateMarket): MarketDefinition {
  const definition = defineMarket(terms);
  if (isRefusal(definition)) throw new Error(definition.message);
  return definition;
}

describe('a market’s definition', () => {
  it.each<[string, CreateMarket]>([
    ['a market id of other characters', spot({ marketId: 'btc-usd' })],
    ['an empty market id', spot({ marketId: '' })],
    ['a market id that is too long', spot({ marketId: 'A'.repeat(65) })],
    ['spot without a base asset', spot({ baseAsset: null })],
    ['an event with one', event({ baseAsset: 'BTC' })],
    ['an asset for itself', spot({ baseAsset: 'USD' })],
    ['no tick', spot({ tickSize: '0' })],
    ['a tick that is no decimal', spot({ tickSize: '1e-2' })],
    ['no lot', spot({ lotSize: '0.0' })],
    [
      'more than 18 decimals of tick and lot together',
      spot({ tickSize: '0.0000000001', lotSize: '0.000000001' }),
    ],
    [
      'the tick’s decimals twice for variance fees',
      event({ tickSize: '0.0000001', lotSize: '0.00001', feeBase: 'variance' }),
    ],
    ['variance fees on spot', spot({ feeBase: 'variance' })],
    ['event prices of 1 and more', event({ priceMax: '1' })],
    ['an event tick of 1', event({ tickSize: '1' })],
    ['a price_min of zero', spot({ priceMin: '0' })],
    ['a price_min above price_max', spot({ priceMin: '10', priceMax: '9' })],
    ['a price_max between two ticks', spot({ tickSize: '0.25', priceMax: '10.3' })],
    ['a min_size between two lots', spot({ minSize: '1.5' })],
    ['a min_size above max_size', spot({ minSize: '3', maxSize: '2' })],
    ['max_size × price_max of 10^18', spot({ maxSize: '1000000000', priceMax: '1000000000' })],
    ['more than 10^13 lots', spot({ priceMax: '1', maxSize: '10000000000001' })],
    ['a fee rate of 1', spot({ takerFeeRate: '1' })],
    ['a fee rate below 0', spot({ makerFeeRate: '-0.1' })],
    ['a min_notional that is no decimal', spot({ minNotional: 'x' })],
    ['closing before opening', spot({ opensAtMs: 2_000, closesAtMs: 2_000 })],
  ])('refuses %s', (_, terms) => {
    expect(defineMarket(terms)).toMatchObject({ code: 'invalid_market' });
  });

  it.each<[string, CreateMarket]>([
    ['18 decimals of tick and lot together', spot({ tickSize: '0.000000001', lotSize: '0.000000001' })],
    [
      'the tick’s decimals twice for variance fees',
      event({ tickSize: '0.000001', lotSize: '0.000001', feeBase: 'variance' }),
    ],
    ['just under 10^18', spot({ maxSize: '999999999', priceMax: '1000000000' })],
    ['10^13 lots', spot({ priceMax: '1', maxSize: '10000000000000' })],
    ['a fee rate just below 1', spot({ takerFeeRate: '0.999999999999999999' })],
    ['one price and one size', spot({ priceMin: '5', priceMax: '5', minSize: '2', maxSize: '2' })],
  ])('takes %s', (_, terms) => {
    expect(isRefusal(defineMarket(terms))).toBe(false);
  });

  it('fills in what was left out', () => {
    const { priceMinTicks, priceMaxTicks, minSizeLots, minNotional, makerFeeRate, feeBase } =
      defined(event());
    expect({ priceMinTicks, priceMaxTicks, minSizeLots, feeBase }).toEqual({
      priceMinTicks: 1,
      priceMaxTicks: 99,
      minSizeLots: 1,
      feeBase: 'notional',
    });
    expect([formatAmount(minNotional), formatAmount(makerFeeRate)]).toEqual(['0', '0']);
  });

  it.each([
    spot(),
    spot({ tickSize: '0.01', lotSize: '0.00000001' }),
    spot({ tickSize: '0.000000000000000001', lotSize: '1' }),
    spot({ tickSize: '1', lotSize: '0.000000000000000001' }),
    spot({ tickSize: '1000000', lotSize: '1000000' }),
    spot({ priceMax: '0.5', tickSize: '0.5' }),
    event({ lotSize: '0.01' }),
  ])('keeps every product of the defaults exact and in bounds ($tickSize, $lotSize)', (terms) => {
    const { priceMaxTicks, maxSizeLots, tickSize, lotSize } = defined(terms);
    expect(Number.isSafeInteger(priceMaxTicks) && Number.isSafeInteger(maxSizeLots)).toBe(true);
    const largest = BigInt(priceMaxTicks) * tickSize * (BigInt(maxSizeLots) * lotSize);
    expect(largest < 10n ** 54n).toBe(true);
    expect((tickSize * lotSize) % 10n ** 18n).toBe(0n);
  });
});

describe('creating a market', () => {
  const engine = new Engine();
  engine.beginBatch(1_000);
  for (const code of ['USD', 'BTC']) engine.apply({ type: 'create_asset', code, scale: 2 });

  const answerTo = (terms: CreateMarket): string => {
    const outcome = engine.apply(terms);
    return outcome.ok ? 'created' : outcome.refusal.code;
  };

  it('needs its assets and an id of its own', () => {
    expect(answerTo(spot({ quoteAsset: 'EUR' }))).toBe('asset_not_found');
    expect(answerTo(spot({ baseAsset: 'DOGE' }))).toBe('asset_not_found');
    expect(answerTo(spot())).toBe('created');
    expect(answerTo(spot({ tickSize: '2' }))).toBe('market_exists');
  });

  it('opens at once unless its time is ahead', () => {
    expect(answerTo(event({ marketId: 'NOW', opensAtMs: 1_000 }))).toBe('created');
    expect(answerTo(event({ marketId: 'LATER', opensAtMs: 1_001 }))).toBe('created');
    expect(engine.state.markets.get('NOW')?.status).toBe('open');
    expect(engine.state.markets.get('LATER')?.status).toBe('scheduled');
  });

  it.each([
    ['usd', 2],
    ['', 2],
    ['TOOLONGFORANASSET', 2],
    ['EUR', -1],
    ['EUR', 19],
    ['EUR', 1.5],
  ])('knows no asset %j of %d decimals', (code, scale) => {
    expect(engine.apply({ type: 'create_asset', code, scale })).toMatchObject({ ok: false });
  });

  it('knows an asset once', () => {
    expect(engine.apply({ type: 'create_asset', code: 'USD', scale: 2 })).toMatchObject({
      refusal: { code: 'asset_exists' },
    });
  });
});
