import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { createEvent } from '../../support/clients/exchange-client.js';
import { limitsOf, newTrader, setLimit, type Trader } from '../../support/clients/limits-client.js';
import { expectBalancedBooks, limit, marketOrder } from '../../support/clients/markets-client.js';
import { logIn, refusalOf } from '../../support/clients/users-client.js';
import { queryOnce, TestCore } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';

describe('limits of a service that starts again', () => {
  let database: TestDatabase;
  let app: TestApp;
  let operator: Caller;
  let maker: Caller;
  let trader: Trader;
  let market: string;

  const start = async (): Promise<void> => {
    app = await startTestApp({ databaseUrl: database.url, rateLimits: 'off' });
    [operator, maker] = await Promise.all([callerFor(app.url, 'admin'), callerFor(app.url, 'maker')]);
  };
  const used = async (caller: Caller): Promise<string[]> => (await limitsOf(caller)).map((each) => each.used);

  beforeAll(async () => {
    database = await createDemoDatabase();
    await start();
    market = await createEvent(operator, 'PERIODS');
    trader = await newTrader(app, operator, 'patient');
    await setLimit(trader.caller, '10');
    await setLimit(trader.caller, '30', { period: 'month' });
    await setLimit(trader.caller, '50', { kind: 'loss', period: 'week' });
    await maker.place(limit(market, 'sell', '0.50', '20'));
    await maker.place(limit(market, 'buy', '0.10', '20'));
    await trader.caller.place(marketOrder(market, 'buy', '20'));
    await trader.caller.place(marketOrder(market, 'sell', '20'));
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it('are where they were', async () => {
    expect(await used(trader.caller)).toEqual(['10', '10', '8']);
    await app.close();
    await start();
    const caller = await logIn(app, trader.username);
    expect(await used(caller)).toEqual(['10', '10', '8']);
    expect(refusalOf(await caller.post('/orders', limit(market, 'buy', '0.50', '1')))).toBe(
      '422 self_limit_exceeded',
    );
    await expectBalancedBooks(operator);
  });

  it('are replayed from the journal to the same state', async () => {
    expect(await new TestCore(database.url).verify()).toMatchObject({ ok: true });
  });

  it('count anew in the next period, but for orders that are still open', async () => {
    await app.close();
    // As if all that has happened had happened two months ago.
    await queryOnce(database.url, `UPDATE journal SET committed_at = committed_at - interval '62 days'`);
    await start();
    const caller = await logIn(app, trader.username);
    expect(await used(caller)).toEqual(['0', '0', '0']);
    await caller.place(limit(market, 'buy', '0.05', '20'));
    expect(await used(caller)).toEqual(['1', '1', '0']);
    await app.close();
    await queryOnce(database.url, `UPDATE journal SET committed_at = committed_at - interval '62 days'`);
    await start();
    expect(await used(await logIn(app, trader.username))).toEqual(['1', '1', '0']);
  });
});
