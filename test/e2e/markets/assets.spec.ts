import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';

describe('assets and time', () => {
  let app: TestApp;
  let anyone: Caller;

  beforeAll(async () => {
    app = await startTestApp();
    anyone = new Caller(app.url);
  });

  afterAll(() => app.close());

  it('lists the assets with their kinds, in order of their codes', async () => {
    const operator = await callerFor(app.url, 'admin');
    await operator.post('/admin/assets', { code: 'ZZTOKEN', scale: 4 });
    const { status, body } = await anyone.get('/assets');
    expect(status).toBe(200);
    const codes = body.data.map(({ code }: Json) => code);
    expect(codes).toEqual([...codes].sort());
    const byCode = Object.fromEntries(body.data.map((asset: Json) => [asset.code, asset]));
    expect(byCode.USD).toEqual({
      code: 'USD',
      name: 'US Dollar',
      scale: 2,
      kind: 'fiat',
      deposits: false,
      withdrawals: expect.any(Boolean),
      chains: [],
    });
    expect(byCode.BTC).toMatchObject({
      name: 'Bitcoin',
      kind: 'crypto',
      deposits: false,
      withdrawals: false,
    });
    expect(byCode.ZZTOKEN).toEqual({
      code: 'ZZTOKEN',
      name: 'ZZTOKEN',
      scale: 4,
      kind: 'crypto',
      deposits: false,
      withdrawals: false,
      chains: [],
    });
    expect(await anyone.walk('/assets', 2)).toEqual(body.data);
  });

  it.each([
    'limit=0',
    'limit=1e3',
    'limit=201',
    'cursor=%00',
    'cursor=WyJBIiwxXQ',
    'cursor=a&cursor=b',
    'x=1',
  ])('refuses ?%s', async (query) => {
    expect((await anyone.get(`/assets?${query}`)).status).toBe(400);
  });

  it('answers 304 to whoever has the list', async () => {
    const etag = (await anyone.get('/assets')).headers.get('etag')!;
    const statusFor = async (tags: string): Promise<number> =>
      (await anyone.send('GET', '/assets', undefined, { 'if-none-match': tags })).status;
    const strong = etag.slice(2);
    for (const tags of [etag, strong, `"a", ${etag}`, `"a", ${strong}`, '*'])
      expect(await statusFor(tags), tags).toBe(304);
    for (const tags of ['"a"', strong.slice(1, -1), '', '"'.repeat(9_001), '"a", '.repeat(1_500)]) {
      expect(await statusFor(tags), tags).toBe(200);
    }
    const since = { 'if-modified-since': new Date().toUTCString() };
    expect((await anyone.send('GET', '/assets', undefined, since)).status).toBe(200);
  });

  it('tells the time and the sequence, which includes all that was acknowledged', async () => {
    const before = Date.now();
    const first = await anyone.get('/time');
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(Date.parse(first.body.time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(first.body.time)).toBeLessThanOrEqual(Date.now());
    const demo = await callerFor(app.url, 'demo');
    await demo.place(limit('BTC-USD', 'buy', '1', '1'));
    expect((await anyone.get('/time')).body.sequence).toBeGreaterThan(first.body.sequence);
  });
});
