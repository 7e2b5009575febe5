import { describe, expect, it } from 'vitest';
import { GroupScene, order } from '../../../test/support/domain/group-scene.js';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

describe('the money that an order needs', () => {
  page('is wanting where the account never had any of the asset', {
    market: spot(),
    purse: { USD: '100' },
  })`
    ann sells 1 @ 100           => refused insufficient_funds
    ann deposits 1 BTC
    ann sells 1 @ 100           => open
  `;

  page('includes the fee of a market order that opens contracts', {
    market: event({ takerFeeRate: '0.1' }),
    purse: { USD: '2.41' },
  })`
    bob sells 2 @ 0.50
    bob sells 1 @ 0.60
    dan sells 1 @ 0.60
    ann buys 4 at market        => refused insufficient_funds   -- 2 × 0.5 + 2 × 0.6, and a tenth
    ann deposits 0.01 USD
    ann is flat
    ann buys 4 at market        => filled, fees 0.22
    ann has 0 USD
  `;

  page('includes the fee of a market order that closes contracts, out of what they bring', {
    market: event({ takerFeeRate: '0.5', makerFeeRate: '0' }),
    purse: { USD: '10' },
  })`
    bob sells 4 @ 0.50 rates 0/0
    ann buys 4 @ 0.50 rates 0/0
    ann withdraws 8 USD
    cat buys 9 @ 0.10
    ann sells 5 at market       => refused insufficient_funds
    ann deposits 0.75 USD
    ann sells 5 at market       => filled, fees 0.25   -- 0.9 to open one, 0.4 from four
    ann has 0 USD
  `;

  it('is asked for in words that name the asset', () => {
    const scene = new GroupScene();
    expect(scene.engine.apply(order(scene.ann, 'RED', 'buy', 101, 99))).toMatchObject({ ok: true });
    expect(scene.engine.apply(order(scene.ann, 'RED', 'buy', 2, 99))).toEqual({
      ok: false,
      refusal: {
        code: 'insufficient_funds',
        message: 'The order needs more USD than is available. Deposit, or make it smaller.',
      },
    });
  });
});
