import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { accept, createEvent, quote, refusal, stateOf } from '../../support/clients/exchange-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';

const MARKET = 'HOSTILE';

describe('what is no quote and no bet', () => {
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;
  let theirAccount: string;

  beforeAll(async () => {
    app = await startTestApp();
    const maker = await callerFor(app.url, 'maker');
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
    await createEvent(operator, MARKET);
    await maker.place(limit(MARKET, 'sell', '0.40', '1000'));
    theirAccount = (await maker.get('/accounts')).body.data[0].account_id;
  });
  afterAll(() => app.close());

  const ask = { market_id: MARKET, side: 'buy', size: '10' };

  it.each<[string, Json, number, string]>([
    ['both size and stake', { stake: '4' }, 400, 'validation_failed'],
    ['neither', { size: undefined }, 400, 'validation_failed'],
    ['neither, in so many words', { size: null, stake: null }, 400, 'validation_failed'],
    ['no market', { market_id: undefined }, 400, 'validation_failed'],
    ['no side', { side: undefined }, 400, 'validation_failed'],
    ['a side of betting exchanges', { side: 'back' }, 400, 'validation_failed'],
    ['a number for a size', { size: 10 }, 400, 'validation_failed'],
    ['an empty size', { size: '' }, 400, 'validation_failed'],
    ['a negative size', { size: '-1' }, 400, 'validation_failed'],
    ['an exponent', { size: '1e3' }, 400, 'validation_failed'],
    ['19 decimals', { size: '1.0000000000000000000' }, 400, 'validation_failed'],
    ['19 decimals of a stake', { size: undefined, stake: '0.0000000000000000001' }, 400, 'validation_failed'],
    ['digits of another script', { size: '１０' }, 400, 'validation_failed'],
    ['a list of sizes', { size: ['10'] }, 400, 'validation_failed'],
    ['a price of its own', { average_price: '0.01' }, 400, 'validation_failed'],
    ['a notional of its own', { notional: '1' }, 400, 'validation_failed'],
    ['a status of its own', { status: 'accepted' }, 400, 'validation_failed'],
    ['an expiry of its own', { expires_at: '2999-01-01T00:00:00Z' }, 400, 'validation_failed'],
    ['fee rates of its own', { feeRates: { maker: '0', taker: '0' } }, 400, 'validation_failed'],
    ['a prototype', { constructor: { prototype: {} } }, 400, 'malformed_request'],
    ['an unknown market', { market_id: 'NO-SUCH' }, 404, 'market_not_found'],
    ['a market of odd letters', { market_id: 'HOSTІLE‮\u0007' }, 404, 'market_not_found'],
    ['a market named like a property', { market_id: '__proto__' }, 404, 'market_not_found'],
    ['an account that is none', { account_id: '\u{1F4B8}' }, 404, 'account_not_found'],
    ['an unknown account', { account_id: 'acc_00000000ZZZ' }, 404, 'account_not_found'],
    ['part of a contract', { size: '0.5' }, 422, 'invalid_lot'],
    ['nothing', { size: '0' }, 422, 'size_out_of_range'],
    ['a stake of nothing', { size: undefined, stake: '0' }, 422, 'size_out_of_range'],
    ['a stake below one contract', { size: undefined, stake: '0.39' }, 422, 'size_out_of_range'],
    [
      'the least stake there is',
      { size: undefined, stake: '0.000000000000000001' },
      422,
      'size_out_of_range',
    ],
    ['the greatest size there is', { size: '999999999999999999' }, 422, 'size_out_of_range'],
    [
      'the greatest stake there is',
      { size: undefined, stake: '999999999999999999' },
      422,
      'insufficient_liquidity',
    ],
  ])('a quote for %s', async (_what, fields, status, code) => {
    const before = await stateOf(operator);
    expect(await refusal(demo, '/quotes', { ...ask, ...fields })).toEqual([status, code]);
    expect(await stateOf(operator)).toEqual(before);
  });

  it("a quote for another's account", async () => {
    const body = { ...ask, account_id: theirAccount };
    expect(await refusal(demo, '/quotes', body)).toEqual([404, 'account_not_found']);
  });

  it.each<[string, Json, number, string]>([
    ['no quote', { quote_id: undefined }, 400, 'validation_failed'],
    ['a null', { quote_id: null }, 400, 'validation_failed'],
    ['a number', { quote_id: 1 }, 400, 'validation_failed'],
    ['a list', { quote_id: ['qte_00000000001'] }, 400, 'validation_failed'],
    ['no letters', { quote_id: '' }, 400, 'validation_failed'],
    ['too many letters', { quote_id: 'q'.repeat(65) }, 400, 'validation_failed'],
    ['a price of its own', { average_price: '0.01' }, 400, 'validation_failed'],
    ['a size of its own', { size: '1' }, 400, 'validation_failed'],
    ['an account of its own', { account_id: 'me' }, 400, 'validation_failed'],
    ['an unknown quote', { quote_id: 'qte_7ZZZZZZZZZZ' }, 404, 'quote_not_found'],
    ['an order', { quote_id: 'ord_00000000001' }, 404, 'quote_not_found'],
    ['small letters', { quote_id: 'QTE_00000000001' }, 404, 'quote_not_found'],
    ['odd letters', { quote_id: 'qte_0000000000\u0661' }, 404, 'quote_not_found'],
    ['a wildcard', { quote_id: "qte_%' OR '1'='1" }, 404, 'quote_not_found'],
  ])('a bet on %s', async (_what, fields, status, code) => {
    const { quote_id } = await quote(demo, ask);
    const before = await stateOf(operator);
    for (const path of ['/matched-bets', '/matched-bets/preview']) {
      expect(await refusal(demo, path, { quote_id, ...fields })).toEqual([status, code]);
    }
    expect(await stateOf(operator)).toEqual(before);
  });

  it.each(['/quotes', '/matched-bets'])('a list %s by what it does not know', async (list) => {
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=1&limit=2',
      'cursor=!',
      'cursor=WzFd&cursor=WzFd',
      'side=buy',
    ]) {
      expect((await demo.get(`${list}?${query}`)).status, query).toBe(400);
    }
    expect((await demo.get(`${list}?market_id=NO-SUCH`)).body).toEqual({ data: [], next_cursor: null });
    for (const id of ['..%2f', 'ord_00000000001', '%F0%9F%92%B8', 'x'.repeat(300)]) {
      expect((await demo.get(`${list}/${id}`)).status, id).toBe(404);
    }
  });

  it('a body that is no object', async () => {
    for (const body of ['[]', '"qte_00000000001"', 'null', '{', '{"quote_id":"a","quote_id":']) {
      for (const path of ['/quotes', '/matched-bets', '/matched-bets/preview']) {
        expect((await demo.send('POST', path, body)).status, `${path} ${body}`).toBe(400);
      }
    }
  });

  it('what a token without the scope asks for', async () => {
    const reader = await callerFor(app.url, 'demo', 'account:read');
    const made = await quote(demo, ask);
    const { quote_id } = made;
    expect((await reader.post('/quotes', ask)).status).toBe(403);
    expect((await reader.post('/matched-bets', { quote_id })).status).toBe(403);
    expect(await accept(demo, made)).toMatchObject({ quote_id });
  });
});
