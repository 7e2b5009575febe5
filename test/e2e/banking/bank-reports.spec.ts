import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PayoutClock } from '../../../src/modules/banking/rails/payout-clock.service.js';
import type { TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { seedFromEnvironment } from '../../support/domain/property.js';
import { rounds } from '../../support/rounds.js';
import {
  addIban,
  addUsAccount,
  closeBatch,
  nachaReturns,
  pain002,
  payOut,
  readPain001,
  startBank,
  statusesOf as historyOf,
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
  /** Lets all days for returns pass. */
  const keepSilent = (): Promise<void> =>
    app.app.nest.get(PayoutClock).keepTime(new Date(Date.now() + 30 * 86_400_000));
  const openRemarks = (): Promise<Json[]> => operator.walk('/admin/payout-remarks?status=open', 50);
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

  it.each([
    ['CANC', 'CANC is no status that moves a payment. The bank says: MS03 As told.'],
    ['BLCK', 'BLCK'],
    ['ABCD', 'ABCD'],
  ])(
    'with the status %s leave a remark, and silence is not “paid” until it is cleared',
    async (status, why) => {
      const sent = await order(2);
      const { messageId, ids, payouts } = sent;
      await operator.post(`/admin/payout-files/${sent.file.file_id}/delivered`, {});
      const verdict = { id: ids[0]!, status, code: 'MS03' };
      const { report_id, entries } = await report(messageId, [verdict]);
      const { remark_id, reason } = entries[0];
      expect(entries).toMatchObject([
        { payout_id: payouts[0], outcome: 'ignored', status: 'in_transit', code: status },
      ]);
      expect(reason).toContain(why);
      expect(reason).toContain('ask the bank');
      await keepSilent();
      expect(await statusesOf(sent)).toEqual(['in_transit', 'paid']);

      const remark = {
        remark_id,
        report_id,
        rail: 'sepa',
        payout_id: payouts[0],
        file_id: null,
        code: status,
        reason,
      };
      expect(await openRemarks()).toContainEqual(expect.objectContaining({ ...remark, status: 'open' }));
      // In another file of the bank: said again, noted once.
      const again = await report(messageId, [verdict, { id: 'pay-none', status: 'ACSC' }]);
      expect(again.entries).toMatchObject([
        { remark_id },
        { outcome: 'ignored', remark_id: expect.any(String) },
      ]);

      const path = `/admin/payout-remarks/${remark_id}/clear`;
      expect((await operator.post(path, {})).status).toBe(400);
      expect((await demo.post(path, { note: 'Mine.' })).status).toBe(403);
      const note = 'The bank has paid it.';
      expect(await operator.post(path, { note })).toMatchObject({
        status: 200,
        body: { ...remark, status: 'cleared', cleared_by: 'client:admin', note },
      });
      expect(await operator.post(path, { note })).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict' } },
      });
      const { body: audit } = await operator.get(`/admin/audit?limit=10`);
      expect(audit.data).toContainEqual(
        expect.objectContaining({
          target: { type: 'payout_remark', id: remark_id },
          details: expect.objectContaining({ payout_id: payouts[0], code: status, note }),
        }),
      );
      expect((await openRemarks()).map((each) => each.remark_id)).not.toContain(remark_id);
      await keepSilent();
      expect(await statusesOf(sent)).toEqual(['paid', 'paid']);
    },
  );

  it('of a whole file with a status that is not known stop silence for all of it', async () => {
    const sent = await order(2);
    await operator.post(`/admin/payout-files/${sent.file.file_id}/delivered`, {});
    const { entries } = await report(sent.messageId, [{ id: sent.ids[0]!, status: 'ACSP' }], {
      status: 'CANC',
    });
    expect(entries).toMatchObject([
      { payout_id: sent.payouts[0], outcome: 'unchanged', remark_id: null },
      { payout_id: null, bank_reference: null, outcome: 'ignored', code: 'CANC' },
    ]);
    await keepSilent();
    expect(await statusesOf(sent)).toEqual(['in_transit', 'in_transit']);
    // What the bank says of a payment still counts.
    await report(sent.messageId, [{ id: sent.ids[0]!, status: 'ACSC' }]);
    const { remark_id } = entries[1];
    expect(await openRemarks()).toContainEqual(
      expect.objectContaining({ remark_id, payout_id: null, file_id: sent.file.file_id }),
    );
    expect(
      (await operator.post(`/admin/payout-remarks/${remark_id}/clear`, { note: 'Only late.' })).status,
    ).toBe(200);
    await keepSilent();
    expect(await statusesOf(sent)).toEqual(['paid', 'paid']);
  });

  it('with a return code that is not known apply all other entries, and leave a remark about that one', async () => {
    const us = (await demo.get('/payout-accounts')).body.data.find((each: Json) => each.type === 'ach');
    const sent: string[] = [];
    for (const amount of ['1', '2', '3']) {
      sent.push((await payOut(demo, us.payout_account_id, amount, { currency: 'USD' })).payout_id);
    }
    const { file, content } = await closeBatch(operator, 'ach');
    await operator.post(`/admin/payout-files/${file.file_id}/delivered`, {});
    const [first, ...rest] = nachaReturns(content, 'R03').split('799R03');
    const codes = ['R99', 'R03', 'R69'];
    const returns = first + rest.map((part, place) => `799${codes[place]}${part}`).join('');
    const { status, body } = await upload(operator, returns);
    expect({ status, entries: body.entries }).toMatchObject({
      status: 200,
      entries: [
        {
          payout_id: sent[0],
          outcome: 'ignored',
          status: 'in_transit',
          code: 'R99',
          remark_id: expect.any(String),
        },
        { payout_id: sent[1], outcome: 'applied', status: 'returned', code: 'R03', remark_id: null },
        { payout_id: sent[2], outcome: 'ignored', status: 'in_transit', code: 'R69' },
      ],
    });
    await keepSilent();
    const [{ status: unclear }] = await Promise.all(
      sent.slice(0, 1).map(async (id) => (await demo.get(`/payouts/${id}`)).body),
    );
    expect(unclear).toBe('in_transit');
  });

  it('that contradict what was done, or name what nobody knows, leave remarks', async () => {
    const sent = await order(1);
    await report(sent.messageId, [{ id: sent.ids[0]!, status: 'RJCT', code: 'AC04' }]);
    const { entries } = await report(sent.messageId, [
      { id: sent.ids[0]!, status: 'ACSC' },
      { id: 'pay-nobody', status: 'RJCT', code: 'AC04' },
    ]);
    const remarks = await openRemarks();
    for (const { outcome, remark_id, reason, bank_reference } of entries) {
      expect(outcome).toBe('ignored');
      expect(remarks).toContainEqual(expect.objectContaining({ remark_id, reason, bank_reference }));
    }
    const { remark_id: lost } = entries[0];
    const requestedBy = (person: string): Promise<unknown> =>
      queryOnce(app.config.databaseUrl!, 'UPDATE payouts SET requested_by = $2 WHERE bank_reference = $1', [
        sent.ids[0],
        person,
      ]);
    await requestedBy('client:admin');
    expect(await operator.post(`/admin/payout-remarks/${lost}/clear`, { note: 'Mine.' })).toMatchObject({
      status: 403,
      body: { error: { code: 'same_person' } },
    });
    await requestedBy('client:demo');
    expect((await operator.post('/admin/payout-remarks/prm_7ZZZZZZZZZZ/clear', { note: 'x' })).status).toBe(
      404,
    );
    expect((await operator.get('/admin/payout-remarks?status=lost')).status).toBe(400);
    expect((await operator.walk('/admin/payout-remarks', 1)).length).toBeGreaterThan(remarks.length);
  });

  it('are read from files as banks write them, each entry on its own', async () => {
    const us = (await demo.get('/payout-accounts')).body.data.find((each: Json) => each.type === 'ach');
    const sent: string[] = [];
    for (const amount of ['1', '2']) {
      sent.push((await payOut(demo, us.payout_account_id, amount, { currency: 'USD' })).payout_id);
    }
    const { content } = await closeBatch(operator, 'ach');
    const lines = nachaReturns(content, 'R03').split('\n');
    const broken = lines.findIndex((line) => line.startsWith('799'));
    lines[broken] = `799R03${'?'.repeat(15)}${lines[broken]!.slice(21)}`;
    const { status, body } = await upload(
      operator,
      `\ufeff${lines.join('\r\n')}\r\n${' '.repeat(94)}\r\n\u001a`,
    );
    expect({ status, entries: body.entries }).toMatchObject({
      status: 200,
      entries: [
        // Found by the payment's own id.
        {
          payout_id: sent[0],
          outcome: 'ignored',
          status: 'processing',
          reason: expect.stringContaining('trace number'),
        },
        { payout_id: sent[1], outcome: 'applied', status: 'returned' },
      ],
    });

    const { messageId, ids, payouts } = await order(1);
    const latin = pain002(messageId, [{ id: ids[0]!, status: 'RJCT', code: 'AC04' }])
      .replace('UTF-8', 'ISO-8859-1')
      .replace('As told', 'Söhne');
    const reply = await operator.send('POST', '/admin/payout-files/reports', Buffer.from(latin, 'latin1'), {
      'content-type': 'application/octet-stream',
    });
    expect(reply.body.entries).toMatchObject([{ outcome: 'applied', status: 'failed' }]);
    expect((await demo.get(`/payouts/${payouts[0]}`)).body.message).toBe('Söhne');
  });

  const clearAll = async (): Promise<void> => {
    for (const { remark_id, payout_id } of await openRemarks()) {
      const { status } = await operator.post(`/admin/payout-remarks/${remark_id}/clear`, { note: 'Seen.' });
      expect(status, payout_id).toBe(200);
    }
  };
  const word = fc.constantFrom(
    { status: 'ACTC' },
    { status: 'ACSC' },
    { status: 'RJCT', code: 'AC04' },
    { status: 'RJCT', code: 'DU01' },
    { status: 'RJCT', code: 'AM05' },
    { status: 'CANC' },
    { status: 'PDNG' },
    { status: 'ABCD' },
  );
  const PAYMENTS = 3;
  const happening = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('report' as const),
        own: fc.array(fc.record({ place: fc.nat(PAYMENTS - 1), word }), { maxLength: PAYMENTS }),
        ofAll: fc.option(word, { nil: undefined }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('again' as const), place: fc.nat(20) }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...(['delivered', 'silence', 'cleared'] as const)).map((kind) => ({ kind })),
    },
  );

  it('in random orders, with repeats and duplicates, keep the money of each payout in one place', async () => {
    const scenarios = fc.sample(fc.array(happening, { minLength: 4, maxLength: 10 }), {
      seed: seedFromEnvironment(),
      numRuns: rounds('BANK_REPORT_SEQUENCES', 4, 400),
    });
    for (const scenario of scenarios) {
      // So that the silence of this scenario moves no payout of another.
      await clearAll();
      await keepSilent();
      const before = await demo.balance('EUR');
      const sent = await order(PAYMENTS);
      const reports: string[] = [];
      for (const what of scenario) {
        if (what.kind === 'report') {
          const verdicts = what.own.map(({ place, word: each }) => ({ id: sent.ids[place]!, ...each }));
          reports.push(
            pain002(sent.messageId, verdicts, what.ofAll).replace('BANK-1', `BANK-${reports.length}`),
          );
          expect((await upload(operator, reports.at(-1)!)).status).toBe(200);
        } else if (what.kind === 'again' && reports.length > 0) {
          const known = await statusesOf(sent);
          const { body } = await upload(operator, reports[what.place % reports.length]!);
          expect(body.entries.filter(({ outcome }: Json) => outcome !== 'unchanged')).toEqual([]);
          expect(await statusesOf(sent)).toEqual(known);
        } else if (what.kind === 'delivered') {
          await operator.post(`/admin/payout-files/${sent.file.file_id}/delivered`, {});
        } else if (what.kind === 'silence') {
          await keepSilent();
        } else if (what.kind === 'cleared') {
          await clearAll();
        }
      }
      const told = JSON.stringify(scenario);
      const histories = await Promise.all(sent.payouts.map((id) => historyOf(demo, id)));
      for (const history of histories) {
        expect(history.join(' '), told).toMatch(
          /^pending processing( in_transit)?( failed| returned| paid( returned)?)?$/,
        );
      }
      const count = (status: string): number =>
        histories.filter((history) => history.at(-1) === status).length;
      const after = await demo.balance('EUR');
      expect(Number(before.total) - Number(after.total), told).toBe(count('paid'));
      expect(Number(after.held) - Number(before.held), told).toBe(count('processing') + count('in_transit'));
      await expectBalancedBooks(operator);
    }
  });
});
