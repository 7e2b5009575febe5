import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, callerFor } from '../../support/caller.js';
import { createEvent } from '../../support/clients/exchange-client.js';
import { inDays, limitsOf, newTrader, setLimit } from '../../support/clients/limits-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { logIn, refusalOf } from '../../support/clients/users-client.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';

const BEYOND = '422 self_limit_exceeded';

describe.skipIf(isRedisMissing('self-set limits over several processes'))('limits at two processes', () => {
  let replicas: Replicas;
  let operator: Caller;
  let made = 0;

  beforeAll(async () => {
    replicas = await Replicas.start({ rateLimits: 'off' });
    operator = await callerFor(replicas.leader.url, 'admin');
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await replicas.stop();
  });

  /** The same session at each of the processes. */
  async function traderAtBoth(): Promise<{ both: readonly [Caller, Caller]; market: string }> {
    const number = ++made;
    const market = await createEvent(operator, `BOTH-${number}`);
    const { caller, username } = await newTrader(replicas.leader, operator, `both-${number}`);
    return { both: [caller, await logIn(replicas.other, username)], market };
  }

  it('accept exactly what fits of fifty orders at once', async () => {
    const { both, market } = await traderAtBoth();
    await setLimit(both[0], '10');
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => both[i % 2]!.post('/orders', limit(market, 'buy', '0.50', '2'))),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(replies.filter(({ status }) => status !== 201).map(refusalOf))).toEqual(new Set([BEYOND]));
    for (const caller of both) expect(await limitsOf(caller)).toMatchObject([{ used: '10', remaining: '0' }]);
  });

  it('hold at the other process as soon as they are answered', async () => {
    for (const [setAt, tradeAt] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const { both, market } = await traderAtBoth();
      await both[tradeAt].place(limit(market, 'buy', '0.50', '2'));
      await setLimit(both[setAt], '1');
      const order = limit(market, 'buy', '0.50', '1');
      expect(refusalOf(await both[tradeAt].post('/orders', order))).toBe(BEYOND);
      const { status } = await both[setAt].post('/user/exclusion', { until: inDays(2) });
      expect(status).toBe(200);
      expect(refusalOf(await both[tradeAt].post('/orders', order))).toBe('403 self_excluded');
      expect((await both[tradeAt].get('/orders?status=open')).body.data).toEqual([]);
    }
  });
});
