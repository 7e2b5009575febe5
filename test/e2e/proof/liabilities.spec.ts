import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type JournalKey, keysOf } from '../../../src/domain/proof/journal-head.js';
import { checkLiabilityProof, faultOfLiabilities } from '../../../src/domain/proof/liability-proof.js';
import { PointInTime } from '../../../src/core/journal/point-in-time.js';
import { DailyCuts, lastMidnight } from '../../../src/modules/proof/liabilities/daily-cuts.js';
import { takeCut } from '../../../src/modules/proof/liabilities/take-cut.js';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { fund, invite, newUser, openSubAccount, outcomeOf } from '../../support/clients/accounts-client.js';
import {
  balancesAt,
  cutNow,
  owedByEntries,
  published,
  totalsOf,
} from '../../support/clients/liabilities-client.js';
import {
  createMarket,
  expectBalancedBooks,
  limit,
  tradeAtRandom,
} from '../../support/clients/markets-client.js';
import { eventually, queryOnce } from '../../support/core.js';
import type { UserCaller } from '../../support/clients/users-client.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

const SPOT = 'PROOF-USD';
const EVENT = 'PROOF-EVENT';

let app: TestApp;
let anyone: Caller;
let demo: Caller;
let maker: Caller;
let operator: Caller;
let owner: UserCaller;
let account: string;

const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  anyone = new Caller(app.url);
  [demo, maker, operator] = (await Promise.all(
    ['demo', 'maker', 'admin'].map((client) => callerFor(app.url, client)),
  )) as [Caller, Caller, Caller];
  await createMarket(operator, SPOT, { maker_fee_rate: '0.001', taker_fee_rate: '0.002' });
  await createMarket(operator, EVENT, { kind: 'event', base_asset: undefined, lot_size: '1' });
  owner = await newUser(app, 'prover');
  account = await openSubAccount(owner, 'to be proven');
  await fund(app, account, '1234.56');
});
afterAll(async () => {
  await expectBalancedBooks(operator);
  await app.close();
});

describe('before there is a cut', () => {
  it('nothing is shown', async () => {
    expect(await outcomeOf(anyone.get('/liabilities'))).toBe('404 not_found');
    expect((await anyone.get('/liabilities/cuts')).body).toEqual({ data: [], next_cursor: null });
    expect(await outcomeOf(owner.get(`/accounts/${account}/proof`))).toBe('404 not_found');
    expect((await operator.get('/admin/liabilities')).body).toEqual({ data: [], next_cursor: null });
  });
});

describe('a cut on demand', () => {
  let report: Json;

  it('is published with the totals of the ledger at its sequence, while trading goes on', async () => {
    await maker.place(limit(EVENT, 'sell', '0.4', '50'));
    await demo.place(limit(EVENT, 'buy', '0.4', '30'));
    const trading = tradeAtRandom([demo, maker], SPOT, 400);
    await tradeAtRandom([maker, demo], SPOT, 40);
    report = await cutNow(operator);
    await trading;
    expect(totalsOf(report)).toEqual(await owedByEntries(app.config.databaseUrl!, report.sequence));
    // 30 contracts were bought at 0.4 against 0.6: each is worth 1 to one of the two.
    expect(report.totals.find(({ asset }: Json) => asset === 'USD').in_pools).toBe('30');
    const later = await query('SELECT FROM trades WHERE trade_id > $1 LIMIT 1', [report.sequence]);
    expect(later, 'trading went on after the cut').toHaveLength(1);
  });

  it('is what anyone may read, and lists', async () => {
    expect((await anyone.get('/liabilities')).body).toEqual(report);
    expect((await anyone.get('/liabilities/cuts')).body).toEqual({ data: [report], next_cursor: null });
  });

  it('is signed by the key of the service', async () => {
    const keys = keysOf((await anyone.get('/journal/keys')).body.data as JournalKey[]);
    if (typeof keys === 'string') throw new Error(keys);
    expect(faultOfLiabilities(report, keys)).toBeNull();
    expect(faultOfLiabilities({ ...report, sequence: report.sequence + 1 }, keys)).not.toBeNull();
  });

  it('says that nobody shows what no chain and no bank shows', () => {
    const assets = report.assets_shown.map(({ asset }: Json) => asset);
    expect(assets).toEqual(report.totals.map(({ asset }: Json) => asset));
    for (const shown of report.assets_shown)
      expect(shown).toMatchObject({ source: 'none', name: null, amount: null, reconciled: false });
  });

  it('proves to each owner what was there, available and held', async () => {
    await demo.place(limit(SPOT, 'buy', '1', '1'));
    report = await cutNow(operator);
    for (const [caller, id] of [
      [owner, account],
      [demo, 'me'],
      [maker, 'me'],
    ] as const) {
      const { status, body: proof } = await caller.get(`/accounts/${id}/proof`);
      expect(status).toBe(200);
      expect(proof).toMatchObject({ as_of: report.as_of, sequence: report.sequence, root: report.root_hash });
      expect(checkLiabilityProof(proof, report)).toEqual({
        ok: true,
        balances: await balancesAt(caller, id, report.sequence),
      });
    }
  });

  it('proves what is in wallets to their owners', async () => {
    const { body: wallet } = await demo.post('/wallets', { name: 'proven' });
    const moved = await demo.post('/accounts/me/transfers', {
      asset: 'USD',
      amount: '12.5',
      destination: { type: 'wallet', wallet_id: wallet.wallet_id },
    });
    expect(moved.status, JSON.stringify(moved.body)).toBe(201);
    const newer = await cutNow(operator);
    const { body: proof } = await demo.get(`/wallets/${wallet.wallet_id}/proof`);
    expect(checkLiabilityProof(proof, newer)).toEqual({ ok: true, balances: { USD: '12.5' } });
    expect(await outcomeOf(maker.get(`/wallets/${wallet.wallet_id}/proof`))).toBe('404 not_found');
    expect(await outcomeOf(demo.get(`/wallets/${wallet.wallet_id}/proof?as_of=${report.as_of}`))).toBe(
      '404 not_found',
    );
  });

  it('still proves an older cut, against its own report alone', async () => {
    const { body: proof } = await owner.get(`/accounts/${account}/proof?as_of=${report.as_of}`);
    expect(checkLiabilityProof(proof, report)).toMatchObject({ ok: true });
    const { body: newest } = await anyone.get('/liabilities');
    expect(checkLiabilityProof(proof, newest)).toMatchObject({ ok: false });
  });

  it('shows no balance of others in a path', async () => {
    const { body: proof } = await owner.get(`/accounts/${account}/proof?as_of=${report.as_of}`);
    const others: string[] = [
      ...Object.values<string>(await balancesAt(demo, 'me', report.sequence)),
      ...Object.values<string>(await balancesAt(maker, 'me', report.sequence)),
    ];
    const siblings = proof.parts.flatMap(({ path }: Json) => Object.values<string>(path[0].sums));
    for (const sum of siblings) expect(others).not.toContain(sum);
  });
});

describe('a cut of the past', () => {
  it('has what was owed then, and nothing of what came after', async () => {
    const { sequence } = (await anyone.get('/time')).body;
    const before = await balancesAt(demo, 'me', sequence);
    await tradeAtRandom([demo, maker], SPOT, 60);
    await fund(app, account, '77');
    const fresh = await openSubAccount(owner, 'later');
    await fund(app, fresh, '5');
    const [{ cut_id }] = (await query(
      `INSERT INTO liability_runs (kind, cut_at, cut_sequence) VALUES ('daily', now() - interval '1 hour', $1)
       RETURNING cut_id`,
      [sequence],
    )) as [Json];
    await query(
      `SELECT 1 FROM graphile_worker.add_job('liabilities.take_cut', json_build_object('cutId', $1::text))`,
      [cut_id],
    );
    const run = await eventually(async () => {
      const [found] = await operator.walk('/admin/liabilities', 50);
      expect(found).toMatchObject({ kind: 'daily', status: 'done' });
      return found;
    });
    const report = await published(operator, run.cut_id as string);
    expect(report.sequence).toBe(sequence);
    expect(totalsOf(report)).toEqual(await owedByEntries(app.config.databaseUrl!, sequence));
    const proofAt = async (caller: Caller, id: string): Promise<Json> =>
      (await caller.get(`/accounts/${id}/proof?as_of=${report.as_of}`)).body;
    expect(checkLiabilityProof(await proofAt(demo, 'me'), report)).toEqual({ ok: true, balances: before });
    expect(checkLiabilityProof(await proofAt(owner, account), report)).toEqual({
      ok: true,
      balances: { USD: '1234.56' },
    });
    expect((await proofAt(owner, fresh)).error.code).toBe('not_found');
  });

  it('is asked for once for each midnight, five minutes later', async () => {
    const daily = app.app.nest.get(DailyCuts);
    const dayMs = 24 * 60 * 60 * 1_000;
    const midnightMs = Math.ceil(Date.now() / dayMs) * dayMs;
    expect(lastMidnight(midnightMs + 299_999)).toBe(midnightMs - dayMs);
    expect(lastMidnight(midnightMs + 300_000)).toBe(midnightMs);
    const sequence = await app.app.nest.get(PointInTime).present();
    await Promise.all([1, 2, 3].map(() => daily.look(midnightMs + 400_000)));
    await daily.look(midnightMs + 500_000);
    const rows = await query(
      `SELECT cut_sequence::integer AS sequence FROM liability_runs WHERE cut_at = $1`,
      [new Date(midnightMs)],
    );
    expect(rows).toEqual([{ sequence }]);
    await eventually(async () => {
      const runs = await operator.walk('/admin/liabilities', 50);
      expect(runs.every(({ status }: Json) => status === 'done')).toBe(true);
    });
    // It would be ahead of all others.
    await query('DELETE FROM liability_cuts WHERE as_of = $1', [new Date(midnightMs)]);
  });
});

describe('access', () => {
  it('is for those with a role on the account', async () => {
    const reader = await newUser(app, 'reader');
    expect(await outcomeOf(anyone.get(`/accounts/${account}/proof`))).toBe('401 authentication_required');
    expect(await outcomeOf(reader.get(`/accounts/${account}/proof`))).toBe('404 account_not_found');
    expect(await outcomeOf(demo.get(`/accounts/${account}/proof`))).toBe('404 account_not_found');
    await invite(owner, account, 'reader', 'viewer');
    await reader.post(`/accounts/${account}/membership`, {});
    expect(await outcomeOf(reader.get(`/accounts/${account}/proof`))).toBe('200');
    const narrow = await callerFor(app.url, 'demo', 'markets:trade');
    expect(await outcomeOf(narrow.get('/accounts/me/proof'))).toBe('403 insufficient_scope');
  });

  it('to pools and to accounts of the house is nobody’s', async () => {
    const rows = await query(`SELECT account_id::integer AS id FROM accounts WHERE owner IS NULL`);
    expect(rows.length).toBeGreaterThan(0);
    for (const { id } of rows)
      expect(await outcomeOf(demo.get(`/accounts/${ACCOUNT_IDS.format(id)}/proof`))).toBe(
        '404 account_not_found',
      );
  });

  it('to cuts is for operators', async () => {
    expect(await outcomeOf(anyone.get('/admin/liabilities'))).toBe('401 authentication_required');
    expect(await outcomeOf(demo.get('/admin/liabilities'))).toBe('403 insufficient_scope');
    expect(await outcomeOf(demo.post('/admin/liabilities', undefined))).toBe('403 insufficient_scope');
  });
});

describe('hostile values', () => {
  it.each([
    'yesterday',
    '2026-02-31T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59Z',
    '2026-11-26T00:00:00+01:00',
    '2026-11-26',
    '%00',
    '',
    "' OR 1=1 --",
    '1'.repeat(5_000),
  ])('as_of is refused that is no time: case %#', async (text) => {
    const asOf = encodeURIComponent(text);
    for (const [caller, path] of [
      [anyone, '/liabilities'],
      [owner, `/accounts/${account}/proof`],
    ] as const)
      expect(await outcomeOf(caller.get(`${path}?as_of=${asOf}`))).toBe('400 validation_failed');
  });

  it('as_of twice, or as an object, is refused', async () => {
    for (const text of ['as_of=2026-01-01T00:00:00Z&as_of=2026-01-01T00:00:00Z', 'as_of[x]=1'])
      expect((await anyone.get(`/liabilities?${text}`)).status).toBe(400);
  });

  it('a time before all cuts finds none', async () => {
    expect(await outcomeOf(anyone.get('/liabilities?as_of=1970-01-01T00:00:00Z'))).toBe('404 not_found');
  });

  it('cursors of other lists are refused', async () => {
    const cursor = (parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
    for (const text of ['x', cursor([1]), cursor(['a', 1]), cursor([-1, 1])])
      expect(await outcomeOf(anyone.get(`/liabilities/cuts?cursor=${text}`))).toBe('400 invalid_cursor');
    const far = cursor([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
    expect((await anyone.get(`/liabilities/cuts?cursor=${far}`)).status).toBe(200);
  });

  it('accounts that are none have no proof', async () => {
    for (const id of ['acc_', 'acc_ZZZZZZZZZZZ', '%00', '..%2f', 'wlt_00000000001'])
      expect((await owner.get(`/accounts/${id}/proof`)).status).toBeLessThan(500);
  });
});

describe('a clock that is set forward', () => {
  const TWO_DAYS_MS = 2 * 86_400_000;
  const realMs = Date.now.bind(Date);
  beforeAll(() => void vi.spyOn(Date, 'now').mockImplementation(() => realMs() + TWO_DAYS_MS));
  afterAll(() => void vi.restoreAllMocks());

  it('has no cut taken of a midnight that has not come', async () => {
    const runs = (): Promise<Json[]> => query('SELECT cut_at FROM liability_runs ORDER BY cut_id');
    const before = await runs();
    await app.app.nest.get(DailyCuts).look();
    const made = (await runs()).slice(before.length);
    expect(made.filter(({ cut_at: at }) => at.getTime() > realMs())).toEqual([]);
  });

  it('gives a cut of the present the time of the core', async () => {
    const { as_of: asOf } = await cutNow(await callerFor(app.url, 'admin'));
    expect(Date.parse(asOf)).toBeLessThan(realMs() + 1_000);
  });

  it('makes no moment past that has not come', async () => {
    const asOf = new Date(realMs() + TWO_DAYS_MS / 2).toISOString();
    const caller = await callerFor(app.url, 'demo');
    for (const path of ['/liabilities', '/accounts/me/balances'])
      expect(await outcomeOf(caller.get(`${path}?as_of=${asOf}`))).toBe('400 validation_failed');
  });
});

describe('operators', () => {
  it('take one at a time, each with its row in the audit log', async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => operator.post('/admin/liabilities', undefined)),
    );
    const [made, ...more] = replies.filter(({ status }) => status === 202);
    expect(more).toEqual([]);
    for (const { status, body } of replies)
      if (status !== 202) expect([status, body.error.code]).toEqual([409, 'conflict']);
    const cutId = made!.body.cut_id as string;
    await published(operator, cutId);
    const { data } = (await operator.get('/admin/audit?limit=10')).body;
    const outcomes = data
      .filter(({ target }: Json) => target?.type === 'liabilities' && target.id === cutId)
      .map(({ outcome }: Json) => outcome);
    expect(outcomes).toEqual(['succeeded']);
  });

  it('get the same answer for the same key', async () => {
    const headers = { 'idempotency-key': 'one cut' };
    const first = await operator.post('/admin/liabilities', undefined, headers);
    expect(first.status).toBe(202);
    await published(operator, first.body.cut_id as string);
    const second = await operator.post('/admin/liabilities', undefined, headers);
    expect(second.body).toEqual(first.body);
  });

  it('page through cuts', async () => {
    const all = await anyone.walk('/liabilities/cuts', 200);
    expect(await anyone.walk('/liabilities/cuts', 1)).toEqual(all);
    const times = all.map(({ as_of }: Json) => as_of as string);
    expect(times).toEqual([...times].sort().reverse());
    expect(await operator.walk('/admin/liabilities', 1)).toEqual(
      await operator.walk('/admin/liabilities', 200),
    );
  });

  it('may ask for 24 in a day', async () => {
    await query(
      `INSERT INTO liability_runs (kind, status, finished_at) SELECT 'on_demand', 'failed', now() FROM generate_series(1, 24)`,
    );
    expect(await outcomeOf(operator.post('/admin/liabilities', undefined))).toBe('429 rate_limited');
    await query(`DELETE FROM liability_runs WHERE status = 'failed'`);
  });
});

describe('upkeep', () => {
  it('gives up what no job works on any more', async () => {
    await query(
      `INSERT INTO liability_runs (kind, status, created_at) VALUES ('on_demand', 'running', now() - interval '7 hours')`,
    );
    await query(
      `INSERT INTO liability_chunks (cut_id, chunk, secret, first_salt, hash, sums, leaves)
       SELECT cut_id, 0, '', '', '', '{}', '' FROM liability_runs WHERE status = 'running'`,
    );
    expect(await outcomeOf(operator.post('/admin/liabilities', undefined))).toBe('409 conflict');
    await app.app.nest.get(DailyCuts).look(Date.now());
    const failed = `SELECT cut_id FROM liability_runs WHERE status = 'failed'`;
    expect(await query(failed)).toHaveLength(1);
    expect(await query(`SELECT FROM liability_chunks WHERE cut_id IN (${failed})`)).toEqual([]);
    await cutNow(operator);
  });

  it('publishes one of two tries of a cut that go on beside each other, with its own leaves alone', async () => {
    const [{ cut_id: cutId }] = (await query(
      `INSERT INTO liability_runs (kind, status) VALUES ('on_demand', 'running') RETURNING cut_id`,
    )) as [Json];
    const tryOnce = (secret: number, meanwhile: () => Promise<void>): Promise<void> =>
      takeCut(
        {
          databaseUrl: app.config.databaseUrl!,
          cutId,
          secret: Buffer.alloc(32, secret),
          requestedAt: new Date().toISOString(),
          past: null,
        },
        {
          onProgress: () => undefined,
          async report(cut) {
            await meanwhile();
            return { ...cut, assets_shown: [], key_id: 'none', signature: 'none' };
          },
        },
      );
    const leaves = (): Promise<Json[]> =>
      query('SELECT chunk, secret, hash FROM liability_chunks WHERE cut_id = $1 ORDER BY chunk', [cutId]);

    // The first one is frozen before it publishes, and the second one is taken for its successor.
    await expect(tryOnce(1, () => tryOnce(2, () => Promise.resolve()))).rejects.toThrow(
      'another try of this cut has gone on beside this one',
    );
    const stored = await leaves();
    expect(stored.length).toBeGreaterThan(0);
    for (const { secret } of stored) expect(secret).toEqual(Buffer.alloc(32, 2));
    // One that began before the second one published cannot change its leaves.
    await expect(tryOnce(3, () => Promise.resolve())).rejects.toMatchObject({ code: '23505' });
    expect(await leaves()).toEqual(stored);

    await query(`UPDATE liability_runs SET status = 'failed' WHERE cut_id = $1`, [cutId]);
    await expect(tryOnce(4, () => Promise.resolve())).rejects.toThrow('this cut was ended');
    // It was given up, since nobody heard that it was published: the leaves stay.
    await app.app.nest.get(DailyCuts).look(Date.now());
    expect(await leaves()).toEqual(stored);
    await query('DELETE FROM liability_cuts WHERE cut_id = $1', [cutId]);
    await app.app.nest.get(DailyCuts).look(Date.now());
    expect(await leaves()).toEqual([]);
  });

  it('deletes old leaves with what tells their accounts, and keeps what is published', async () => {
    const all = await anyone.walk('/liabilities/cuts', 200);
    await query(`UPDATE liability_chunks SET created_at = now() - interval '91 days'`);
    await query(`UPDATE liability_runs SET created_at = now() - interval '91 days'`);
    await app.app.nest.get(Purges).purgeNext();
    expect(await query('SELECT FROM liability_chunks')).toEqual([]);
    expect(await query('SELECT FROM liability_runs')).toEqual([]);
    expect(await anyone.walk('/liabilities/cuts', 200)).toEqual(all);
    expect(await outcomeOf(owner.get(`/accounts/${account}/proof`))).toBe('404 not_found');
  });
});
