import { hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import {
  addIban,
  addUsAccount,
  closeBatch,
  nachaReturns,
  pain002,
  payOut,
  readPain001,
  startBank,
  upload,
} from '../../support/clients/payouts-client.js';

interface Order {
  readonly file: Json;
  readonly messageId: string;
  /** As the bank calls the payments. */
  readonly ids: readonly string[];
  readonly payouts: readonly string[];
}

describe('reports of banks', () => {
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;
  let account: string;

  beforeAll(async () => {
    app = await startBank();
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
    account = await addIban(demo);
    await approvedKyc(demo, operator);
  });
  afterEach(() => expectBalancedBooks(operator));
  afterAll(() => app.close());

  /** A file with as many payouts of one euro. */
  const order = async (count: number): Promise<Order> => {
    const payouts: string[] = [];
    for (let made = 0; made < count; made++) payouts.push((await payOut(demo, account, '1')).payout_id);
    const { file, content } = await closeBatch(operator, 'sepa');
    const { GrpHdr, PmtInf } = readPain001(content);
    return {
      file,
      messageId: GrpHdr.MsgId,
      ids: PmtInf.CdtTrfTxInf.map((each: Json) => each.PmtId.EndToEndId),
      payouts,
    };
  };
  const statusesOf = async ({ payouts }: Order): Promise<string[]> => {
    const replies = await Promise.all(payouts.map((id) => demo.get(`/payouts/${id}`)));
    return replies.map(({ body }) => body.status);
  };
  const report = async (...args: Parameters<typeof pain002>): Promise<Json> => {
    const { status, body } = await upload(operator, pain002(...args));
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };

  it('give a payment its own status before its file’s, whichever report has it', async () => {
    const sent = await order(3);
    const { messageId, ids } = sent;
    const { entries } = await report(messageId, [{ id: ids[0]!, status: 'ACSC' }], {
      status: 'RJCT',
      code: 'AM04',
    });
    expect(entries).toMatchObject([
      { bank_reference: ids[0], outcome: 'applied', status: 'paid', code: null },
      { bank_reference: ids[1], outcome: 'applied', status: 'failed', code: 'AM04' },
      { bank_reference: ids[2], outcome: 'applied', status: 'failed', code: 'AM04' },
    ]);
    const later = await report(messageId, [], { status: 'RJCT', code: 'NARR' });
    expect(later.entries).toMatchObject([
      { outcome: 'ignored', status: 'paid', reason: expect.stringContaining('confirmed') },
      { outcome: 'unchanged', status: 'failed' },
      { outcome: 'unchanged', status: 'failed' },
    ]);
    expect(await statusesOf(sent)).toEqual(['paid', 'failed', 'failed']);
  });

  it.each(['DU01', 'AM05'])(
    'that reject a second copy of a file with %s give no paid money back',
    async (code) => {
      const before = await demo.balance('EUR');
      const sent = await order(3);
      const { messageId, ids, file } = sent;
      await report(messageId, [
        { id: ids[0]!, status: 'ACSC' },
        { id: ids[1]!, status: 'RJCT', code: 'AC04' },
      ]);
      const whole = await report(messageId, [], { status: 'RJCT', code });
      const single = await report(
        messageId,
        ids.map((id) => ({ id, status: 'RJCT', code })),
      );
      for (const { entries } of [whole, single]) {
        expect(entries).toMatchObject([
          { outcome: 'unchanged', status: 'paid' },
          { outcome: 'unchanged', status: 'failed' },
          { outcome: 'ignored', status: 'processing', reason: expect.stringContaining('duplicate') },
        ]);
      }
      await operator.post(`/admin/payout-files/${file.file_id}/delivered`, {});
      await report(messageId, [{ id: ids[2]!, status: 'ACSC' }]);
      expect(await statusesOf(sent)).toEqual(['paid', 'failed', 'paid']);
      const { total, held } = await demo.balance('EUR');
      expect([Number(before.total) - Number(total), held]).toEqual([2, before.held]);
    },
  );

  it('that return a second copy by ACH (R24) give no paid money back', async () => {
    const { payout_id: id } = await payOut(demo, await addUsAccount(demo), '1', { currency: 'USD' });
    const { content } = await closeBatch(operator, 'ach');
    expect((await operator.post(`/admin/payouts/${id}/report`, { status: 'paid' })).status).toBe(200);
    expect((await upload(operator, nachaReturns(content, 'R24'))).body.entries).toMatchObject([
      { payout_id: id, outcome: 'unchanged', status: 'paid', code: 'R24' },
    ]);
  });

  it('that are the same file again move nothing, whatever has happened since', async () => {
    const sent = await order(1);
    const [id] = sent.ids;
    const first = await report(sent.messageId, [{ id: id!, status: 'RJCT', code: 'AC04' }]);
    expect(first).toMatchObject({ remarks: [], entries: [{ outcome: 'applied', status: 'failed' }] });
    // As after years, when the bank's references have come round: the newest payout is meant.
    const other = await order(1);
    await report(other.messageId, [{ id: other.ids[0]!, status: 'ACSC' }]);
    await queryOnce(
      app.config.databaseUrl!,
      'UPDATE payouts SET bank_reference = $1 WHERE bank_reference = $2',
      [id, other.ids[0]],
    );
    const again = await report(sent.messageId, [{ id: id!, status: 'RJCT', code: 'AC04' }]);
    expect(again).toMatchObject({
      remarks: [expect.stringContaining(first.report_id)],
      entries: [{ payout_id: other.payouts[0], outcome: 'unchanged', status: 'paid' }],
    });
    expect(await statusesOf(other)).toEqual(['paid']);
  });

  it('whose reading was interrupted are read to their end', async () => {
    const { messageId, ids } = await order(1);
    const lost = pain002(messageId, [{ id: ids[0]!, status: 'ACSC' }]);
    // What a process leaves that dies right after the report's first row.
    await queryOnce(
      app.config.databaseUrl!,
      `INSERT INTO payout_reports (rail, format, sha256, entries, applied, uploaded_by)
       VALUES ('sepa', 'pain.002', $1, 1, 0, 'client:admin')`,
      [hash('sha256', lost, 'hex')],
    );
    expect((await upload(operator, lost)).body.entries).toMatchObject([
      { outcome: 'applied', status: 'paid' },
    ]);
  });
});
