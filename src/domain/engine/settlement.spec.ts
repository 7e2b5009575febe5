import { describe, expect, it } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';
import type { Command, Outcome } from './commands.js';
import { Engine } from './engine.js';

const plain = { market: event(), purse: { USD: '100' } };
const settled = (value: string): string => `
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    market closes
    market settles at ${value}`;

describe('a settlement that was wrong', () => {
  page('is paid back by who won and paid out to who lost', plain)`
    ${settled('1')}
    ann has 106 USD
    bob has 94 USD
    settlement is corrected to 0
    ann has 96 USD
    bob has 104 USD
    ann is flat, cost 0, pnl -4
    bob is flat, cost 0, pnl 4
    pool has 0 USD
    open interest is 0
    market is settled
  `;

  page('moves the difference alone between two values', plain)`
    ${settled('0.25')}
    ann has 98.5 USD
    settlement is corrected to 0.75
    ann has 103.5 USD
    bob has 96.5 USD
    ann is flat, pnl 3.5
    settlement is corrected to 0.5
    ann has 101 USD
    ann is flat, pnl 1
    bob is flat, pnl -1
    settlement is corrected to 0.25
    ann has 98.5 USD
    bob has 101.5 USD
  `;

  page('concerns what was held at settlement, not what was closed before', plain)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    cat buys 6 @ 0.50
    ann sells 6 @ 0.50
    market closes
    market settles at 1
    ann is flat, pnl 3         -- 0.6 for the six, 2.4 for the four
    settlement is corrected to 0
    ann is flat, pnl -1
    cat is flat, pnl -3
    bob is flat, pnl 4
  `;

  page('leaves alone who held nothing', plain)`
    ${settled('1')}
    settlement is corrected to 0
    cat has 100 USD
    dan has 100 USD
  `;

  page('is corrected to the last unit', { market: event({ lotSize: '0.1' }), purse: { USD: '100' } })`
    bob sells 0.3 @ 0.40
    ann buys 0.3 @ 0.40
    market closes
    market settles at 0.12345678901234567
    ann has 99.917037036703703701 USD
    settlement is corrected to 0.98765432109876543
    ann has 100.176296296329629629 USD
    bob has 99.823703703670370371 USD
    pool has 0 USD
  `;

  page('stays where somebody has spent what would go back', plain)`
    ${settled('1')}
    ann withdraws 97 USD
    settlement is corrected to 0 => refused settlement_not_reversible
    ann has 9 USD
    bob has 94 USD
    ann deposits 1 USD
    settlement is corrected to 0
    ann has 0 USD
    bob has 104 USD
  `;

  page('stays where nothing is wanting but one unit', plain)`
    ${settled('1')}
    ann gives cat 96.000000000000000001 USD
    settlement is corrected to 0 => refused settlement_not_reversible
    cat gives ann 0.000000000000000001 USD
    settlement is corrected to 0
    ann has 0 USD
  `;

  page('takes nothing that is held for something else', {
    market: event(),
    others: [spot({ marketId: 'BTC-USD' })],
    purse: { USD: '100', BTC: '10' },
  })`
    ${settled('1')}
    ann buys 1 @ 100 in BTC-USD as a1
    ann has 6 USD, 100 held
    settlement is corrected to 0 => refused settlement_not_reversible
    a1 is open, holds 100
    ann cancels a1
    settlement is corrected to 0
  `;

  page('can be corrected only once there is one, to another value from 0 to 1', {
    market: event(),
    others: [spot()],
    purse: { USD: '100' },
  })`
    settlement is corrected to 0          => refused invalid_status_change
    BTC-USD settlement is corrected to 0  => refused invalid_status_change
    NOWHERE settlement is corrected to 0  => refused market_not_found
    ${settled('1')}
    settlement is corrected to 1          => refused invalid_status_change
    settlement is corrected to 1.0        => refused invalid_status_change
    settlement is corrected to 1.01       => refused invalid_amount
    settlement is corrected to -1         => refused invalid_amount
    market opens                          => refused invalid_status_change
    market settles at 0                   => refused invalid_status_change
  `;

  it('says how many accounts lack how much', () => {
    const engine = new Engine();
    engine.beginBatch(0);
    const demand = (command: Command): Outcome & { ok: true } => {
      const outcome = engine.apply(command);
      if (!outcome.ok) throw new Error(outcome.refusal.message);
      return outcome;
    };
    demand({ type: 'create_asset', code: 'USD', scale: 2 });
    demand(event());
    const accounts = ['ann', 'bob', 'cat'].map((name) => {
      const { result } = demand({ type: 'create_account', kind: 'trading', name, owner: name });
      if (result.type !== 'account') throw new Error('no account');
      const { accountId } = result;
      demand({
        type: 'move_money',
        debit: { rail: 'bank' },
        credit: { accountId },
        asset: 'USD',
        amount: '10',
        reason: 'deposit',
        reference: '',
      });
      return accountId;
    });
    const [ann, bob, cat] = accounts as [number, number, number];
    const order = (accountId: number, side: 'buy' | 'sell', sizeLots: number): Command => ({
      type: 'place_order',
      accountId,
      marketId: 'RAIN',
      side,
      orderType: 'limit',
      timeInForce: 'GTC',
      priceTicks: 50,
      stopPriceTicks: null,
      sizeLots,
      expiresAtMs: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'cancel_newest',
      clientOrderId: null,
      feeRates: null,
    });
    for (const command of [order(bob, 'sell', 10), order(ann, 'buy', 6), order(cat, 'buy', 4)])
      demand(command);
    for (const status of ['closed', 'settled'] as const) {
      demand({
        type: 'set_market_status',
        marketId: 'RAIN',
        status,
        settlementValue: status === 'settled' ? '1' : null,
      });
    }
    for (const [accountId, amount] of [
      [ann, '8.5'],
      [cat, '9'],
    ] as const) {
      demand({
        type: 'move_money',
        debit: { accountId },
        credit: { rail: 'bank' },
        asset: 'USD',
        amount,
        reason: 'withdrawal',
        reference: '',
      });
    }
    const outcome = engine.apply({
      type: 'correct_settlement',
      marketId: 'RAIN',
      settlementValue: '0',
    });
    expect(outcome).toMatchObject({
      ok: false,
      refusal: {
        code: 'settlement_not_reversible',
        message: 'Accounts that lack the money to pay back: 2, together 2.5 USD. Nothing was changed.',
      },
    });
  });
});
