import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

/** The notebook's figures after a trade: the remaining cash, the position, its profit and its cost. */
interface Line {
  readonly cash: string;
  readonly size: string;
  readonly cost: string;
  /** By average cost. */
  readonly realized: string;
  /** First in, first out, if different. */
  readonly fifo?: string;
  readonly fees?: string;
}

interface Page {
  readonly says: string;
  readonly market?: Json;
  readonly trades: readonly (readonly [side: 'back' | 'lay', size: string, price: string, then: Line])[];
  /** The market's settlement values, each with the notebook's last line. */
  readonly settled: readonly [value: string, then: Omit<Line, 'size' | 'cost'>];
}

/** Every page starts with 1,000 dollars. Backing buys contracts, laying sells them; odds are 1 / price. */
const NOTEBOOK: readonly Page[] = [
  {
    says: 'I back rain at odds of 4 with a stake of 25. It rains: I win three times my stake.',
    trades: [['back', '100', '0.25', { cash: '975', size: '100', cost: '25', realized: '0' }]],
    settled: ['1', { cash: '1075', realized: '75' }],
  },
  {
    says: 'I back rain at odds of 4 with a stake of 25. It stays dry: the stake is gone.',
    trades: [['back', '100', '0.25', { cash: '975', size: '100', cost: '25', realized: '0' }]],
    settled: ['0', { cash: '975', realized: '-25' }],
  },
  {
    says: 'I lay rain at odds of 4 for a stake of 25, so my liability is 75. It stays dry: I keep the stake.',
    trades: [['lay', '100', '0.25', { cash: '925', size: '-100', cost: '25', realized: '0' }]],
    settled: ['0', { cash: '1025', realized: '25' }],
  },
  {
    says: 'I lay rain at odds of 4 for a stake of 25. It rains: my liability is gone.',
    trades: [['lay', '100', '0.25', { cash: '925', size: '-100', cost: '25', realized: '0' }]],
    settled: ['1', { cash: '925', realized: '-75' }],
  },
  {
    says: 'I back a favourite at odds of 1.25 with 80, and the judges call it half.',
    trades: [['back', '100', '0.8', { cash: '920', size: '100', cost: '80', realized: '0' }]],
    settled: ['0.5', { cash: '970', realized: '-30' }],
  },
  {
    says: 'I lay at even odds, and half is what I sold it for.',
    trades: [['lay', '40', '0.5', { cash: '980', size: '-40', cost: '20', realized: '0' }]],
    settled: ['0.5', { cash: '1000', realized: '0' }],
  },
  {
    says: 'I back at 0.40 and sell thirty of a hundred at 0.60. The rest comes in.',
    trades: [
      ['back', '100', '0.4', { cash: '960', size: '100', cost: '40', realized: '0' }],
      ['lay', '30', '0.6', { cash: '978', size: '70', cost: '28', realized: '6' }],
    ],
    settled: ['1', { cash: '1048', realized: '48' }],
  },
  {
    says: 'I lay at 0.60 and buy half of it back at 0.30. The rest comes in too.',
    trades: [
      ['lay', '100', '0.6', { cash: '960', size: '-100', cost: '60', realized: '0' }],
      ['back', '50', '0.3', { cash: '995', size: '-50', cost: '30', realized: '15' }],
    ],
    settled: ['0', { cash: '1045', realized: '45' }],
  },
  {
    says: 'I am long ten and sell twenty-five: ten are closed, fifteen make me short.',
    trades: [
      ['back', '10', '0.4', { cash: '996', size: '10', cost: '4', realized: '0' }],
      ['lay', '25', '0.7', { cash: '998.5', size: '-15', cost: '10.5', realized: '3' }],
    ],
    settled: ['0', { cash: '1013.5', realized: '13.5' }],
  },
  {
    says: 'I am short ten and buy thirty: ten are closed, twenty make me long.',
    trades: [
      ['lay', '10', '0.7', { cash: '997', size: '-10', cost: '7', realized: '0' }],
      ['back', '30', '0.2', { cash: '1001', size: '20', cost: '4', realized: '5' }],
    ],
    settled: ['1', { cash: '1021', realized: '21' }],
  },
  {
    says: 'The exchange takes 2 % of what is traded. In at 0.25 and out at 0.40 leaves 15 less 1.30.',
    market: { taker_fee_rate: '0.02' },
    trades: [
      ['back', '100', '0.25', { cash: '974.5', size: '100', cost: '25', realized: '0', fees: '0.5' }],
      ['lay', '100', '0.4', { cash: '1013.7', size: '0', cost: '0', realized: '15', fees: '1.3' }],
    ],
    settled: ['1', { cash: '1013.7', realized: '15', fees: '1.3' }],
  },
  {
    says: 'The fee is 10 % of p(1−p): a coin toss costs the most. Settled at half, the fee is all I lose.',
    market: { taker_fee_rate: '0.1', fee_base: 'variance' },
    trades: [['back', '100', '0.5', { cash: '947.5', size: '100', cost: '50', realized: '0', fees: '2.5' }]],
    settled: ['0.5', { cash: '997.5', realized: '0', fees: '2.5' }],
  },
  {
    says: 'A third of 1.01 has no end: what a partial close takes is rounded down, and nothing is lost by it.',
    trades: [
      ['back', '1', '0.33', { cash: '999.67', size: '1', cost: '0.33', realized: '0' }],
      ['back', '2', '0.34', { cash: '998.99', size: '3', cost: '1.01', realized: '0' }],
      [
        'lay',
        '1',
        '0.5',
        {
          cash: '999.49',
          size: '2',
          cost: '0.673333333333333334',
          realized: '0.163333333333333334',
          fifo: '0.17',
        },
      ],
    ],
    settled: ['1', { cash: '1001.49', realized: '1.49' }],
  },
  {
    says: 'I buy at 0.20 and at 0.40 and sell half at 0.50: in the end both ways to tell the cost agree.',
    trades: [
      ['back', '10', '0.2', { cash: '998', size: '10', cost: '2', realized: '0' }],
      ['back', '10', '0.4', { cash: '994', size: '20', cost: '6', realized: '0' }],
      ['lay', '10', '0.5', { cash: '999', size: '10', cost: '3', realized: '2', fifo: '3' }],
    ],
    settled: ['1', { cash: '1009', realized: '9' }],
  },
  {
    says: 'I close all of it before the end. How it ends is not my business any more.',
    trades: [
      ['lay', '50', '0.9', { cash: '995', size: '-50', cost: '45', realized: '0' }],
      ['back', '50', '0.95', { cash: '997.5', size: '0', cost: '0', realized: '-2.5' }],
    ],
    settled: ['0', { cash: '997.5', realized: '-2.5' }],
  },
];

describe("a trader's notebook", () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  /** A new account for the trader with 1,000 dollars. */
  async function openPage(number: number): Promise<string> {
    const { body } = await operator.post('/admin/accounts', { name: `page ${number}`, owner: 'client:demo' });
    const deposit = { asset: 'USD', amount: '1000', reference: 'to begin with' };
    expect((await operator.post(`/admin/accounts/${body.account_id}/deposits`, deposit)).status).toBe(201);
    return body.account_id;
  }

  /** The complete line from the service. */
  async function lineOf(account: string, market: string): Promise<Required<Line>> {
    const [balances, positions, average, fifo] = await Promise.all([
      demo.get(`/accounts/${account}/balances`),
      demo.get(`/accounts/${account}/positions`),
      demo.get(`/accounts/${account}/pnl?method=average_cost`),
      demo.get(`/accounts/${account}/pnl?method=fifo`),
    ]);
    const cash = balances.body.data.find(({ asset }: Json) => asset === 'USD').total;
    expect(average.body.realized_pnl).toBe(positions.body.data[0].realized_pnl);
    expect(average.body.fees).toBe(positions.body.data[0].fees);
    const position = positions.body.data.find(({ market_id }: Json) => market_id === market);
    return {
      cash,
      size: position.size,
      cost: position.cost_basis,
      realized: position.realized_pnl,
      fifo: fifo.body.realized_pnl,
      fees: position.fees,
    };
  }

  it.each(NOTEBOOK.map((page, i) => [page.says, page, i + 1] as const))('%s', async (_says, page, number) => {
    const account = await openPage(number);
    const market = await createMarket(operator, `PAGE-${number}`, {
      kind: 'event',
      base_asset: undefined,
      lot_size: '1',
      ...page.market,
    });
    for (const [side, size, price, then] of page.trades) {
      const [own, others] = side === 'back' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
      await maker.place(limit(market, others, price, size));
      await demo.place(limit(market, own, price, size, { account_id: account }));
      expect(await lineOf(account, market)).toEqual({ fees: '0', fifo: then.realized, ...then });
    }
    const [value, last] = page.settled;
    await operator.patch(`/admin/markets/${market}`, { status: 'closed' });
    await operator.patch(`/admin/markets/${market}`, { status: 'settled', settlement_value: value });
    expect(await lineOf(account, market)).toEqual({
      fees: '0',
      fifo: last.realized,
      size: '0',
      cost: '0',
      ...last,
    });
  });
});
