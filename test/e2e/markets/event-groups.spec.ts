import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { expectStatus, type House, startHouse } from '../admin/approvals-client.js';

describe('event groups', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let markets: string[];
  const path = '/event-groups/CUP';

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    const terms = { kind: 'event', base_asset: undefined, lot_size: '1' };
    markets = [];
    for (const name of ['RED', 'GREEN', 'BLUE']) markets.push(await createMarket(operator, name, terms));
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const available = async (caller: Caller): Promise<number> =>
    Number((await caller.balance('USD')).available);

  it('are made of markets that nobody has traded', async () => {
    const body = { event_group_id: 'CUP', title: 'Who wins?', market_ids: markets };
    expect((await demo.post('/admin/event-groups', body)).status).toBe(403);
    expect(
      (await operator.post('/admin/event-groups', { ...body, market_ids: markets.slice(0, 1) })).status,
    ).toBe(400);
    const made = await operator.post('/admin/event-groups', body);
    expect(made).toMatchObject({ status: 201, body: { market_ids: markets, winning_market_id: null } });
    expect((await operator.post('/admin/event-groups', body)).body.error.code).toBe('event_group_exists');
    expect((await demo.get(path)).body).toEqual(made.body);
    expect((await demo.get('/event-groups')).body).toEqual({ data: [made.body], next_cursor: null });
    expect((await demo.get('/event-groups/NONE')).body.error.code).toBe('event_group_not_found');
    expect((await demo.get(`/markets/${markets[0]}`)).body.event_group_id).toBe('CUP');
  });

  it('split and merge sets, each once', async () => {
    const before = await available(demo);
    expect(await demo.post(`${path}/split`, { size: '10' })).toMatchObject({
      status: 200,
      body: { size: '10' },
    });
    expect(await available(demo)).toBe(before - 10);
    expect((await demo.post(`${path}/split`, { size: '0.5' })).body.error.code).toBe('invalid_lot');
    expect((await demo.post(`${path}/split`, { size: '-1' })).status).toBe(400);
    expect((await demo.post('/event-groups/NONE/split', { size: '1' })).status).toBe(404);
    const merges = await Promise.all(
      Array.from({ length: 20 }, () => demo.post(`${path}/merge`, { size: '10' })),
    );
    expect(merges.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await available(demo)).toBe(before);
  });

  it('net what trades leave, settle in one act, and account for every unit', async () => {
    const before = (await available(demo)) + (await available(maker));
    for (const market of markets) {
      await maker.place(limit(market, 'sell', '0.3', '10'));
      const order = limit(market, 'buy', '0.3', '10');
      const { body: preview } = await demo.post('/orders/preview', order);
      const isLast = market === markets.at(-1);
      const netting = { merged_size: '10', converted_size: '0', amount: '10', released: '0' };
      expect(preview.netting).toEqual(isLast ? netting : null);
      const money = await available(demo);
      await demo.place(order);
      expect(await available(demo)).toBeCloseTo(money - 3 + (isLast ? 10 : 0) - Number(preview.fees));
      await expectBalancedBooks(operator);
    }
    // All three for 9 are 10 at once, so nobody holds anything.
    expect((await available(demo)) + (await available(maker))).toBe(before);
    await maker.place(limit(markets[0]!, 'sell', '0.3', '10'));
    await demo.place(limit(markets[0]!, 'buy', '0.3', '10'));
    const settle = { winning_market_id: markets[0] };
    const settlePath = '/admin/event-groups/CUP/settle';
    expect((await operator.post(settlePath, settle)).body.error.code).toBe('invalid_status_change');
    for (const market of markets) await operator.patch(`/admin/markets/${market}`, { status: 'closed' });
    const alone = { status: 'settled', settlement_value: '1' };
    expect((await operator.patch(`/admin/markets/${markets[0]}`, alone)).body.error.code).toBe(
      'market_in_event_group',
    );
    expect((await operator.post(`${settlePath}/preview`, settle)).body).toMatchObject({
      kind: 'settlement',
      to_longs: '10',
      to_shorts: '0',
      paid_back: '0',
    });
    expect((await operator.post(settlePath, settle)).body.winning_market_id).toBe(markets[0]);
    expect((await available(demo)) + (await available(maker))).toBe(before);
    const wonBy = await available(demo);
    const correction = '/admin/event-groups/CUP/settlement/correction';
    const other = { winning_market_id: markets[1] };
    expect((await operator.post(correction, settle)).body.error.code).toBe('invalid_status_change');
    expect((await operator.post(correction, { winning_market_id: 'NONE' })).status).toBe(404);
    expect((await operator.post('/admin/event-groups/NONE/settlement/correction', other)).status).toBe(404);
    expect((await demo.post(correction, other)).status).toBe(403);
    expect((await operator.post(`${settlePath}/preview`, other)).body).toEqual({
      kind: 'correction',
      winning_market_id: markets[1],
      asset: 'USD',
      to_longs: '-10',
      to_shorts: '10',
      paid_back: '10',
    });
    const headers = { 'Idempotency-Key': 'correct-cup' };
    const corrected = await operator.post(correction, other, headers);
    expect(corrected).toMatchObject({ status: 200, body: { winning_market_id: markets[1] } });
    expect((await operator.post(correction, other, headers)).body).toEqual(corrected.body);
    expect(await available(demo)).toBe(wonBy - 10);
    expect((await available(demo)) + (await available(maker))).toBe(before);
    expect((await demo.get(`/markets/${markets[0]}/settlements`)).body.data).toMatchObject([
      { settlement_value: '0' },
      { settlement_value: '1' },
    ]);
    const pnl = async (caller: Caller): Promise<number> =>
      Number((await caller.get('/accounts/me/pnl')).body.realized_pnl);
    expect((await pnl(demo)) + (await pnl(maker))).toBeCloseTo(0);
  });
});

describe('with FOUR_EYES, an event group', () => {
  let house: House;
  beforeAll(async () => {
    house = await startHouse();
  });
  afterAll(() => house.app.close());

  it('is settled by two operators who name the same market', async () => {
    const { first, second } = house;
    const markets = ['SUN', 'SNOW'];
    const terms = { kind: 'event', base_asset: undefined, lot_size: '1' };
    for (const market of markets) await createMarket(first, market, terms);
    const group = { event_group_id: 'SKY', title: 'How is it?', market_ids: markets };
    await expectStatus(first.post('/admin/event-groups', group), 201);
    for (const market of markets)
      await expectStatus(first.patch(`/admin/markets/${market}`, { status: 'closed' }), 200);

    const settle = (by: Caller, market: string) =>
      by.post('/admin/event-groups/SKY/settle', { winning_market_id: market });
    const proposed = await expectStatus(settle(first, 'SUN'), 202);
    expect(proposed).toMatchObject({ winning_market_id: null, approval_id: expect.stringMatching(/^apv_/) });
    expect(await expectStatus(settle(first, 'SUN'), 202)).toEqual(proposed);
    expect((await settle(second, 'SNOW')).body.error.code).toBe('conflict');
    for (const market of markets)
      expect((await first.get(`/markets/${market}`)).body).toMatchObject({ status: 'closed' });
    expect(await expectStatus(settle(second, 'SUN'), 200)).toMatchObject({ winning_market_id: 'SUN' });
    expect((await first.get('/markets/SUN')).body).toMatchObject({ settlement_value: '1' });
    expect((await first.get('/markets/SNOW')).body).toMatchObject({ settlement_value: '0' });
    expect((await settle(second, 'SUN')).body.error.code).toBe('invalid_status_change');

    const correct = (by: Caller, market: string) =>
      by.post('/admin/event-groups/SKY/settlement/correction', { winning_market_id: market });
    expect((await correct(first, 'SUN')).body.error.code).toBe('invalid_status_change');
    expect(await expectStatus(correct(first, 'SNOW'), 202)).toMatchObject({
      winning_market_id: 'SUN',
      approval_id: expect.stringMatching(/^apv_/),
    });
    expect((await settle(second, 'SNOW')).body.error.code).toBe('conflict');
    const waiting = await expectStatus(second.get('/admin/approvals?kind=group_settlement_correction'), 200);
    expect(waiting.data).toMatchObject([{ status: 'pending', subject: { id: 'SKY' } }]);
    expect(await expectStatus(correct(second, 'SNOW'), 200)).toMatchObject({ winning_market_id: 'SNOW' });
    expect((await first.get('/markets/SUN')).body).toMatchObject({ settlement_value: '0' });
  });
});
