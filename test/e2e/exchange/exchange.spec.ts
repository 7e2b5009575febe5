import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdempotencyKeys } from '../../../src/kit/http/idempotency/idempotency-keys.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import {
  accept,
  createEvent,
  openAccount,
  quote,
  refusal,
  stateOf,
  totalUsd,
} from '../../support/clients/exchange-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('the exchange', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  /** An event market for each test, so that books start empty. */
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
    market = await createEvent(operator, `BETS-${++markets}`);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const offer = (price: string, size: string): Promise<Json> =>
    maker.place(limit(market, 'sell', price, size));
  const bid = (price: string, size: string): Promise<Json> => maker.place(limit(market, 'buy', price, size));
  const back = (terms: Json): Promise<Json> => quote(demo, { market_id: market, side: 'buy', ...terms });
  const lay = (terms: Json): Promise<Json> => quote(demo, { market_id: market, side: 'sell', ...terms });
  /** Ages the quote in the database. */
  const age = (quoteId: string, interval: string): Promise<unknown> =>
    queryOnce(
      app.config.databaseUrl!,
      'UPDATE quotes SET expires_at = expires_at - $2::interval WHERE quote_id = $1',
      [quoteId, interval],
    );

  describe('a quote', () => {
    it('walks through the live book, and leaves it as it is', async () => {
      await offer('0.40', '60');
      await offer('0.45', '60');
      const before = await stateOf(operator);
      const made = await back({ size: '100' });
      expect(made).toEqual({
        quote_id: expect.stringMatching(/^qte_[0-9A-Z]{11}$/),
        account_id: expect.stringMatching(/^acc_[0-9A-Z]{11}$/),
        status: 'open',
        market_id: market,
        side: 'buy',
        size: '100',
        average_price: '0.42',
        limit_price: '0.45',
        notional: '42',
        fee: '0',
        total: '42',
        odds: '2.380952380952380952',
        stake: '42',
        liability: '42',
        payout: '100',
        expires_at: expect.stringMatching(TIME),
        created_at: expect.stringMatching(TIME),
        sequence: 2,
        matched_bet_id: null,
      });
      expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(10_000);
      expect(await demo.get(`/quotes/${made.quote_id}`)).toMatchObject({ status: 200, body: made });
      expect(await stateOf(operator)).toEqual(before);
    });

    it.each([
      // 60 contracts for 24, then 57 of the 60 at 45 cents for 25.65; the 35 cents left pay for none.
      ['50', '117', '49.65'],
      // To the cent: 24 and 27.
      ['51', '120', '51'],
      // The rest after the first level does not pay for a contract of the second.
      ['24.449999999999999999', '60', '24'],
      ['0.4', '1', '0.4'],
      ['0.799', '1', '0.4'],
    ])('for a stake of %s is for %s contracts', async (stake, size, notional) => {
      await offer('0.40', '60');
      await offer('0.45', '60');
      expect(await back({ stake })).toMatchObject({ size, notional, stake: notional, payout: size });
    });

    it('for a stake lays as many contracts as that stake could have backed', async () => {
      await bid('0.40', '60');
      // The backer at 40 cents puts up 10; the layer puts up the other 60 cents of each of 25 contracts.
      expect(await lay({ stake: '10.3' })).toMatchObject({
        size: '25',
        stake: '10',
        liability: '15',
        payout: '25',
        odds: '2.5',
        total: '10',
      });
    });

    it('says what fees come to', async () => {
      market = await createEvent(operator, `${market}-FEES`, { taker_fee_rate: '0.02' });
      await offer('0.40', '100');
      await bid('0.30', '100');
      expect(await back({ size: '100' })).toMatchObject({
        notional: '40',
        fee: '0.8',
        total: '40.8',
        stake: '40',
      });
      expect(await lay({ size: '100' })).toMatchObject({
        notional: '30',
        fee: '0.6',
        total: '29.4',
        stake: '30',
      });
    });

    it('has no odds on a spot market', async () => {
      market = await createMarket(operator, `${market}-SPOT`);
      await offer('60000', '1');
      const terms = { odds: null, stake: null, liability: null, payout: null };
      const made = await back({ size: '0.5' });
      expect(made).toMatchObject({ ...terms, size: '0.5', notional: '30000', average_price: '60000' });
      // 1,000 dollars are enough for 0.016 at lots of 0.001, which is 960.
      expect(await back({ stake: '1000' })).toMatchObject({ ...terms, size: '0.016', notional: '960' });
      expect(await accept(demo, made)).toMatchObject({ ...terms, side: 'back', size: '0.5', total: '30000' });
    });

    it('takes no notice of the caller’s own orders', async () => {
      await demo.place(limit(market, 'sell', '0.10', '100'));
      await offer('0.40', '50');
      expect(await back({ size: '50' })).toMatchObject({ average_price: '0.4' });
      const ask = { market_id: market, side: 'buy', size: '51' };
      expect(await refusal(demo, '/quotes', ask)).toEqual([422, 'insufficient_liquidity']);
      // Those of another account of theirs cannot be traded with either, and are not passed by.
      const account_id = await openAccount(operator, 'demo');
      const bySecond = { ...ask, size: '1', account_id };
      expect(await refusal(demo, '/quotes', bySecond)).toEqual([422, 'insufficient_liquidity']);
    });

    it('is refused where nobody offers, or the market is not open', async () => {
      const ask = { market_id: market, side: 'buy', size: '1' };
      expect(await refusal(demo, '/quotes', ask)).toEqual([422, 'insufficient_liquidity']);
      expect(await refusal(demo, '/quotes', { ...ask, size: undefined, stake: '1' })).toEqual([
        422,
        'insufficient_liquidity',
      ]);
      await offer('0.40', '50');
      await operator.patch(`/admin/markets/${market}`, { status: 'halted' });
      expect(await refusal(demo, '/quotes', ask)).toEqual([409, 'market_not_open']);
    });

    it('is not made a second time by a repeat after a process that died in between', async () => {
      await offer('0.40', '60');
      const key = { 'Idempotency-Key': `died-${market}` };
      const terms = { market_id: market, side: 'buy', size: '7' };
      // As if the process had died right after the commit of the first one.
      const record = vi.spyOn(IdempotencyKeys.prototype, 'record').mockRejectedValueOnce(new Error('died'));
      const release = vi.spyOn(IdempotencyKeys.prototype, 'release').mockResolvedValue(undefined);
      await demo.post('/quotes', terms, key);
      record.mockRestore();
      release.mockRestore();
      await queryOnce(
        app.config.databaseUrl!,
        `UPDATE idempotency_keys SET leased_until = now() WHERE state = 'running'`,
      );
      const made = await quote(demo, terms, key);
      const { body } = await demo.get(`/quotes?market_id=${market}`);
      expect(body.data.map(({ quote_id }: Json) => quote_id)).toEqual([made.quote_id]);
    });

    it('is answered again by its Idempotency-Key, and not made for another body', async () => {
      await offer('0.40', '50');
      const body = { market_id: market, side: 'buy', size: '5' };
      const key = { 'idempotency-key': `quote-${market}` };
      const made = await quote(demo, body, key);
      const again = await demo.post('/quotes', body, key);
      expect(again).toMatchObject({ status: 201, body: made });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await demo.post('/quotes', { ...body, size: '6' }, key)).toMatchObject({
        status: 422,
        body: { error: { code: 'idempotency_key_reused' } },
      });
      expect((await demo.get(`/quotes?market_id=${market}`)).body.data).toHaveLength(1);
    });

    it('expires by the clock of the database', async () => {
      await offer('0.40', '50');
      const made = await back({ size: '5' });
      await age(made.quote_id, '10 seconds');
      expect((await demo.get(`/quotes/${made.quote_id}`)).body).toMatchObject({ status: 'expired' });
      const before = await stateOf(operator);
      expect(await refusal(demo, '/matched-bets', made)).toEqual([400, 'validation_failed']);
      const { quote_id } = made;
      expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([409, 'quote_expired']);
      expect(await refusal(demo, '/matched-bets/preview', { quote_id })).toEqual([409, 'quote_expired']);
      expect(await stateOf(operator)).toEqual(before);
    });

    it('is listed for its owner, newest first, by market and status', async () => {
      await offer('0.40', '50');
      const made: Json[] = [];
      for (let i = 1; i <= 5; i++) made.push(await back({ size: `${i}` }));
      const bet = await accept(demo, made[1]);
      await age(made[1].quote_id, '1 hour');
      await age(made[2].quote_id, '1 hour');
      const sizes = async (query: string): Promise<string[]> =>
        (await demo.walk(`/quotes?market_id=${market}${query}`, 2)).map(({ size }) => size);
      expect(await sizes('')).toEqual(['5', '4', '3', '2', '1']);
      expect(await sizes('&status=open')).toEqual(['5', '4', '1']);
      expect(await sizes('&status=accepted')).toEqual(['2']);
      expect(await sizes('&status=expired,accepted')).toEqual(['3', '2']);
      expect((await demo.get(`/quotes/${made[1].quote_id}`)).body).toMatchObject({
        status: 'accepted',
        matched_bet_id: bet.matched_bet_id,
      });
      const all = await demo.walk('/quotes', 200);
      expect(all.filter(({ market_id }) => market_id === market)).toHaveLength(5);
      expect((await demo.get('/quotes?status=lapsed')).status).toBe(400);
      expect((await demo.get('/quotes?cursor=nonsense')).status).toBe(400);
    });
  });

  describe('a matched bet', () => {
    it('fills the whole size and says what was bet', async () => {
      await offer('0.40', '60');
      await offer('0.45', '60');
      const made = await back({ size: '100' });
      const before = await totalUsd(demo);
      const bet = await accept(demo, made);
      expect(bet).toEqual({
        matched_bet_id: expect.stringMatching(/^mbt_[0-9A-Z]{11}$/),
        quote_id: made.quote_id,
        order_id: expect.stringMatching(/^ord_[0-9A-Z]{11}$/),
        account_id: made.account_id,
        market_id: market,
        side: 'back',
        size: '100',
        average_price: '0.42',
        notional: '42',
        fee: '0',
        total: '42',
        odds: '2.380952380952380952',
        stake: '42',
        liability: '42',
        payout: '100',
        created_at: expect.stringMatching(TIME),
        sequence: 3,
        fills: [
          expect.objectContaining({ price: '0.4', size: '60', side: 'buy', liquidity: 'taker' }),
          expect.objectContaining({ price: '0.45', size: '40', side: 'buy', liquidity: 'taker' }),
        ],
      });
      expect(Number(before) - Number(await totalUsd(demo))).toBe(42);
      expect(await demo.get(`/matched-bets/${bet.matched_bet_id}`)).toMatchObject({ status: 200, body: bet });
      const order = await demo.get(`/orders/${bet.order_id}`);
      expect(order.body).toMatchObject({
        type: 'market',
        time_in_force: 'FOK',
        status: 'filled',
        fills: bet.fills,
      });
      expect((await demo.get(`/quotes/${made.quote_id}`)).body).toMatchObject({
        status: 'accepted',
        matched_bet_id: bet.matched_bet_id,
      });
    });

    // One contract pays 1: at a price of 0.25 the backer stakes 25 to win 100, and the layer risks 75.
    it.each<[price: string, odds: string, stake: string, layLiability: string]>([
      ['0.01', '100', '1', '99'],
      ['0.10', '10', '10', '90'],
      ['0.25', '4', '25', '75'],
      ['0.40', '2.5', '40', '60'],
      ['0.50', '2', '50', '50'],
      ['0.80', '1.25', '80', '20'],
      ['0.99', '1.010101010101010101', '99', '1'],
    ])('at %s has odds of %s', async (price, odds, stake, layLiability) => {
      await offer(price, '100');
      const account_id = await openAccount(operator, 'demo', '1000');
      const backed = await accept(demo, await back({ size: '100', account_id }));
      expect(backed).toMatchObject({ side: 'back', odds, stake, liability: stake, payout: '100' });
      expect(await totalUsd(demo, account_id)).toBe(String(1_000 - Number(stake)));

      await bid(price, '100');
      const layer = await openAccount(operator, 'demo', '1000');
      const laid = await accept(demo, await lay({ size: '100', account_id: layer }));
      expect(laid).toMatchObject({ side: 'lay', odds, stake, liability: layLiability, payout: '100' });
      expect(await totalUsd(demo, layer)).toBe(String(1_000 - Number(layLiability)));
    });

    it.each([
      ['1', '1400', '900'],
      ['0', '900', '1150'],
      ['0.5', '1150', '1025'],
    ])('that is settled at %s leaves the backer %s and the layer %s', async (value, backer, layer) => {
      // A thousand each; the back bet stakes 100 at odds of 5, the lay bet risks 100 against a stake of 150.
      const [backAccount, layAccount] = [
        await openAccount(operator, 'demo', '1000'),
        await openAccount(operator, 'demo', '1000'),
      ];
      market = await createEvent(operator, `${market}-A`);
      await offer('0.20', '500');
      await accept(demo, await back({ size: '500', account_id: backAccount }));
      const first = market;
      market = await createEvent(operator, `${market}-B`);
      await bid('0.60', '250');
      await accept(demo, await lay({ size: '250', account_id: layAccount }));
      for (const id of [first, market]) {
        await operator.patch(`/admin/markets/${id}`, { status: 'closed' });
        const settled = await operator.patch(`/admin/markets/${id}`, {
          status: 'settled',
          settlement_value: value,
        });
        expect(settled.status).toBe(200);
      }
      expect(await totalUsd(demo, backAccount)).toBe(backer);
      expect(await totalUsd(demo, layAccount)).toBe(layer);
    });

    it('gives a better price to the taker', async () => {
      await offer('0.40', '100');
      const made = await back({ size: '100' });
      await offer('0.30', '50');
      expect(await accept(demo, made)).toMatchObject({
        size: '100',
        notional: '35',
        average_price: '0.35',
        stake: '35',
        payout: '100',
        fills: [
          { price: '0.3', size: '50' },
          { price: '0.4', size: '50' },
        ],
      });
    });

    it('is refused where the book has moved away, and changes nothing', async () => {
      const resting = await offer('0.40', '100');
      await offer('0.41', '100');
      const made = await back({ size: '100' });
      await maker.patch(`/orders/${resting.order_id}`, { size: '99' });
      const before = await stateOf(operator);
      const { quote_id } = made;
      // One contract at one cent more costs forty dollars and one cent, more than quoted.
      expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([409, 'quote_stale']);
      expect(await refusal(demo, '/matched-bets/preview', { quote_id })).toEqual([409, 'quote_stale']);
      expect(await stateOf(operator)).toEqual(before);
      expect((await demo.get(`/quotes/${quote_id}`)).body.status).toBe('open');
      await offer('0.40', '1');
      expect(await accept(demo, made)).toMatchObject({ notional: '40' });
    });

    it('is refused where the money is not there', async () => {
      const account_id = await openAccount(operator, 'demo', '39.99');
      await offer('0.40', '100');
      const { quote_id } = await back({ size: '100', account_id });
      expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([422, 'insufficient_funds']);
      expect(await refusal(demo, '/matched-bets/preview', { quote_id })).toEqual([422, 'insufficient_funds']);
      expect(await totalUsd(demo, account_id)).toBe('39.99');
    });

    it('is refused while the market is halted', async () => {
      await offer('0.40', '100');
      const made = await back({ size: '100' });
      const { quote_id } = made;
      await operator.patch(`/admin/markets/${market}`, { status: 'halted' });
      expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([409, 'market_not_open']);
      await operator.patch(`/admin/markets/${market}`, { status: 'open' });
      await accept(demo, made);
    });

    it('is made once for a quote, and answered again by its Idempotency-Key', async () => {
      await offer('0.40', '100');
      const { quote_id } = await back({ size: '10' });
      const key = { 'idempotency-key': `bet-${market}` };
      const made = await demo.post('/matched-bets', { quote_id }, key);
      expect(made.status).toBe(201);
      // Even late: the key is older than the quote's expiry.
      await age(quote_id, '1 hour');
      const again = await demo.post('/matched-bets', { quote_id }, key);
      expect(again).toMatchObject({ status: 200, body: made.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([409, 'quote_already_accepted']);
      expect(await refusal(demo, '/matched-bets/preview', { quote_id })).toEqual([
        409,
        'quote_already_accepted',
      ]);
      const other = await back({ size: '10' });
      expect(await demo.post('/matched-bets', { quote_id: other.quote_id }, key)).toMatchObject({
        status: 422,
        body: { error: { code: 'idempotency_key_reused' } },
      });
      expect((await demo.get(`/matched-bets?market_id=${market}`)).body.data).toHaveLength(1);
    });

    it('is listed for its owner, newest first', async () => {
      await offer('0.40', '100');
      const bets: Json[] = [];
      for (let i = 1; i <= 5; i++) bets.unshift(await accept(demo, await back({ size: `${i}` })));
      const listed = await demo.walk(`/matched-bets?market_id=${market}`, 2);
      expect(listed).toEqual(bets.map(({ fills: _fills, ...bet }) => bet));
      const all = await demo.walk('/matched-bets', 200);
      expect(all.filter(({ market_id }) => market_id === market)).toEqual(listed);
    });

    it('keeps the fee rates that were quoted', async () => {
      market = await createEvent(operator, `${market}-FEES`, { taker_fee_rate: '0.02' });
      await offer('0.40', '100');
      const made = await back({ size: '100' });
      expect(await accept(demo, made)).toMatchObject({
        fee: made.fee,
        total: made.total,
        fills: [{ fee: '0.8' }],
      });
    });

    it('outlives its quote', async () => {
      await offer('0.40', '100');
      const made = await back({ size: '100' });
      const bet = await accept(demo, made);
      await queryOnce(app.config.databaseUrl!, 'DELETE FROM quotes WHERE quote_id = $1', [made.quote_id]);
      expect((await demo.get(`/matched-bets/${bet.matched_bet_id}`)).body).toEqual(bet);
      const { quote_id } = made;
      expect(await refusal(demo, '/matched-bets', { quote_id })).toEqual([404, 'quote_not_found']);
    });

    it('is previewed by the same engine, which changes nothing', async () => {
      await offer('0.40', '60');
      await offer('0.45', '60');
      const made = await back({ size: '100' });
      await offer('0.30', '10');
      const before = await stateOf(operator);
      const preview = await demo.post('/matched-bets/preview', { quote_id: made.quote_id });
      expect(preview).toMatchObject({ status: 200 });
      expect(await stateOf(operator)).toEqual(before);
      const bet = await accept(demo, made);
      const { fills, ...terms } = preview.body;
      expect(bet).toMatchObject(terms);
      expect(fills).toEqual(bet.fills.map(({ price, size, fee }: Json) => ({ price, size, fee })));
    });
  });

  describe('another’s', () => {
    it('account, quote and bet are as if there were none', async () => {
      await maker.place(limit(market, 'buy', '0.40', '10'));
      await offer('0.60', '10');
      const made = await back({ size: '5' });
      const bet = await accept(demo, made);
      const open = await back({ size: '5' });
      const { quote_id, account_id } = open;
      for (const path of ['/matched-bets', '/matched-bets/preview']) {
        expect(await refusal(maker, path, { quote_id })).toEqual([404, 'quote_not_found']);
      }
      expect((await maker.get(`/quotes/${quote_id}`)).status).toBe(404);
      expect((await maker.get(`/matched-bets/${bet.matched_bet_id}`)).status).toBe(404);
      expect((await maker.get(`/quotes?market_id=${market}`)).body.data).toEqual([]);
      expect((await maker.get(`/matched-bets?market_id=${market}`)).body.data).toEqual([]);
      for (const list of ['/quotes', '/matched-bets']) {
        expect((await maker.get(`${list}?account_id=${account_id}`)).status).toBe(404);
      }
      const forTheirs = { market_id: market, side: 'buy', size: '1', account_id };
      expect(await refusal(maker, '/quotes', forTheirs)).toEqual([404, 'account_not_found']);
      expect((await demo.get(`/quotes/${quote_id}`)).body.status).toBe('open');
    });

    it('but not another account of one’s own', async () => {
      await offer('0.40', '100');
      const account_id = await openAccount(operator, 'demo');
      const made = await back({ size: '10', account_id });
      expect(made.account_id).toBe(account_id);
      const bet = await accept(demo, made);
      expect(bet).toMatchObject({ account_id, side: 'back' });
      expect((await demo.get(`/matched-bets/${bet.matched_bet_id}`)).body).toEqual(bet);
      expect((await demo.get(`/matched-bets?account_id=${account_id}`)).body.data).toHaveLength(1);
      expect((await demo.get(`/quotes?account_id=${account_id}&status=accepted`)).body.data).toHaveLength(1);
      expect((await demo.get(`/quotes?market_id=${market}`)).body.data).toHaveLength(0);
    });
  });
});
