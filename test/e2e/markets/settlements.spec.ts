import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, loggedIn, type Json } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

/** demo is long ten contracts at 0.4, maker short. */
async function closedMarket(operator: Caller, maker: Caller, demo: Caller, name: string): Promise<string> {
  const market = await createMarket(operator, name, { kind: 'event', base_asset: undefined, lot_size: '1' });
  await maker.place(limit(market, 'sell', '0.4', '10'));
  await demo.place(limit(market, 'buy', '0.4', '10'));
  expect((await operator.patch(`/admin/markets/${market}`, { status: 'closed' })).status).toBe(200);
  return market;
}

const settleAt = (value: string) => ({ status: 'settled', settlement_value: value });
const at = (value: string) => ({ settlement_value: value });

describe('settlements', () => {
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

  it('are previewed by the engine, carried out by one operator, and corrected', async () => {
    const market = await closedMarket(operator, maker, demo, 'CORRECTED');
    const path = `/admin/markets/${market}/settlement`;
    const before = await demo.balance('USD');

    expect(await operator.post(`${path}/preview`, at('0.7'))).toMatchObject({
      status: 200,
      body: {
        kind: 'settlement',
        settlement_value: '0.7',
        asset: 'USD',
        long_accounts: 1,
        short_accounts: 1,
        contracts: '10',
        to_longs: '7',
        to_shorts: '3',
      },
    });
    expect(await demo.balance('USD')).toEqual(before);
    expect((await operator.get(path)).body).toEqual({
      market_id: market,
      status: 'closed',
      settlement_value: null,
      settled_at: null,
      holders: 2,
      paid: 0,
      amount_paid: '0',
      started_at: null,
      finished_at: null,
      proposal: null,
    });

    expect((await operator.patch(`/admin/markets/${market}`, settleAt('0.7'))).status).toBe(200);
    const progress = (await operator.get(path)).body;
    expect(progress).toMatchObject({ status: 'settled', holders: 2, paid: 2, amount_paid: '10' });
    expect(progress.finished_at).toBe(progress.started_at);
    expect((await operator.post(`${path}/preview`, at('0.2'))).body).toMatchObject({
      kind: 'correction',
      to_longs: '-5',
      to_shorts: '5',
    });
    const key = { 'Idempotency-Key': 'correct it once' };
    const corrected = await operator.post(`${path}/correction`, at('0.2'), key);
    expect(corrected).toMatchObject({ status: 200, body: { status: 'settled', settlement_value: '0.2' } });
    const repeat = await operator.post(`${path}/correction`, at('0.2'), key);
    expect(repeat).toMatchObject({ status: 200, body: corrected.body });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');

    expect(Number((await demo.balance('USD')).total) - Number(before.total)).toBeCloseTo(2, 6);
    const history = await demo.walk(`/markets/${market}/settlements`, 1);
    expect(history.map((one) => one.settlement_value)).toEqual(['0.2', '0.7']);
    const [entry] = (await demo.get('/accounts/me/entries?limit=1')).body.data;
    expect(entry).toMatchObject({ reason: 'reversal', reference: market, amount: '5', direction: 'debit' });
  });

  it('cannot be corrected at the cost of money that is gone, which the refusal says', async () => {
    const poor = (await operator.post('/admin/accounts', { name: 'poor', owner: 'client:demo' })).body
      .account_id;
    await operator.post(`/admin/accounts/${poor}/deposits`, {
      asset: 'USD',
      amount: '4',
      reference: 'stake',
    });
    const market = await createMarket(operator, 'SPENT', {
      kind: 'event',
      base_asset: undefined,
      lot_size: '1',
    });
    await maker.place(limit(market, 'sell', '0.4', '10'));
    await demo.place(limit(market, 'buy', '0.4', '10', { account_id: poor }));
    await operator.patch(`/admin/markets/${market}`, { status: 'closed' });
    await operator.patch(`/admin/markets/${market}`, settleAt('1'));
    // Its ten dollars are now held for an order.
    await demo.place(limit('BTC-USD', 'buy', '10', '0.9', { account_id: poor }));

    const path = `/admin/markets/${market}/settlement`;
    for (const refused of [
      await operator.post(`${path}/preview`, at('0')),
      await operator.post(`${path}/correction`, at('0')),
    ]) {
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'settlement_not_reversible' } } });
      expect(refused.body.error.message).toContain('1, together 9 USD');
    }
    expect((await operator.get(path)).body.settlement_value).toBe('1');
  });

  it.each<[string, string, unknown, number, string]>([
    ['a market that is open', 'RAIN-LISBON', at('1'), 409, 'invalid_status_change'],
    ['a spot market', 'BTC-USD', at('1'), 409, 'invalid_status_change'],
    ['no market', 'NO-SUCH', at('1'), 404, 'market_not_found'],
    ['a value above 1', 'CORRECTED', at('1.1'), 422, 'invalid_amount'],
    ['a negative value', 'CORRECTED', at('-1'), 400, 'validation_failed'],
    ['a number', 'CORRECTED', { settlement_value: 1 }, 400, 'validation_failed'],
    ['no value', 'CORRECTED', {}, 400, 'validation_failed'],
    ['the value in force', 'CORRECTED', at('0.2'), 409, 'invalid_status_change'],
    ['a field of somebody else', 'CORRECTED', { ...at('1'), proposed_by: 'x' }, 400, 'validation_failed'],
  ])('are not corrected for %s', async (_name, market, body, status, code) => {
    const path = `/admin/markets/${market}/settlement`;
    expect(await operator.post(`${path}/correction`, body)).toMatchObject({
      status,
      body: { error: { code } },
    });
    expect(await operator.post(`${path}/preview`, body)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe('settlements by two operators', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let client: Caller;
  let user: Caller;

  beforeAll(async () => {
    app = await startTestApp({ fourEyes: true });
    [demo, maker, client, user] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
      loggedIn(app.url, 'admin'),
    ]);
  });

  afterAll(async () => {
    await expectBalancedBooks(client);
    await app.close();
  });

  it('wait for the second one, who is somebody else and means the same', async () => {
    const market = await closedMarket(client, maker, demo, 'FOUR-EYES');
    const path = `/admin/markets/${market}`;
    const approvals: string[] = [];
    for (let i = 0; i < 2; i++) {
      const proposed = await client.patch(path, settleAt('0.30'));
      expect(proposed).toMatchObject({ status: 202, body: { status: 'closed' } });
      approvals.push(proposed.body.approval_id);
    }
    expect((await user.get(`${path}/settlement`)).body.proposal).toMatchObject({
      approval_id: approvals[0],
      settlement_value: '0.3',
      proposed_by: 'client:admin',
    });
    // Proposed again: the same approval, and another row in the audit log.
    expect(approvals[1]).toBe(approvals[0]);
    const { body: audit } = await user.get('/admin/audit?limit=20');
    const told = { target: { type: 'market', id: market }, outcome: 'proposed' };
    expect(audit.data.filter(({ target }: Json) => target?.id === market).slice(0, 2)).toMatchObject([
      told,
      told,
    ]);
    const other = await user.patch(path, settleAt('0.4'));
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(other.body.error.message).toContain('proposed 0.3');

    expect(await user.patch(path, settleAt('0.3'))).toMatchObject({
      status: 200,
      body: { status: 'settled', settlement_value: '0.3' },
    });
    expect((await user.get(`${path}/settlement`)).body.proposal).toBeNull();
  });

  it('are withdrawn by either, and corrected by both', async () => {
    const market = await closedMarket(client, maker, demo, 'WITHDRAWN');
    const path = `/admin/markets/${market}`;
    expect((await client.patch(path, settleAt('1'))).status).toBe(202);
    expect((await user.delete(`${path}/settlement/proposal`)).status).toBe(204);
    expect((await user.delete(`${path}/settlement/proposal`)).status).toBe(404);
    expect((await user.patch(path, settleAt('1'))).status).toBe(202);
    expect((await client.patch(path, settleAt('1'))).status).toBe(200);

    const correction = `${path}/settlement/correction`;
    expect(await client.post(correction, at('0'))).toMatchObject({
      status: 202,
      body: {
        settlement_value: '1',
        approval_id: expect.stringMatching(/^apv_/),
        proposal: { settlement_value: '0' },
      },
    });
    expect(await user.post(correction, at('0'))).toMatchObject({
      status: 200,
      body: { settlement_value: '0', proposal: null },
    });
  });

  it('happen once, however many agree at once', async () => {
    const market = await closedMarket(client, maker, demo, 'AT-ONCE');
    const path = `/admin/markets/${market}`;
    await client.patch(path, settleAt('1'));
    const replies = await Promise.all(Array.from({ length: 10 }, () => user.patch(path, settleAt('1'))));
    const statuses = replies.map((reply) => reply.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect((await demo.get(`/markets/${market}/settlements`)).body.data).toHaveLength(1);
    expect((await user.get(`${path}/settlement`)).body.proposal).toBeNull();
  });
});
