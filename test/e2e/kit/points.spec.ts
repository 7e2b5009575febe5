import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POINTS } from '../../../src/kit/rate-limit/points.js';
import { BUDGETS } from '../../../src/kit/rate-limit/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, tokenFor } from '../../support/caller.js';
import { answered, newUser } from '../../support/clients/accounts-client.js';
import { createMarket } from '../../support/clients/markets-client.js';
import { petCaller, postParts } from '../../support/clients/pets-client.js';
import { logIn } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';

describe('points by cost', () => {
  let app: TestApp;
  let operator: Caller;
  let demo: Caller;
  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'on' });
    [operator, demo] = await Promise.all([callerFor(app.url, 'admin'), callerFor(app.url, 'demo')]);
  });
  afterAll(() => app.close());

  const leftAfter = (headers: Headers): number => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);

  it.each([
    ['a statement', '/accounts/statements', POINTS.statement],
    ['the statement of an account', '/accounts/me/statements', POINTS.statement],
    ['a receipt', '/orders/ord_00000000001/receipt', POINTS.receipt],
  ])('%s costs as much CPU as so many orders', async (_what, path, points) => {
    const { headers } = await demo.get(path);
    expect(leftAfter(headers)).toBeLessThanOrEqual(BUDGETS.reads.points - points);
  });

  it('users whom somebody made have one budget with their maker', async () => {
    const maker = await newUser(app, 'maker-of-users');
    const made = { username: 'made', password: 'made-password' };
    await answered(maker.post('/user', made), 200);
    const callers = [maker, await logIn(app, made.username), await newUser(app, 'somebody-else')];
    const left: number[] = [];
    for (const caller of callers)
      left.push(leftAfter((await caller.post('/auth/stream-tickets', {})).headers));
    const { points } = BUDGETS.stream_tickets;
    expect(left).toEqual([points - 1, points - 2, points - 1]);
  });

  it('a list as CSV costs points for each page', async () => {
    const token = await tokenFor(app.url, 'maker');
    const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
    const maker = await callerFor(app.url, 'maker');
    // A window may end between the two requests.
    await eventually(async () => {
      await (await fetch(`${app.url}/orders`, { headers })).text();
      const next = await maker.get('/markets');
      expect(leftAfter(next.headers)).toBeLessThanOrEqual(BUDGETS.reads.points - POINTS.csvPage - 2);
    });
  });

  it('an image costs as much as many orders', async () => {
    const pets = await petCaller(app);
    const form = new FormData();
    form.append('file', new Blob(['no image']), 'photo.png');
    const { headers } = await postParts(pets, '/pet/999999/uploadImage', form);
    expect(leftAfter(headers)).toBeLessThanOrEqual(BUDGETS.writes.points - POINTS.image);
  });

  it('a set costs half an order in each of its markets', async () => {
    const markets: string[] = [];
    for (const name of ['RED', 'GREEN', 'BLUE', 'WHITE', 'BLACK', 'GREY'])
      markets.push(
        await createMarket(operator, name, { kind: 'event', base_asset: undefined, lot_size: '1' }),
      );
    const group = { event_group_id: 'CUP', title: 'Who wins?', market_ids: markets };
    expect((await operator.post('/admin/event-groups', group)).status).toBe(201);
    await eventually(async () => {
      expect((await demo.post('/event-groups/CUP/split', { size: '1' })).status).toBe(200);
      const next = await demo.post('/event-groups/CUP/split', { size: '1' });
      expect(leftAfter(next.headers)).toBeLessThanOrEqual(BUDGETS.orders.points - 4);
    });
  });
});
