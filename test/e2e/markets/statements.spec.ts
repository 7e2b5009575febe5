import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';

describe('statements', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  /** A time between the trades. */
  let middle: string;

  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
    const market = await createMarket(await callerFor(app.url, 'admin'), 'STATE-USD');
    const trade = async (size: string): Promise<void> => {
      await maker.place(limit(market, 'sell', '100.5', size));
      await demo.place(limit(market, 'buy', '100.5', size));
    };
    for (const size of ['1', '2.5', '0.001']) await trade(size);
    const { body } = await demo.get('/accounts/me/entries?limit=1');
    // A millisecond later, so that all of it lies before.
    middle = new Date(Date.parse(body.data[0].created_at as string) + 1).toISOString();
    while (Date.now() <= Date.parse(middle)) await new Promise(setImmediate);
    for (const size of ['3', '0.25']) await trade(size);
  });

  afterAll(async () => {
    await app.close();
  });

  const path = '/accounts/me/statements';
  const statementOf = async (query: string, pageSize = 200): Promise<Json[]> =>
    demo.walk(`${path}?${query}`, pageSize);
  const ofKind = (lines: Json[], kind: string): Json[] => lines.filter((line) => line.kind === kind);

  /** Opening balances with all movements, by asset. */
  function addedUp(lines: Json[]): Record<string, string> {
    const sums = new Map<string, bigint>();
    for (const { kind, asset, balance, amount, direction } of lines) {
      const before = sums.get(asset as string) ?? 0n;
      if (kind === 'opening') sums.set(asset as string, parseAmount(balance as string)!);
      if (kind !== 'movement') continue;
      const moved = parseAmount(amount as string)!;
      sums.set(asset as string, direction === 'credit' ? before + moved : before - moved);
    }
    return Object.fromEntries([...sums].map(([asset, sum]) => [asset, formatAmount(sum as never)]));
  }
  const closing = (lines: Json[]): Record<string, string> =>
    Object.fromEntries(ofKind(lines, 'closing').map(({ asset, balance }) => [asset, balance]));

  it.each([
    ['all of it', () => ''],
    ['what came first', () => `to=${middle}`],
    ['what came last', () => `from=${middle}`],
    ['nothing', () => `from=${middle}&to=${middle}`],
    ['what lies ahead', () => 'to=2999-01-01T00:00:00Z'],
  ])('adds up for %s', async (_, query) => {
    const lines = await statementOf(query());
    expect(Object.keys(closing(lines)).length).toBeGreaterThan(1);
    expect(addedUp(lines)).toEqual(closing(lines));
  });

  it('closes with the balances, and begins with nothing', async () => {
    const lines = await statementOf('');
    const { body } = await demo.get('/accounts/me/balances?limit=200');
    const totals = Object.fromEntries(body.data.map(({ asset, total }: Json) => [asset, total]));
    expect(closing(lines)).toEqual(totals);
    for (const { balance } of ofKind(lines, 'opening')) expect(balance).toBe('0');
    const entries = await demo.walk('/accounts/me/entries', 200);
    const movements = ofKind(lines, 'movement').map(({ entry_id }) => entry_id);
    expect(movements).toEqual(entries.map(({ entry_id }) => entry_id).reverse());
  });

  it('goes on where the period before has ended', async () => {
    const [first, last] = [await statementOf(`to=${middle}`), await statementOf(`from=${middle}`)];
    const opening = ofKind(last, 'opening').map(({ asset, balance }) => [asset, balance]);
    expect(Object.fromEntries(opening)).toEqual(closing(first));
    const whole = ofKind(await statementOf(''), 'movement');
    expect([...ofKind(first, 'movement'), ...ofKind(last, 'movement')]).toEqual(whole);
  });

  it('is the same in pages of any size, and ends where its first page does', async () => {
    const whole = await statementOf('');
    for (const pageSize of [1, 3, 7]) expect(await statementOf('', pageSize)).toEqual(whole);

    const first = (await demo.get(`${path}?limit=2`)).body;
    await maker.place(limit('STATE-USD', 'sell', '100.5', '1'));
    await demo.place(limit('STATE-USD', 'buy', '100.5', '1'));
    const second = (await demo.get(`${path}?limit=200&cursor=${first.next_cursor as string}`)).body;
    expect(second.next_cursor).toBeNull();
    const lines = [...first.data, ...second.data] as Json[];
    expect(lines).toEqual(whole);
  });

  it('comes as CSV', async () => {
    const token = await tokenFor(app.url, 'demo');
    const response = await fetch(`${app.url}${path}?to=${middle}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    const rows = parse<Record<string, string>>(await response.text(), { columns: true });
    const lines = await statementOf(`to=${middle}`);
    expect(rows.map(({ kind, asset, balance, amount }) => [kind, asset, balance, amount])).toEqual(
      lines.map(({ kind, asset, balance, amount }) => [kind, asset, balance, amount ?? '']),
    );
  });

  it.each([
    [`/accounts/acc_00000000ZZZ/statements`, 404, 'account_not_found'],
    [`${path}?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`, 400, 'validation_failed'],
    [`${path}?from=yesterday`, 400, 'validation_failed'],
    [`${path}?cursor=bm9uZQ`, 400, 'invalid_cursor'],
  ])('refuses %s', async (refused, status, code) => {
    const answer = await demo.get(refused);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  it('shows no foreign account', async () => {
    const { body } = await maker.get('/accounts');
    const foreign = `/accounts/${body.data[0].account_id}/statements`;
    expect((await demo.get(foreign)).body.error.code).toBe('account_not_found');
  });
});
