import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatAmount } from '../../src/domain/money/amount.js';
import {
  checkLiabilityProof,
  type LiabilityProof,
  type SignedLiabilities,
} from '../../src/domain/proof/liability-proof.js';
import { eventually } from '../support/core.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

/** A job is tried five times. */
const KILLS = 2;
/** Some pages of leaves. */
const ACCOUNTS = 4_000;
/** Far above every account that the service opens. */
const FIRST_ACCOUNT = 1_000_000_000_000;

interface Run {
  readonly status: string;
  readonly accounts_done: number;
  readonly as_of: string | null;
}

describe('a cut of the liabilities whose process is killed', () => {
  let site: Site;
  let service: ServiceProcess;
  beforeEach(async () => {
    site = await Site.open();
    service = await site.start();
  });
  afterEach(() => site.close());

  async function newestRun(): Promise<Run> {
    const api = service.client();
    const token = await api.authorize('admin:admin-secret');
    const { body } = await api.expect<{ data: Run[] }>(200, 'GET', '/admin/liabilities', { token });
    return body.data[0]!;
  }

  /** Customers with money, and insertions that take their time, so that a kill meets them. */
  async function seed(): Promise<void> {
    await site.query(
      `INSERT INTO accounts (account_id, kind, name, owner, kyc_level, created_at)
       SELECT ${FIRST_ACCOUNT} + place, 'trading', 'seeded', 'user:' || ${FIRST_ACCOUNT} + place, 0, now()
       FROM generate_series(1, ${ACCOUNTS}) AS place`,
    );
    await site.query(
      `INSERT INTO balances (account_id, asset, available, held)
       SELECT ${FIRST_ACCOUNT} + place, 'USD', place * 1e18::numeric, 0 FROM generate_series(1, ${ACCOUNTS}) AS place`,
    );
    await site.query(
      `CREATE FUNCTION linger_in_leaves() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'`,
    );
    await site.query(
      `CREATE TRIGGER linger AFTER INSERT ON liability_chunks EXECUTE FUNCTION linger_in_leaves()`,
    );
  }

  async function stored(): Promise<{ chunks: number; secrets: number; cuts: number }> {
    const [row] = await site.query<{ chunks: number; secrets: number; cuts: number }>(
      `SELECT count(*)::integer AS chunks, count(DISTINCT secret)::integer AS secrets,
         (SELECT count(*)::integer FROM liability_cuts) AS cuts
       FROM liability_chunks`,
    );
    return row!;
  }

  it('publishes nothing, and is taken anew', async () => {
    await seed();
    const admin = await service.client().authorize('admin:admin-secret');
    await service.client().expect(202, 'POST', '/admin/liabilities', { token: admin });
    for (let kill = 0; kill < KILLS; kill++) {
      await eventually(async () => {
        const { status, accounts_done } = await newestRun();
        expect(status).toBe('running');
        expect(accounts_done).toBeGreaterThan(0);
      });
      await service.kill();
      // The database notices that the connection is gone.
      await eventually(
        async () =>
          (await site.query(`SELECT FROM pg_stat_activity WHERE application_name = 'tradepost-liabilities'`))
            .length === 0,
        'the connection of the killed process is closed',
      );
      // Some leaves are there, which count for nothing.
      const left = await stored();
      expect(left).toMatchObject({ secrets: 1, cuts: 0 });
      expect(left.chunks).toBeGreaterThan(0);
      service = await site.start();
      await service.ready();
    }
    await eventually(async () => expect(await newestRun()).toMatchObject({ status: 'done' }));
    expect(await stored()).toMatchObject({ secrets: 1, cuts: 1 });

    const api = service.client();
    const { body: report } = await api.expect<SignedLiabilities>(200, 'GET', '/liabilities');
    const sums = await site.query<{ asset: string; units: string }>(
      `SELECT asset, sum(available + held)::text AS units FROM balances JOIN accounts USING (account_id)
       WHERE owner IS NOT NULL OR kind = 'pool' GROUP BY asset HAVING sum(available + held) > 0 ORDER BY asset`,
    );
    expect(report.totals.map(({ asset, amount }) => [asset, amount])).toEqual(
      sums.map(({ asset, units }) => [asset, formatAmount(BigInt(units))]),
    );
    const token = await api.authorize('demo:demo-secret');
    const { body: proof } = await api.expect<LiabilityProof>(200, 'GET', '/accounts/me/proof', { token });
    expect(checkLiabilityProof(proof, report)).toMatchObject({ ok: true });
  });
});
