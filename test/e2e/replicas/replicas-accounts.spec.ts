import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answered,
  fund,
  invite,
  letIn,
  newKey,
  openSubAccount,
  outcomeOf,
} from '../../support/clients/accounts-client.js';
import { limit } from '../../support/clients/markets-client.js';
import { logIn, type UserCaller } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';

describe.skipIf(isRedisMissing('accounts over several processes'))('accounts of two processes', () => {
  let replicas: Replicas;
  let alice: UserCaller;
  let bob: UserCaller;
  let desk: string;

  const there = (caller: UserCaller, method: string, path: string, body?: object): Promise<string> =>
    outcomeOf(caller.at(replicas.other.url).send(method, path, body && JSON.stringify(body)));

  beforeAll(async () => {
    replicas = await Replicas.start({ rateLimits: 'off' });
    [alice, bob] = [await logIn(replicas.leader, 'alice'), await logIn(replicas.leader, 'bob')];
    desk = await openSubAccount(alice, 'Desk');
  });
  afterAll(() => replicas.stop());

  it('are known to the other one as soon as they are opened', async () => {
    for (let n = 0; n < 10; n++) {
      const account = await openSubAccount(alice, `Desk ${n}`);
      expect(await there(alice, 'GET', `/accounts/${account}/balances`)).toBe('200');
      const key = await newKey(alice, account);
      expect(await there(key, 'POST', '/orders/cancel-after', { timeout_ms: 0 })).toBe('200');
    }
  });

  it('are closed to a member in the other one, too, when the membership ends or gives less', async () => {
    await fund(replicas.leader, desk, '100');
    const order = limit('BTC-USD', 'buy', '1', '1', { account_id: desk });
    await letIn(alice, desk, bob, 'bob', 'trader');
    await eventually(async () => expect(await there(bob, 'POST', '/orders', order)).toBe('201'));
    await invite(alice, desk, 'bob', 'viewer');
    await eventually(async () => expect(await there(bob, 'POST', '/orders', order)).toBe('403 forbidden'));
    await answered(alice.delete(`/accounts/${desk}/members/bob`), 204);
    await eventually(async () =>
      expect(await there(bob, 'GET', `/accounts/${desk}/balances`)).toBe('404 account_not_found'),
    );
  });

  it('are at most a hundred of one owner, of requests to both at once', async () => {
    const open = (caller: UserCaller, n: number): Promise<string> =>
      n % 2 === 0
        ? outcomeOf(caller.post('/accounts', { name: `${n}` }))
        : there(caller, 'POST', '/accounts', { name: `${n}` });
    const outcomes = await Promise.all(Array.from({ length: 110 }, (_, n) => open(bob, n)));
    expect(outcomes.filter((outcome) => outcome === '201')).toHaveLength(100);
    expect(new Set(outcomes)).toEqual(new Set(['201', '409 conflict']));
  });
});
