import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KycUpkeep } from '../../../src/modules/banking/kyc/kyc-upkeep.js';
import { PayoutClock } from '../../../src/modules/banking/rails/payout-clock.service.js';
import { CoreService } from '../../../src/core/core.service.js';
import { queryOnce } from '../../support/core.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import {
  addIban,
  BANKS,
  contentOf,
  payOut,
  readPain001,
  statusesOf,
} from '../../support/clients/payouts-client.js';

const PAYOUTS = 12;
const AMOUNT = '1.25';
const SUM = '15';

describe.skipIf(isRedisMissing('banking over several processes'))('banking of two processes', () => {
  let replicas: Replicas;
  let owners: readonly Caller[];
  let operators: readonly Caller[];
  const made: string[] = [];

  beforeAll(async () => {
    replicas = await Replicas.start({ environment: BANKS, rateLimits: 'off' });
    const { leader, other } = replicas;
    const callers = (client: string): Promise<Caller[]> =>
      Promise.all([leader, other].map(({ url }) => callerFor(url, client)));
    owners = await callers('demo');
    operators = await callers('admin');
    await keptUntil('2999-12-31');
    await approvedKyc(owners[1]!, operators[0]!);
  }, 180_000);
  afterAll(async () => {
    for (const operator of operators ?? []) await expectBalancedBooks(operator);
    await replicas?.stop();
  });

  /** From now on both processes believe that files were made up to a day. */
  async function keptUntil(day: string): Promise<void> {
    await queryOnce(
      replicas.databaseUrl,
      `INSERT INTO payout_rails (rail, last_run_on) VALUES ('sepa', '${day}'), ('ach', '2999-12-31')
       ON CONFLICT (rail) DO UPDATE SET last_run_on = excluded.last_run_on`,
    );
  }

  /** Runs in both processes at once, twice in each, like a take-over in the middle. */
  async function everywhere(
    work: (app: Replicas['leader']['app']['nest']) => Promise<unknown>,
  ): Promise<void> {
    const { leader, other } = replicas;
    await Promise.all([leader, other, leader, other].map(({ app }) => work(app.nest)));
  }

  it('puts each payout into one file, however many make files at once', async () => {
    const accountId = await addIban(owners[1]!);
    for (let place = 0; place < PAYOUTS; place++) {
      const { payout_id } = await payOut(owners[place % 2]!, accountId, AMOUNT);
      made.push(payout_id);
    }
    const now = new Date();
    await keptUntil('2020-01-01');
    await Promise.all([
      everywhere((nest) => nest.get(PayoutClock).keepTime(now)),
      ...operators.map((operator) => operator.post('/admin/payout-files', { rail: 'sepa' })),
    ]);

    const { data: files } = (await operators[1]!.get('/admin/payout-files')).body;
    const paid: string[] = [];
    for (const { file_id: fileId } of files) {
      const [here, there] = await Promise.all(operators.map((operator) => contentOf(operator, fileId)));
      expect(there).toBe(here);
      for (const { PmtId } of readPain001(here!).PmtInf.CdtTrfTxInf) paid.push(PmtId.EndToEndId);
    }
    expect(paid.sort()).toEqual(made.map((id) => id.replace('_', '-')).sort());
    expect(files.map(({ number }: Json) => number).sort()).toEqual(
      files.map((_: Json, place: number) => place + 1),
    );
    for (const id of made) expect(await statusesOf(owners[0]!, id)).toEqual(['pending', 'processing']);
  });

  it('lets payouts count as paid once where their bank is silent', async () => {
    for (const { file_id: fileId } of (await operators[0]!.get('/admin/payout-files')).body.data)
      await operators[1]!.post(`/admin/payout-files/${fileId}/delivered`, {});
    const { paid_after: paidAfter } = (await operators[0]!.get('/admin/payouts?status=in_transit')).body
      .data[0];
    const before = await owners[0]!.balance('EUR');
    const day = new Date(`${paidAfter}T17:00:00Z`);
    await everywhere((nest) => nest.get(PayoutClock).keepTime(day));
    for (const id of made)
      expect(await statusesOf(owners[1]!, id)).toEqual(['pending', 'processing', 'in_transit', 'paid']);
    expect(before.held).toBe(SUM);
    expect(await owners[1]!.balance('EUR')).toMatchObject({ available: before.available, held: '0' });
  });

  it('ends a case of KYC with its document once, and the level with it', async () => {
    const kycId = await approvedKyc(owners[0]!, operators[1]!);
    await queryOnce(
      replicas.databaseUrl,
      `UPDATE kyc_cases SET document_expires_on = '2020-01-01' WHERE status = 'approved'`,
    );
    await everywhere((nest) => nest.get(KycUpkeep).run());
    for (const owner of owners) {
      const { body } = await owner.get(`/kyc/${kycId}/history`);
      expect(body.data.map(({ code }: Json) => code)).toEqual([
        'submitted',
        'review_needed',
        'operator_decision',
        'document_expired',
      ]);
    }
    await everywhere(async (nest) => {
      const accounts = await nest.get(CoreService).accountsOf('client:demo');
      expect(new Set(accounts.map(({ kycLevel }) => kycLevel))).toEqual(new Set([0]));
    });
  });
});
