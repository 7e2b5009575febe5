import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';

describe('balances at a point in time', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
  });
  afterAll(() => app.close());

  const totals = async (query: string): Promise<Record<string, string>> => {
    const balances = await demo.walk(`/accounts/me/balances?${query}`, 2);
    return Object.fromEntries(balances.map(({ asset, total }: Json) => [asset, total]));
  };

  it('are what every ledger entry says that they were after it', async () => {
    const start = await totals('');
    await maker.place(limit('BTC-USD', 'sell', '60000', '3'));
    for (const size of ['1', '0.5', '0.25']) await demo.place(limit('BTC-USD', 'buy', '60000', size));

    const entries = (await demo.walk('/accounts/me/entries', 50)).filter(({ reason }) => reason === 'trade');
    expect(entries).toHaveLength(6);
    for (const entry of entries) {
      const then = await totals(`at_sequence=${entry.ledger_sequence}`);
      expect(then[entry.asset]).toBe(entry.balance_after);
    }
    const first = entries.at(-1)!;
    expect(await totals(`at_sequence=${first.ledger_sequence - 1}`)).toEqual(start);
    expect(await totals(`as_of=${first.created_at}`)).not.toEqual(start);
    const before = new Date(Date.parse(first.created_at) - 1).toISOString();
    expect(await totals(`as_of=${before}`)).toEqual(start);
    expect(await totals(`as_of=1970-01-01T00:00:00Z`)).toEqual(
      Object.fromEntries(Object.keys(start).map((asset) => [asset, '0'])),
    );
    expect(await totals(`as_of=${new Date().toISOString()}`)).toEqual(await totals(''));

    const [past] = (await demo.get(`/accounts/me/balances?at_sequence=${first.ledger_sequence}`)).body.data;
    expect(past).toMatchObject({ available: null, held: null });
  });

  it.each([
    'at_sequence=9007199254740991',
    'at_sequence=-1',
    'at_sequence=1.5',
    'at_sequence=0x10',
    'at_sequence=1&at_sequence=2',
    'at_sequence=1&as_of=2026-01-01T00:00:00Z',
    'as_of=2999-01-01T00:00:00Z',
    'as_of=yesterday',
    'as_of=2026-02-30T00:00:00Z',
    'as_of=',
  ])('are refused for %s', async (query) => {
    expect(await demo.get(`/accounts/me/balances?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed' } },
    });
  });

  it("are nobody else's", async () => {
    const { account_id } = (await maker.get('/accounts')).body.data[0];
    expect((await demo.get(`/accounts/${account_id}/balances?at_sequence=1`)).status).toBe(404);
  });
});
