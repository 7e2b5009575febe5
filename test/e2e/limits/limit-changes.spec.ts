import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createEvent } from '../../support/clients/exchange-client.js';
import {
  letADayPass,
  limitsOf,
  newTrader,
  setLimit,
  type Trader,
  usd,
} from '../../support/clients/limits-client.js';
import { expectBalancedBooks, limit, marketOrder } from '../../support/clients/markets-client.js';
import { logIn, refusalOf } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';

const DAY_MS = 86_400_000;
const BEYOND = '422 self_limit_exceeded';

let app: TestApp;
let operator: Caller;
let maker: Caller;
let market: string;
let trader: Trader;
let made = 0;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  [operator, maker] = await Promise.all([callerFor(app.url, 'admin'), callerFor(app.url, 'maker')]);
});

beforeEach(async () => {
  const number = ++made;
  market = await createEvent(operator, `CHANGE-${number}`);
  trader = await newTrader(app, operator, `changer-${number}`);
});

afterEach(() => expectBalancedBooks(operator));
afterAll(() => app?.close());

const query = (text: string, values?: unknown[]): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);
const stake = (size: string): Promise<Json> =>
  trader.caller.post('/orders', limit(market, 'buy', '0.50', size));

async function settle(value: string): Promise<void> {
  for (const change of [{ status: 'closed' }, { status: 'settled', settlement_value: value }]) {
    const reply = await operator.patch(`/admin/markets/${market}`, change);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  }
}

describe('a limit', () => {
  it('is seen by operators, and changed by its owner alone', async () => {
    const { caller, accountId } = trader;
    const set = await setLimit(caller, '10');
    const path = `/admin/accounts/${accountId}/limits`;
    expect((await operator.get(path)).body.limits).toEqual([set]);
    const stranger = await logIn(app, 'bob');
    expect(refusalOf(await stranger.get(path))).toBe('403 insufficient_scope');
    const looser = { kind: 'stake', asset: 'USD', amount: '100', period: 'day' };
    for (const [somebody, refusal] of [
      [operator, '403 forbidden'],
      [stranger, '404 account_not_found'],
    ] as const) {
      expect(refusalOf(await somebody.post(`/accounts/${accountId}/limits`, looser))).toBe(refusal);
      const ended = await somebody.delete(`/accounts/${accountId}/limits/${set.limit_id}`);
      expect(refusalOf(ended)).toBe(refusal);
    }
    expect((await operator.get(path)).body.limits).toEqual([set]);
  });

  it('loosens after a day, and tightens at once', async () => {
    const { caller } = trader;
    const first = await setLimit(caller, '10');
    const looser = await setLimit(caller, '20');
    expect(looser).toMatchObject({ limit_id: first.limit_id, amount: '10', pending_amount: '20' });
    expect(Math.abs(Date.parse(looser.effective_at) - Date.now() - DAY_MS)).toBeLessThan(60_000);
    expect(refusalOf(await stake('22'))).toBe(BEYOND);
    await letADayPass(app);
    expect(await limitsOf(caller)).toMatchObject([
      { amount: '20', pending_amount: null, effective_at: null },
    ]);
    expect((await stake('40')).status).toBe(201);
    expect(await setLimit(caller, '5')).toMatchObject({ amount: '5', used: '20', remaining: '0' });
    expect(refusalOf(await stake('2'))).toBe(BEYOND);
  });

  it('forgets what is pending when it is tightened, and starts the day again when it is loosened again', async () => {
    const { caller } = trader;
    await setLimit(caller, '10');
    const { effective_at: first } = await setLimit(caller, '20');
    const { effective_at: second, pending_amount } = await setLimit(caller, '30');
    expect(pending_amount).toBe('30');
    expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));
    expect(await setLimit(caller, '9')).toMatchObject({
      amount: '9',
      pending_amount: null,
      effective_at: null,
    });
    await setLimit(caller, '12');
    expect(await setLimit(caller, '9')).toMatchObject({
      amount: '9',
      pending_amount: null,
      effective_at: null,
    });
  });

  it('ends a day after it was removed', async () => {
    const { caller } = trader;
    const { limit_id } = await setLimit(caller, '1');
    const { status, body } = await caller.delete(`/accounts/me/limits/${limit_id}`);
    expect([status, body.amount, body.pending_amount]).toEqual([202, '1', null]);
    expect(body.effective_at).toEqual(expect.any(String));
    expect(refusalOf(await stake('4'))).toBe(BEYOND);
    await setLimit(caller, '1');
    expect((await limitsOf(caller))[0].effective_at).toBeNull();
    await caller.delete(`/accounts/me/limits/${limit_id}`);
    await letADayPass(app);
    expect(await limitsOf(caller)).toEqual([]);
    expect(refusalOf(await caller.delete(`/accounts/me/limits/${limit_id}`))).toBe('404 not_found');
    expect((await stake('4')).status).toBe(201);
    expect(await setLimit(caller, '3')).toMatchObject({ amount: '3', used: '2', effective_at: null });
  });

  it('takes a step-up to be loosened, and none to be tightened', async () => {
    const { caller, username } = trader;
    const { limit_id } = await setLimit(caller, '10');
    await query(`UPDATE sessions SET proved_at = now() - interval '10 minutes'
                 WHERE user_id = (SELECT user_id FROM users WHERE username = '${username}')`);
    const old = await logIn(app, username, `${username}-password`, 'query');
    const body = { kind: 'stake', asset: 'USD', amount: '20', period: 'day' };
    expect(refusalOf(await old.post('/accounts/me/limits', body))).toBe('403 step_up_required');
    expect(refusalOf(await old.delete(`/accounts/me/limits/${limit_id}`))).toBe('403 step_up_required');
    await setLimit(old, '9');
    expect(await limitsOf(caller)).toMatchObject([{ amount: '9', pending_amount: null }]);
  });

  it('is written to the audit log, and set by one request at a time', async () => {
    const { caller, accountId } = trader;
    await Promise.all(['10', '20', '15', '5', '8'].map((amount) => setLimit(caller, amount)));
    const [only, ...others] = await limitsOf(caller);
    expect([only.amount, others]).toEqual(['5', []]);
    const rows = await query(`SELECT details FROM audit_log WHERE target_id = $1 AND details ? 'limit_id'`, [
      accountId,
    ]);
    expect(rows).toHaveLength(5);
  });
});

describe('a loss limit', () => {
  it('counts net losses with fees, and refuses what could lose more', async () => {
    const { caller } = trader;
    await setLimit(caller, '10', { kind: 'loss' });
    await maker.place(limit(market, 'sell', '0.50', '10'));
    await maker.place(limit(market, 'buy', '0.10', '10'));
    await caller.place(marketOrder(market, 'buy', '10'));
    expect(await limitsOf(caller)).toMatchObject([{ used: '0', remaining: '5' }]);
    expect(refusalOf(await stake('11'))).toBe(BEYOND);
    await caller.place(marketOrder(market, 'sell', '10'));
    expect(await limitsOf(caller)).toMatchObject([{ used: '4', remaining: '6' }]);
    expect(refusalOf(await stake('13'))).toBe(BEYOND);
    expect((await stake('12')).status).toBe(201);
  });

  it('ends all openings of the asset once it is reached, on spot markets too', async () => {
    const { caller } = trader;
    await maker.place(limit(market, 'sell', '0.50', '20'));
    await caller.place(marketOrder(market, 'buy', '20'));
    await setLimit(caller, '10', { kind: 'loss' });
    await caller.place(limit('BTC-USD', 'buy', '1.00', '1'));
    await settle('0');
    expect(await limitsOf(caller)).toMatchObject([{ used: '10', remaining: '0' }]);
    const other = await createEvent(operator, `${market}-2`);
    expect(refusalOf(await caller.post('/orders', limit(other, 'buy', '0.50', '1')))).toBe(BEYOND);
    expect(refusalOf(await caller.post('/orders', limit('BTC-USD', 'buy', '1.00', '1')))).toBe(BEYOND);
    expect((await caller.delete('/orders?all=true')).status).toBe(200);
  });

  it('sets profits off against losses', async () => {
    const { caller } = trader;
    await setLimit(caller, '20', { kind: 'loss', period: 'week' });
    await maker.place(limit(market, 'sell', '0.50', '20'));
    await caller.place(marketOrder(market, 'buy', '20'));
    await settle('1');
    const other = await createEvent(operator, `${market}-2`);
    expect(await limitsOf(caller)).toMatchObject([{ used: '0', remaining: '20' }]);
    await maker.place(limit(other, 'sell', '0.50', '30'));
    await maker.place(limit(other, 'buy', '0.20', '30'));
    await caller.place(marketOrder(other, 'buy', '30'));
    await caller.place(marketOrder(other, 'sell', '30'));
    // 10 were won, 9 were lost.
    expect(await limitsOf(caller)).toMatchObject([{ used: '0', remaining: '20' }]);
  });
});

describe('a deposit limit', () => {
  /** Asks again, for the same deposit, where a busy service asks to (503). */
  const depositOf = async (amount: string): Promise<Json> => {
    const key = { 'idempotency-key': randomUUID() };
    for (;;) {
      const reply = await operator.post(`/admin/accounts/${trader.accountId}/deposits`, usd(amount), key);
      if (reply.status !== 503) return reply;
      await delay(100);
    }
  };

  it('refuses what is beyond it, exactly, however many come at once', async () => {
    await setLimit(trader.caller, '1100', { kind: 'deposit' });
    const replies = await Promise.all(Array.from({ length: 20 }, () => depositOf('10')));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(replies.filter(({ status }) => status !== 201).map(refusalOf))).toEqual(new Set([BEYOND]));
    expect(await limitsOf(trader.caller)).toMatchObject([{ used: '1100', remaining: '0' }]);
    expect((await stake('2')).status).toBe(201);
  });

  it('counts transfers from others, and not those between own accounts', async () => {
    const { caller, accountId } = trader;
    await setLimit(caller, '1010', { kind: 'deposit', period: 'month' });
    const friend = await newTrader(app, operator, `friend-${made}`);
    const give = (amount: string): Promise<Json> =>
      friend.caller.post('/accounts/me/transfers', {
        asset: 'USD',
        amount,
        destination: { type: 'account', account_id: accountId },
      });
    const refused = await give('11');
    expect(refusalOf(refused)).toBe('422 limit_exceeded');
    expect(refused.body.error.message).not.toContain('limit of');
    expect((await give('10')).status).toBe(201);
    expect(refusalOf(await give('0.01'))).toBe('422 limit_exceeded');
    expect(await limitsOf(caller)).toMatchObject([{ used: '1010', remaining: '0' }]);
    const back = await caller.post('/accounts/me/transfers', {
      asset: 'USD',
      amount: '500',
      destination: { type: 'account', account_id: friend.accountId },
    });
    expect(back.status).toBe(201);
  });

  it('counts what comes into several accounts of one owner at once', async () => {
    const { caller, accountId } = trader;
    await setLimit(caller, '1100', { kind: 'deposit' });
    const { body: second } = await caller.post('/accounts', { name: 'Second' });
    const friends = await Promise.all(
      Array.from({ length: 24 }, (_, i) => newTrader(app, operator, `giver-${made}-${i}`)),
    );
    const replies = await Promise.all(
      friends.map((friend, i) =>
        friend.caller.post('/accounts/me/transfers', {
          asset: 'USD',
          amount: '10',
          destination: { type: 'account', account_id: i % 2 === 0 ? accountId : second.account_id },
        }),
      ),
    );
    const given = replies.filter(({ status }) => status === 201).length;
    expect(given).toBeGreaterThan(0);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(['409 self_limits_changed', '422 limit_exceeded']).toContain(refusalOf(reply));
    }
    const [{ used }] = await limitsOf(caller);
    expect(used).toBe(String(1_000 + 10 * given));
    expect(given).toBeLessThanOrEqual(10);
  });

  it('stops openings where more came in that could not be refused', async () => {
    await setLimit(trader.caller, '900', { kind: 'deposit' });
    expect(refusalOf(await stake('2'))).toBe(BEYOND);
    await trader.caller.place(limit('BTC-USD', 'buy', '1.00', '1'));
  });
});
