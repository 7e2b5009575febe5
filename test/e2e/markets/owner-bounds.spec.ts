import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor } from '../../support/caller.js';
import { answered, newUser, openSubAccount, outcomeOf } from '../../support/clients/accounts-client.js';
import { logIn, type UserCaller } from '../../support/clients/users-client.js';

const TOO_MANY = '422 too_many_open_orders';

describe('the accounts of a person, and of the users whom that person made', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ environment: { OWNER_OPEN_STOPS_MAX: '2' } });
  });
  afterAll(() => app.close());

  const stop = (caller: UserCaller, account_id?: string): Promise<string> =>
    outcomeOf(
      caller.post('/orders', {
        market_id: 'BTC-USD',
        side: 'buy',
        type: 'stop',
        stop_price: '70000',
        size: '0.01',
        ...(account_id !== undefined && { account_id }),
      }),
    );
  const make = async (maker: UserCaller, username: string): Promise<UserCaller> => {
    await answered(maker.post('/user', { username, password: `${username}-password` }), 200);
    return logIn(app, username);
  };

  it('have no more stops together than one may have, whoever opened them', async () => {
    const maker = await newUser(app, 'maker-of-users');
    const made = await make(maker, 'made');
    const madeByMade = await make(made, 'made-by-made');
    expect(await stop(maker)).toBe('201');
    expect(await stop(madeByMade)).toBe('201');

    const operator = await callerFor(app.url, 'admin');
    const opened = await answered(operator.post('/admin/accounts', { name: 'Opened', owner: 'made' }), 201);
    const outcomes: string[] = [];
    for (const [caller, accountId] of [
      [maker, undefined],
      [made, undefined],
      [maker, await openSubAccount(maker, 'Second')],
      [madeByMade, await openSubAccount(madeByMade, 'Second')],
      [made, opened.account_id as string],
      [await make(maker, 'made-later'), undefined],
    ] as const)
      outcomes.push(await stop(caller, accountId));
    expect(outcomes).toEqual(Array(6).fill(TOO_MANY));
    expect(await stop(await newUser(app, 'somebody-else'))).toBe('201');
  });
});
