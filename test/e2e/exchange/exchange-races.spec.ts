import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { amountOf, formatAmount } from '../../../src/domain/money/amount.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { rounds } from '../../support/rounds.js';
import { createEvent, openAccount, quote, totalUsd } from '../../support/clients/exchange-client.js';
import { type Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

const ACCEPTANCES = 50;
const BETS_WHILE_MOVING = rounds('BETS_WHILE_MOVING', 20, 200);
const OFFERS = ['0.40', '0.42', '0.44', '0.46'] as const;
const BIDS = ['0.30', '0.28', '0.26', '0.24'] as const;

describe('many at once', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let market: string;
  let markets = 0;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  beforeEach(async () => {
    market = await createEvent(operator, `RACE-${++markets}`, { taker_fee_rate: '0.01' });
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const tally = (replies: readonly Reply[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { status, body } of replies) {
      const outcome = `${status} ${body.error?.code ?? 'ok'}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  };
  const atOnce = (send: (i: number) => Promise<Reply>): Promise<Reply[]> =>
    Promise.all(Array.from({ length: ACCEPTANCES }, (_, i) => send(i)));

  it('acceptances of one quote make one bet', async () => {
    await maker.place(limit(market, 'sell', '0.40', '1000'));
    const { quote_id } = await quote(demo, { market_id: market, side: 'buy', size: '10' });
    const before = await totalUsd(demo);
    const replies = await atOnce(() => demo.post('/matched-bets', { quote_id }));
    expect(tally(replies)).toEqual({ '201 ok': 1, '409 quote_already_accepted': ACCEPTANCES - 1 });
    expect((await demo.get(`/matched-bets?market_id=${market}`)).body.data).toHaveLength(1);
    expect(amountOf(before) - amountOf(await totalUsd(demo))).toBe(amountOf('4.04'));
  });

  it('acceptances under one Idempotency-Key are one bet, told many times', async () => {
    await maker.place(limit(market, 'sell', '0.40', '1000'));
    const { quote_id } = await quote(demo, { market_id: market, side: 'buy', size: '10' });
    const replies = await atOnce(() =>
      demo.post('/matched-bets', { quote_id }, { 'idempotency-key': market }),
    );
    expect(tally(replies)).toEqual({ '201 ok': 1, '200 ok': ACCEPTANCES - 1 });
    const [first] = replies;
    for (const { body } of replies) expect(body).toEqual(first!.body);
  });

  it('quotes for the last contracts fill one of them', async () => {
    await maker.place(limit(market, 'sell', '0.40', '10'));
    const quotes = await atOnce(() => demo.post('/quotes', { market_id: market, side: 'buy', size: '10' }));
    expect(tally(quotes)).toEqual({ '201 ok': ACCEPTANCES });
    expect(new Set(quotes.map(({ body }) => body.quote_id)).size).toBe(ACCEPTANCES);
    const replies = await atOnce((i) => demo.post('/matched-bets', { quote_id: quotes[i]!.body.quote_id }));
    expect(tally(replies)).toEqual({ '201 ok': 1, '409 quote_stale': ACCEPTANCES - 1 });
  });

  it('keep their price or change nothing while the book moves', async () => {
    const backer = await openAccount(operator, 'demo', '5000');
    const layer = await openAccount(operator, 'demo', '5000');
    let isMoving = true;
    const move = async (): Promise<void> => {
      for (let i = 0; isMoving; i++) {
        const offer = await maker.place(limit(market, 'sell', OFFERS[i % OFFERS.length]!, '15'));
        const bid = await maker.place(limit(market, 'buy', BIDS[i % BIDS.length]!, '15'));
        // Answered with 409 if it has been filled meanwhile.
        for (const { order_id } of [offer, bid]) await maker.delete(`/orders/${order_id}`);
      }
    };
    const movers = [move(), move(), move()];

    const bets: Json[] = [];
    const refusals: Record<string, number> = {};
    const bet = async (side: 'buy' | 'sell', account_id: string): Promise<void> => {
      for (let i = 0; i < BETS_WHILE_MOVING; i++) {
        const quoted = await demo.post('/quotes', { market_id: market, side, size: '12', account_id });
        const { quote_id, notional, fee } = quoted.body;
        const reply = quoted.status === 201 ? await demo.post('/matched-bets', { quote_id }) : quoted;
        if (reply.status === 201) {
          const { body } = reply;
          const gain = amountOf(notional) - amountOf(body.notional);
          expect(side === 'buy' ? gain >= 0n : gain <= 0n, JSON.stringify([quoted.body, body])).toBe(true);
          if (gain === 0n) expect(body.fee).toBe(fee);
          expect(body.size).toBe('12');
          bets.push(body);
        } else {
          const { code } = reply.body.error;
          refusals[code] = (refusals[code] ?? 0) + 1;
        }
      }
    };
    await Promise.all([bet('buy', backer), bet('sell', layer)]);
    isMoving = false;
    await Promise.all(movers);

    expect(
      Object.keys(refusals).filter(
        (code) => !/^(quote_stale|quote_expired|insufficient_liquidity)$/.test(code),
      ),
    ).toEqual([]);
    expect(bets.length + Object.values(refusals).reduce((sum, count) => sum + count, 0)).toBe(
      2 * BETS_WHILE_MOVING,
    );
    expect(bets.length).toBeGreaterThan(0);
    for (const [side, account] of [
      ['back', backer],
      ['lay', layer],
    ] as const) {
      const own = bets.filter((made) => made.side === side);
      const spent = own.reduce((sum, { liability, fee }) => sum + amountOf(liability) + amountOf(fee), 0n);
      expect(await totalUsd(demo, account)).toBe(formatAmount(amountOf('5000') - spent));
      const listed = await demo.walk(`/matched-bets?account_id=${account}`, 7);
      expect(listed.map(({ matched_bet_id }) => matched_bet_id)).toEqual(
        own.map(({ matched_bet_id }) => matched_bet_id).reverse(),
      );
      const { data } = (await demo.get(`/accounts/${account}/positions`)).body;
      const contracts = own.length * 12;
      if (contracts > 0) expect(data[0].size).toBe(String(side === 'back' ? contracts : -contracts));
    }
    await expectBalancedBooks(operator);
  });
});
