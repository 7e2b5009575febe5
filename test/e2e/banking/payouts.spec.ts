import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PayoutClock } from '../../../src/modules/banking/rails/payout-clock.service.js';
import type { TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import {
  addIban,
  addUsAccount,
  closeBatch,
  contentOf,
  IBAN,
  nachaReturns,
  pain002,
  payOut,
  readPain001,
  startBank,
  statusesOf,
  upload,
} from '../../support/clients/payouts-client.js';
import { verifyReceipt } from '../../../packages/verify/src/proofs.js';

describe('payouts', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;

  beforeAll(async () => {
    app = await startBank();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });

  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const outside = async (rail: string, asset: string): Promise<number> => {
    const [row] = await queryOnce<{ sum: string }>(
      app.config.databaseUrl!,
      `SELECT coalesce(sum(b.available), 0) AS sum FROM balances b JOIN accounts a USING (account_id)
       WHERE a.kind = 'external' AND a.name = $1 AND b.asset = $2`,
      [rail, asset],
    );
    return Number(BigInt(row!.sum) / 10n ** 16n) / 100;
  };

  it('need KYC, and take no step without it', async () => {
    const account = await addIban(demo);
    const body = { payout_account_id: account, amount: '10', currency: 'EUR', reference: 'none' };
    expect(await demo.post('/payouts', body)).toMatchObject({
      status: 422,
      body: { error: { code: 'kyc_required' } },
    });
    expect((await demo.get('/payouts')).body.data).toEqual([]);
  });

  it('go from a trade to a bank account in euros, and come back once', async () => {
    await approvedKyc(demo, operator);
    await approvedKyc(maker, operator, {
      first_name: 'Max',
      last_name: 'Maker',
      zone: { names: 'MAKER<<MAX' },
    });
    await maker.place(limit('BTC-USD', 'sell', '100', '1'));
    await demo.place(limit('BTC-USD', 'buy', '100', '1'));
    await expectBalancedBooks(operator);
    const before = await demo.balance('EUR');

    const account = (await demo.get('/payout-accounts')).body.data[0].payout_account_id;
    const paid = await payOut(demo, account, '250.01');
    expect(paid).toMatchObject({
      payout_account_id: account,
      amount: '250.01',
      requested_amount: '250.01',
      currency: 'EUR',
      fee: '0',
      status: 'pending',
      code: null,
      reference: 'Winnings',
    });
    expect(await demo.balance('EUR')).toMatchObject({ held: '250.01', total: before.total });
    await expectBalancedBooks(operator);
    const receiptRows = async (): Promise<Json[]> => {
      const { status, body } = await demo.get(`/payouts/${paid.payout_id}/receipt`);
      expect(status).toBe(200);
      const keys = await demo.get('/journal/keys');
      expect(verifyReceipt(body, keys.body)).toMatchObject({ ok: true });
      return body.statement.changes.map(({ row }: Json) => row);
    };
    expect(await receiptRows()).toContainEqual(
      expect.objectContaining({ asset: 'EUR', held: '250010000000000000000' }),
    );
    const lost = await payOut(demo, account, '100');

    const { file, content } = await closeBatch(operator, 'sepa');
    expect(file).toMatchObject({ rail: 'sepa', number: 1, payments: 2, total: '350.01', currency: 'EUR' });
    const order = readPain001(content);
    expect(order.GrpHdr).toMatchObject({ NbOfTxs: '2', CtrlSum: '350.01' });
    const ids = order.PmtInf.CdtTrfTxInf.map((each: Json) => each.PmtId.EndToEndId);
    expect(ids).toEqual([paid.payout_id.replace('_', '-'), lost.payout_id.replace('_', '-')]);
    expect((await demo.get(`/payouts/${paid.payout_id}`)).body.status).toBe('processing');
    expect((await demo.delete(`/payouts/${paid.payout_id}`)).status).toBe(409);
    // No payout is waiting.
    expect((await operator.post('/admin/payout-files', { rail: 'sepa' })).body).toEqual({ data: [] });

    const messageId = order.GrpHdr.MsgId;
    const accepted = pain002(
      messageId,
      ids.map((id: string) => ({ id, status: 'ACSP' })),
    );
    expect((await upload(operator, accepted)).body).toMatchObject({
      rail: 'sepa',
      format: 'pain.002',
      entries: [
        { payout_id: paid.payout_id, outcome: 'applied', status: 'in_transit' },
        { payout_id: lost.payout_id, outcome: 'applied', status: 'in_transit' },
      ],
    });
    const settled = pain002(messageId, [
      { id: ids[0], status: 'ACSC' },
      { id: ids[1], status: 'RJCT', code: 'AC04' },
    ]);
    expect((await upload(operator, settled)).body.entries).toMatchObject([
      { outcome: 'applied', status: 'paid' },
      { outcome: 'applied', status: 'failed', code: 'AC04' },
    ]);
    expect((await demo.get(`/payouts/${lost.payout_id}`)).body).toMatchObject({
      status: 'failed',
      code: 'AC04',
      message: 'As told',
    });
    expect(await demo.balance('EUR')).toMatchObject({ held: '0', total: '999749.99' });
    expect(await outside('sepa', 'EUR')).toBe(250.01);
    await expectBalancedBooks(operator);

    // The same report again, and one that contradicts it.
    expect((await upload(operator, settled)).body.entries).toMatchObject([
      { outcome: 'unchanged', status: 'paid' },
      { outcome: 'unchanged', status: 'failed' },
    ]);
    const late = pain002(messageId, [{ id: ids[1], status: 'ACSC' }]);
    expect((await upload(operator, late)).body.entries).toMatchObject([
      { outcome: 'ignored', status: 'failed' },
    ]);
    expect(await demo.balance('EUR')).toMatchObject({ held: '0', total: '999749.99' });

    expect(await receiptRows()).toContainEqual(
      expect.objectContaining({ side: 'debit', reason: 'payout', amount: '250010000000000000000' }),
    );

    // Days later the money is returned.
    const report = { status: 'returned', code: 'AC06', message: 'Account blocked' };
    const path = `/admin/payouts/${paid.payout_id}/report`;
    expect(await operator.post(path, report)).toMatchObject({ status: 200, body: { status: 'returned' } });
    expect(await operator.post(path, report)).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_status_change' } },
    });
    expect(await demo.balance('EUR')).toMatchObject({ held: '0', total: before.total });
    expect(await receiptRows()).toContainEqual(
      expect.objectContaining({ side: 'credit', reason: 'reversal', amount: '250010000000000000000' }),
    );
    expect(await outside('sepa', 'EUR')).toBe(0);
    expect(await statusesOf(demo, paid.payout_id)).toEqual([
      'pending',
      'processing',
      'in_transit',
      'paid',
      'returned',
    ]);
    expect(
      (await demo.get(`/payouts/${paid.payout_id}/history`)).body.data.map((s: Json) => s.changed_by),
    ).toEqual(['owner', 'operator', 'operator', 'operator', 'operator']);
  });

  it('go by ACH in dollars, are paid when the bank is silent, and may still be returned', async () => {
    const before = await demo.balance('USD');
    const account = await addUsAccount(demo);
    const { payout_id: id } = await payOut(demo, account, '123.45', {
      currency: 'USD',
      reference: 'Invoice 7',
    });
    const { file, content } = await closeBatch(operator, 'ach');
    expect(file).toMatchObject({ rail: 'ach', number: 1, payments: 1, total: '123.45' });
    expect(content).toMatch(
      /^622021000021000123456789 {5}0000012345pay-\w{11}ANNA MARIA ERIKSSON {5}1\d{15}$/m,
    );
    expect(content).toMatch(/^705Invoice 7 +00010000001$/m);

    const delivered = await operator.post(`/admin/payout-files/${file.file_id}/delivered`, {});
    expect(delivered).toMatchObject({ status: 200, body: { delivered_by: expect.any(String) } });
    const { body: all } = await operator.get('/admin/payouts?status=in_transit&rail=ach');
    expect(all.data).toMatchObject([
      { payout_id: id, paid_after: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    ]);

    const clock = app.app.nest.get(PayoutClock);
    const day = new Date(`${all.data[0].paid_after}T17:00:00Z`);
    await clock.keepTime(new Date(day.getTime() - 86_400_000));
    expect((await demo.get(`/payouts/${id}`)).body.status).toBe('in_transit');
    await clock.keepTime(day);
    expect((await demo.get(`/payouts/${id}`)).body).toMatchObject({ status: 'paid', code: 'not_returned' });
    expect(Number(before.total) - Number((await demo.balance('USD')).total)).toBeCloseTo(123.45, 6);
    expect(await outside('ach', 'USD')).toBe(123.45);

    const returns = nachaReturns(content, 'R03');
    expect((await upload(operator, returns)).body).toMatchObject({
      format: 'nacha',
      entries: [{ payout_id: id, outcome: 'applied', status: 'returned', code: 'R03' }],
    });
    expect((await upload(operator, returns)).body.entries).toMatchObject([{ outcome: 'unchanged' }]);
    expect(await demo.balance('USD')).toEqual(before);
    expect((await demo.get(`/payouts/${id}`)).body).toMatchObject({ status: 'returned', code: 'R03' });
    expect(await statusesOf(demo, id)).toEqual(['pending', 'processing', 'in_transit', 'paid', 'returned']);
    await expectBalancedBooks(operator);
  });

  it('are held at once, cancelled while they wait, and then leave nothing behind', async () => {
    const before = await demo.balance('EUR');
    const account = (await demo.get('/payout-accounts')).body.data.at(-1).payout_account_id;
    const { payout_id: id } = await payOut(demo, account, '77');
    expect(await demo.balance('EUR')).toMatchObject({ held: '77', total: before.total });
    expect((await demo.delete(`/payout-accounts/${account}`)).status).toBe(409);
    expect(await demo.delete(`/payouts/${id}`)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect((await demo.delete(`/payouts/${id}`)).status).toBe(409);
    expect(await demo.balance('EUR')).toEqual(before);
    expect((await operator.post('/admin/payout-files', { rail: 'sepa' })).body).toEqual({ data: [] });
    expect((await operator.post(`/admin/payouts/${id}/report`, { status: 'paid' })).status).toBe(409);
  });

  it('above the threshold wait for an operator, one decision in all', async () => {
    const before = await demo.balance('EUR');
    const account = (await demo.get('/payout-accounts')).body.data.at(-1).payout_account_id;
    const large = await payOut(demo, account, '1000.01');
    expect(large.status).toBe('pending_approval');
    const decisions = await Promise.all(
      ['approve', 'reject', 'approve', 'reject', 'approve'].map((verb) =>
        operator.post(
          `/admin/payouts/${large.payout_id}/${verb}`,
          verb === 'reject' ? { reason: 'No.' } : {},
        ),
      ),
    );
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);

    const rejected = await payOut(demo, account, '1500');
    expect(
      await operator.post(`/admin/payouts/${rejected.payout_id}/reject`, {
        reason: 'Somebody else’s account.',
      }),
    ).toMatchObject({ status: 200, body: { status: 'failed', code: 'rejected' } });
    expect((await demo.get(`/payouts/${rejected.payout_id}`)).body).toMatchObject({
      status: 'failed',
      message: 'Somebody else’s account.',
    });
    for (const { payout_id: id } of (await demo.get('/payouts?status=pending')).body.data) {
      expect((await demo.delete(`/payouts/${id}`)).status).toBe(200);
    }
    expect(await demo.balance('EUR')).toEqual(before);
  });

  it('are listed for their owner alone, page by page and by what they are', async () => {
    const all = await demo.walk('/payouts', 2);
    expect(all.length).toBeGreaterThan(5);
    expect(all.map(({ payout_id: id }: Json) => id)).toEqual(
      all
        .map(({ payout_id: id }: Json) => id)
        .sort()
        .reverse(),
    );
    const cancelled = await demo.walk('/payouts?status=cancelled', 1);
    expect(cancelled).toEqual(all.filter(({ status }: Json) => status === 'cancelled'));
    const [{ payout_account_id: account }] = all;
    expect((await demo.walk(`/payouts?payout_account_id=${account}`, 50)).length).toBe(
      all.filter((payout: Json) => payout.payout_account_id === account).length,
    );
    expect((await demo.get('/payouts?payout_account_id=pac_nothing')).body.data).toEqual([]);
    expect((await maker.get('/payouts')).body.data).toEqual([]);
    expect((await operator.walk('/admin/payouts', 3)).length).toBe(all.length);
    const files = await operator.walk('/admin/payout-files', 1);
    expect(files.map(({ name }: Json) => name)).toEqual(['ach-000001.ach', 'sepa-000001.xml']);
  });

  it('never show, log or store a bank account in the clear', async () => {
    const rows = await queryOnce<{ found: string }>(
      app.config.databaseUrl!,
      `SELECT 'account' AS found FROM payout_accounts a WHERE a::text LIKE $1 OR a::text LIKE $2
       UNION ALL SELECT 'payout' FROM payouts p WHERE p::text LIKE $1 OR p::text LIKE $2
       UNION ALL SELECT 'file' FROM payout_files f WHERE f::text LIKE $1 OR position(convert_to(trim('%' FROM $1), 'UTF8') IN f.sealed_content) > 0
       UNION ALL SELECT 'key' FROM idempotency_keys k WHERE k::text LIKE $1`,
      [`%${IBAN}%`, '%Eriksson%'],
    );
    expect(rows).toEqual([]);
    const { body } = await demo.get('/payout-accounts');
    expect(JSON.stringify(body)).not.toContain(IBAN.slice(0, 12));
    expect(body.data.map(({ last4 }: Json) => last4)).toEqual(['6789', '3000']);
    const [file] = (await operator.get('/admin/payout-files')).body.data;
    expect(await contentOf(operator, file.file_id)).toContain('000123456789');
  });
});
