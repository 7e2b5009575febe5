import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Deposits,
  type DepositCredit,
  FileRail,
  Payouts,
  type RailTerms,
  TradepostPlugin,
} from '../../../src/index.js';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import {
  addIban,
  BANKS,
  holdFiles,
  payOut,
  statusesOf,
  IBAN,
  HOLDER,
} from '../../support/clients/payouts-client.js';
import { queryOnce } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';

/** The house's files, but for euros, which a bank with an API takes one by one. */
class ApiBank extends FileRail {
  override rails(): readonly RailTerms[] {
    return super.rails().map((terms) => (terms.name === 'sepa' ? { ...terms, isSentByPlugin: true } : terms));
  }
}

@TradepostPlugin({ name: 'api-bank', compatibility: '*', implementations: [ApiBank] })
class ApiBankPlugin {}

describe('money through plugins', () => {
  let database: TestDatabase;
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;
  let deposits: Deposits;
  let payouts: Payouts;
  let account: string;
  let reference: string;

  const start = async (): Promise<void> => {
    app = await startTestApp({ databaseUrl: database.url, plugins: [ApiBankPlugin], environment: BANKS });
    await holdFiles(app);
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
    deposits = app.app.nest.get(Deposits, { strict: false });
    payouts = app.app.nest.get(Payouts, { strict: false });
  };
  beforeAll(async () => {
    database = await createDemoDatabase();
    await start();
    await approvedKyc(demo, operator);
    account = await addIban(demo);
    reference = (await demo.get('/accounts')).body.data[0].account_id;
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const audited = async (action: string): Promise<Json[]> => {
    const rows = await queryOnce<{ target_id: string; details: Json }>(
      database.url,
      'SELECT target_id, details FROM audit_log WHERE action = $1 ORDER BY audit_id',
      [`system:${action}`],
    );
    return rows;
  };
  const euros = async (): Promise<number> => Number((await demo.balance('EUR')).total);

  describe('in', () => {
    const pix: DepositCredit = { rail: 'acme-pix', id: 'E1', reference: '', asset: 'EUR', amount: '12.5' };
    const credited = (more: Partial<DepositCredit> = {}) => deposits.credit({ ...pix, reference, ...more });

    it('is credited once, and has an entry in the audit log with it', async () => {
      const before = await euros();
      expect(await credited()).toEqual({ accountId: reference, isNew: true });
      expect(await credited()).toEqual({ accountId: reference, isNew: false });
      expect(await credited({ amount: '12.50' })).toMatchObject({ isNew: false });
      expect(await euros()).toBe(before + 12.5);
      expect(await audited('deposit')).toEqual([{ target_id: reference, details: { ...pix, reference } }]);
      const { body } = await demo.get('/accounts/me/entries?limit=1');
      expect(body.data[0]).toMatchObject({
        asset: 'EUR',
        amount: '12.5',
        direction: 'credit',
        reason: 'deposit',
        reference: 'acme-pix:E1',
      });
    });

    it('is credited once by however many at the same time, and after a restart', async () => {
      const before = await euros();
      const ids = Array.from({ length: 8 }, (_, at) => `race-${at}`);
      const all = ids.flatMap((id) => Array.from({ length: 6 }, () => credited({ id, amount: '3' })));
      const done = await Promise.all(all);
      expect(done.filter(({ isNew }) => isNew)).toHaveLength(8);
      expect(await euros()).toBe(before + 24);
      await app.close();
      await start();
      for (const id of ids) expect(await credited({ id, amount: '3' })).toMatchObject({ isNew: false });
      expect(await euros()).toBe(before + 24);
      expect((await audited('deposit')).filter(({ details }) => details.id.startsWith('race-'))).toHaveLength(
        8,
      );
    });

    it('with the id of another deposit is refused, and not of another rail', async () => {
      const before = await euros();
      for (const other of [{ amount: '12.6' }, { asset: 'USD' }])
        await expect(credited(other)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
      expect(await credited({ rail: 'acme-boleto' })).toMatchObject({ isNew: true });
      expect(await euros()).toBe(before + 12.5);
    });

    it.each<[string, Record<string, unknown>, string]>([
      ['no amount', { amount: 'NaN' }, 'validation_failed'],
      ['a number', { amount: 5 }, 'validation_failed'],
      ['nothing', { amount: '0' }, 'validation_failed'],
      ['less than nothing', { amount: '-1' }, 'validation_failed'],
      ['an exponent', { amount: '1e3' }, 'validation_failed'],
      ['more places than the asset has', { amount: '0.0000000001', asset: 'USD' }, 'amount_too_precise'],
      ['no asset that there is', { asset: 'NOPE' }, 'asset_not_found'],
      ['nobody', { reference: 'acc_zzzzzzzzzzz' }, 'account_not_found'],
      ['what is no account', { reference: 'demo' }, 'account_not_found'],
      ['no reference', { reference: undefined }, 'validation_failed'],
      ['a rail in capitals', { rail: 'PIX' }, 'validation_failed'],
      ['a rail with a colon', { rail: 'acme:pix' }, 'validation_failed'],
      ['no id', { id: '' }, 'validation_failed'],
      ['a long id', { id: 'x'.repeat(201) }, 'validation_failed'],
      ['an id with NUL', { id: 'a\0b' }, 'validation_failed'],
      ['half a character', { id: '\ud800' }, 'validation_failed'],
    ])('of %s is refused, and leaves the id free', async (what, wrong, code) => {
      const id = `wrong ${what}`;
      const before = await euros();
      await expect(credited({ id, ...(wrong as Partial<DepositCredit>) })).rejects.toMatchObject({ code });
      expect(await euros()).toBe(before);
      expect(await credited({ id })).toMatchObject({ isNew: true });
    });
  });

  describe('out', () => {
    it('is to be sent from when a plugin asks, and by nobody else', async () => {
      const { payout_id: id } = await payOut(demo, account, '10');
      const { payout_id: cancelled } = await payOut(demo, account, '11');
      expect((await demo.delete(`/payouts/${cancelled}`)).status).toBe(200);
      const pending = await payouts.pending('sepa');
      expect(pending).toEqual([
        {
          id,
          paymentId: id.replace('_', '-'),
          holderName: HOLDER,
          account: { type: 'iban', iban: IBAN, bic: null },
          currency: 'EUR',
          amount: '10',
          reference: 'Winnings',
        },
      ]);
      // Whoever was to send it may have died.
      expect(await payouts.pending('sepa')).toEqual(pending);
      expect((await demo.delete(`/payouts/${id}`)).status).toBe(409);
      expect((await operator.post('/admin/payout-files', { rail: 'sepa' })).status).toBe(409);
      await payouts.sent(id, 'BANK-1');
      await payouts.sent(id, 'BANK-1');
      await expect(payouts.sent(id, 'BANK-2')).rejects.toMatchObject({ code: 'conflict' });
      expect(await payouts.pending('sepa')).toEqual([]);
      await payouts.report(id, 'paid');
      await payouts.report(id, 'paid');
      await expect(payouts.report(id, 'failed')).rejects.toMatchObject({ code: 'invalid_status_change' });
      expect(await statusesOf(demo, id)).toEqual(['pending', 'processing', 'in_transit', 'paid']);
      expect((await audited('payout_claim')).map(({ target_id }) => target_id)).toEqual([id]);
      expect(await audited('payout_sent')).toEqual([
        { target_id: id, details: { rail: 'sepa', bankReference: 'BANK-1' } },
      ]);
      expect(await audited('payout_report')).toHaveLength(1);
      await expectBalancedBooks(operator);
    });

    it('comes back where the bank says so, before it was paid and after', async () => {
      const before = await euros();
      const [failed, returned] = [await payOut(demo, account, '7'), await payOut(demo, account, '8')];
      await payouts.pending('sepa');
      await payouts.report(failed.payout_id, 'failed', 'The account is closed.');
      await payouts.sent(returned.payout_id, 'BANK-3');
      await payouts.report(returned.payout_id, 'paid');
      expect(await euros()).toBe(before - 8);
      await payouts.report(returned.payout_id, 'returned', 'Nobody is there.');
      await payouts.report(returned.payout_id, 'returned', 'Nobody is there.');
      expect(await euros()).toBe(before);
      expect((await demo.get(`/payouts/${failed.payout_id}`)).body).toMatchObject({
        status: 'failed',
        message: 'The account is closed.',
      });
      await expectBalancedBooks(operator);
    });

    it('is claimed and told of once, by however many at the same time', async () => {
      const before = await euros();
      const made = await Promise.all(Array.from({ length: 6 }, () => payOut(demo, account, '2')));
      const answers = await Promise.all(Array.from({ length: 5 }, () => payouts.pending('sepa')));
      const ids = made.map(({ payout_id }) => payout_id).sort();
      for (const answer of answers) for (const { id } of answer) expect(ids).toContain(id);
      expect((await audited('payout_claim')).filter(({ target_id }) => ids.includes(target_id))).toHaveLength(
        6,
      );
      await Promise.allSettled(
        ids.flatMap((id, at) => [
          payouts.sent(id, `RACE-${id}`),
          payouts.sent(id, `RACE-${id}`),
          payouts.report(id, at % 2 === 0 ? 'paid' : 'failed'),
          payouts.report(id, at % 2 === 0 ? 'paid' : 'failed'),
        ]),
      );
      for (const [at, id] of ids.entries()) await payouts.report(id, at % 2 === 0 ? 'paid' : 'failed');
      expect(await euros()).toBe(before - 6);
      await expectBalancedBooks(operator);
    });

    it.each([
      ['what there is not', 'pay_zzzzzzzzzzz', 'not_found'],
      ['what is no id', 'x', 'not_found'],
    ])('of %s is refused', async (_what, id, code) => {
      await expect(payouts.sent(id, 'B')).rejects.toMatchObject({ code });
      await expect(payouts.report(id, 'paid')).rejects.toMatchObject({ code });
    });

    it('is refused before a plugin has asked for it, and of rails that have files', async () => {
      const { payout_id: id } = await payOut(demo, account, '1');
      for (const outcome of ['paid', 'failed', 'returned'] as const)
        await expect(payouts.report(id, outcome)).rejects.toMatchObject({ code: 'conflict' });
      await expect(payouts.sent(id, 'B')).rejects.toMatchObject({ code: 'conflict' });
      for (const rail of ['ach', 'nothing'])
        await expect(payouts.pending(rail)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('leaves out what is frozen', async () => {
      await operator.post(`/admin/accounts/${reference}/freeze`, { reason: 'A test.' });
      const { length } = await payouts.pending('sepa');
      expect(length).toBe(0);
    });
  });
});
