import { describe, expect, it } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';
import { Engine } from './engine.js';
import type { Command, CommandResult } from './commands.js';

const bounds = { lots: 10 };
const rich = { purse: { USD: '100000', BTC: '100' }, bounds };

describe('what cannot be counted any more', () => {
  page('is refused to an account that could come to hold it', { ...rich, market: spot() })`
    bob sells 5 @ 100
    dan sells 2 @ 100
    ann buys 4 @ 100                   => filled
    ann buys 2 @ 100                   => filled
    ann buys 3 @ 90 as a1              => open
    ann buys 2 @ 90                    => refused size_out_of_range
    ann buys 2 stop 110                => refused size_out_of_range
    ann buys 2 at market               => refused size_out_of_range
    ann amends a1 to 5                 => refused size_out_of_range
    ann amends a1 to 4                 => open
    bob sells 2 @ 100
    ann accepts 2 to buy for 200       => refused size_out_of_range
    ann cancels a1
    ann buys 5 @ 89                    => refused size_out_of_range
    ann buys 4 @ 89                    => open
    ann sells 8 stop 80                => untriggered     -- it would close what is held
  `;

  page('is refused to a side of a book, where one party has more than it leaves to others', {
    ...rich,
    bounds: { lots: 20 },
    market: spot(),
  })`
    ann buys 11 @ 90                   => refused size_out_of_range
    ann buys 6 @ 90 as a1
    bob buys 4 @ 91
    cat buys 4 @ 80
    dan buys 4 @ 80                    => refused size_out_of_range
    dan buys 3 @ 80                    => open
    cat buys 1 @ 80                    => refused size_out_of_range
    cat buys 1 @ 80 IOC                => cancelled ioc_remainder
    cat sells 10 @ 110                 => open
    ann amends a1 to 7                 => refused size_out_of_range
    ann amends a1 to 3 @ 89            => open
    cat buys 1 @ 80                    => open
  `;

  page('is refused to a stop when it runs', { ...rich, market: spot() })`
    ann buys 5 stop 105 @ 100 as a1
    bob buys 5 @ 90
    cat sells 1 @ 105
    dan buys 1 @ 105
    a1 is rejected size_out_of_range
    ann has 100000 USD
  `;

  page('is refused to an open interest', { ...rich, market: event() })`
    ann buys 5 @ 0.50
    bob sells 5 @ 0.50                 => filled
    ann buys 1 @ 0.50
    bob sells 1 @ 0.50                 => filled
    cat buys 5 @ 0.50                  => refused size_out_of_range
    cat buys 4 @ 0.50                  => open
    dan sells 4 @ 0.50                 => filled
    cat sells 1 @ 0.60                 => refused size_out_of_range
    open interest is 10
  `;
});

describe('a position of 2^53 lots', () => {
  it('is refused, and halts nothing', () => {
    const engine = new Engine();
    engine.beginBatch(0);
    const demand = (command: Command): CommandResult => {
      const outcome = engine.apply(command);
      if (!outcome.ok) throw new Error(outcome.refusal.code);
      return outcome.result;
    };
    demand({ type: 'create_asset', code: 'USD', scale: 2 });
    demand({ type: 'create_asset', code: 'BTC', scale: 8 });
    demand(spot({ tickSize: '0.000000001', lotSize: '0.000000001', maxSize: '10000', priceMax: '1' }));
    const [ann, bob] = ['ann', 'bob'].map((name) => {
      const made = demand({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
      const accountId = made.type === 'account' ? made.accountId : 0;
      for (const asset of ['USD', 'BTC'])
        demand({
          type: 'move_money',
          debit: { rail: 'bank' },
          credit: { accountId },
          asset,
          amount: '100000000',
          reason: 'deposit',
          reference: '',
        });
      return accountId;
    });
    const order = (accountId: number, side: 'buy' | 'sell'): Command => ({
      type: 'place_order',
      accountId,
      marketId: 'BTC-USD',
      side,
      orderType: 'limit',
      timeInForce: 'GTC',
      priceTicks: 1,
      stopPriceTicks: null,
      sizeLots: 10 ** 13,
      expiresAtMs: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'cancel_newest',
      clientOrderId: null,
      feeRates: null,
    });
    const codes = new Set<string>();
    for (let trades = 0; trades < 1_000; trades++) {
      for (const [accountId, side] of [
        [ann!, 'buy'],
        [bob!, 'sell'],
      ] as const) {
        const outcome = engine.apply(order(accountId, side));
        if (!outcome.ok) codes.add(outcome.refusal.code);
      }
      engine.checkBatch();
    }
    expect(codes).toEqual(new Set(['size_out_of_range']));
    const { sizeLots } = engine.state.accounts.get(ann!)!.positions.get('BTC-USD')!;
    expect(sizeLots).toBe(900 * 10 ** 13);
    expect(sizeLots + 10 ** 13).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });
});
