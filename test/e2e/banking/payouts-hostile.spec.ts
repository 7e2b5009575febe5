import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PayoutLifecycle } from '../../../src/modules/banking/payouts/payout-lifecycle.service.js';
import type { TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { recordStandardOutput } from '../../support/standard-output.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import {
  addIban,
  addUsAccount,
  closeBatch,
  HOLDER,
  IBAN,
  nachaReturns,
  pain002,
  payOut,
  readPain001,
  startBank,
  upload,
} from '../../support/clients/payouts-client.js';

describe('payouts under attack', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let account: string;

  beforeAll(async () => {
    app = await startBank({ PAYOUT_FEES: 'USD:0.25' });
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    account = await addIban(demo);
    await approvedKyc(demo, operator);
  });

  afterEach(() => expectBalancedBooks(operator));
  afterAll(() => app.close());

  const clear = async (): Promise<void> => {
    for (const { payout_id: id, status } of await demo.walk('/payouts', 200)) {
      if (status.startsWith('pending')) expect((await demo.delete(`/payouts/${id}`)).status).toBe(200);
    }
  };

  it('do not go to the account of another, nor out of one', async () => {
    await approvedKyc(maker, operator, {
      first_name: 'Max',
      last_name: 'Maker',
      zone: { names: 'MAKER<<MAX' },
    });
    const body = { payout_account_id: account, amount: '1', currency: 'EUR', reference: 'x' };
    const foreign = await maker.post('/payouts', body);
    const missing = await maker.post('/payouts', { ...body, payout_account_id: 'pac_7ZZZZZZZZZZ' });
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.message).toBe(missing.body.error.message);

    const [{ account_id: makers }] = (await maker.get('/accounts')).body.data;
    expect((await demo.post('/payouts', { ...body, account_id: makers })).status).toBe(404);
    const { account_id: wallet } = (await demo.post('/wallets', { name: 'Mine' })).body;
    expect((await demo.post('/payouts', { ...body, account_id: wallet })).status).toBe(404);
    expect((await maker.get(`/payout-accounts/${account}`)).status).toBe(404);
    expect((await maker.delete(`/payout-accounts/${account}`)).status).toBe(404);
  });

  it('sent twice at once under one key happen once', async () => {
    const before = await demo.balance('EUR');
    const body = { payout_account_id: account, amount: '10', currency: 'EUR', reference: 'once' };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => demo.post('/payouts', body, { 'Idempotency-Key': 'one payout' })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(replies.map((reply) => reply.body.payout_id)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(7);
    expect(
      await demo.post('/payouts', { ...body, amount: '11' }, { 'Idempotency-Key': 'one payout' }),
    ).toMatchObject({ status: 422, body: { error: { code: 'idempotency_key_reused' } } });
    expect(Number((await demo.balance('EUR')).held) - Number(before.held)).toBe(10);
    await clear();
  });

  it('keep the limits, however many small ones come at once', async () => {
    const tooLarge = { payout_account_id: account, amount: '10000.01', currency: 'EUR', reference: 'x' };
    expect(await demo.post('/payouts', tooLarge)).toMatchObject({
      status: 422,
      body: { error: { code: 'limit_exceeded' } },
    });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        demo.post('/payouts', {
          payout_account_id: account,
          amount: '4000',
          currency: 'EUR',
          reference: 'x',
        }),
      ),
    );
    // 50,000 in 24 hours.
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(12);
    const refused = replies.filter(({ status }) => status === 422);
    expect(new Set(refused.map(({ body }) => body.error.code))).toEqual(new Set(['limit_exceeded']));
    // A second account of the same person shares the limit.
    const other = await operator.post('/admin/accounts', { name: 'second', owner: 'client:demo' });
    const { account_id: second } = other.body;
    await operator.post(`/admin/accounts/${second}/deposits`, {
      asset: 'EUR',
      amount: '5000',
      reference: 'x',
    });
    expect(
      await demo.post('/payouts', {
        payout_account_id: account,
        amount: '4000',
        currency: 'EUR',
        reference: 'x',
        account_id: second,
      }),
    ).toMatchObject({ status: 422, body: { error: { code: 'limit_exceeded' } } });
    await clear();
    await payOut(demo, account, '4000');
    await clear();
  });

  it('that the account cannot bear have never been', async () => {
    const { account_id: poor } = (
      await operator.post('/admin/accounts', { name: 'poor', owner: 'client:demo' })
    ).body;
    await operator.post(`/admin/accounts/${poor}/deposits`, { asset: 'EUR', amount: '10', reference: 'x' });
    const body = {
      payout_account_id: account,
      amount: '6',
      currency: 'EUR',
      reference: 'x',
      account_id: poor,
    };
    const replies = await Promise.all([
      demo.post('/payouts', body),
      demo.post('/payouts', body),
      demo.post('/payouts', body),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
    expect((await demo.get(`/payouts?account_id=${poor}`)).body.data).toHaveLength(1);
    const key = { 'Idempotency-Key': 'poor' };
    expect((await demo.post('/payouts', body, key)).status).toBe(422);
    await operator.post(`/admin/accounts/${poor}/deposits`, { asset: 'EUR', amount: '10', reference: 'x' });
    expect((await demo.post('/payouts', body, key)).status).toBe(201);
    await clear();
  });

  it.each([
    ['a formula', { holder_name: '=HYPERLINK("http://x.example";"Anna")' }, 'holder_name'],
    ['another formula', { holder_name: '@SUM(A1:A9)' }, 'holder_name'],
    ['XML', { holder_name: '</Nm></Cdtr><Cdtr><Nm>Eve' }, 'holder_name'],
    ['a new line', { holder_name: 'Anna\n622021000021' }, 'holder_name'],
    ['a name that is too long', { holder_name: 'Anna '.repeat(20) }, 'holder_name'],
    ['a name that gets too long', { holder_name: 'щ'.repeat(40) }, 'holder_name'],
    ['emoji', { holder_name: 'Anna 🚀' }, 'holder_name'],
    ['text that runs backwards', { holder_name: 'Anna \u202Enosskire' }, 'holder_name'],
    ['a NUL', { holder_name: 'Anna\u0000' }, 'holder_name'],
    ['dollars to an IBAN', { currency: 'USD' }, 'currency'],
    ['money that no bank knows', { currency: 'BTC' }, 'currency'],
    ['an IBAN with a typing error', { iban: 'DE89370400440532013001' }, 'iban'],
    ['fields that are not taken', { owner: 'client:maker' }, 'owner'],
  ])('have no bank account with %s', async (_what, change, field) => {
    const body = {
      type: 'iban',
      holder_name: HOLDER,
      iban: 'NL91ABNA0417164300',
      currency: 'EUR',
      ...change,
    };
    const reply = await demo.post('/payout-accounts', body);
    expect(reply.status).toBe(400);
    if (reply.body.error.details)
      expect(reply.body.error.details.map((each: Json) => each.field)).toEqual([field]);
  });

  it('have each bank account once, as often as it is sent at once', async () => {
    const replies = await Promise.all(
      ['NL91ABNA0417164300', 'nl91 abna 0417 1643 00', 'NL91\u00a0ABNA\u202f0417\u20091643\u200b00'].map(
        (iban) => demo.post('/payout-accounts', { type: 'iban', holder_name: HOLDER, iban, currency: 'EUR' }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const { payout_account_id: id } = replies.find(({ status }) => status === 201)!.body;
    expect((await demo.delete(`/payout-accounts/${id}`)).status).toBe(204);
    expect((await demo.delete(`/payout-accounts/${id}`)).status).toBe(404);
    expect((await demo.get(`/payout-accounts/${id}`)).body.status).toBe('deleted');
    const body = { payout_account_id: id, amount: '1', currency: 'EUR', reference: 'x' };
    expect((await demo.post('/payouts', body)).status).toBe(404);
    expect(await addIban(demo, { iban: 'NL91ABNA0417164300' })).not.toBe(id);
    // Another owner may add the same IBAN.
    await addIban(maker, { iban: 'NL91ABNA0417164300' });
  });

  it.each([
    ['a formula', '=1+1'],
    ['XML', '</Ustrd><Ustrd>&amp;'],
    ['a new line', 'one\n9two'],
    ['slashes of the banks', '//RFB'],
  ])('have no reference with %s', async (_what, reference) => {
    const body = { payout_account_id: account, amount: '1', currency: 'EUR', reference };
    const reply = await demo.post('/payouts', body);
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unprocessable' } } });
    expect(reply.body.error.message).toContain('reference');
  });

  it.each([
    ['0', 400, 'validation_failed'],
    ['0.00', 400, 'validation_failed'],
    ['-1', 400, 'validation_failed'],
    ['1e3', 400, 'validation_failed'],
    [1, 400, 'validation_failed'],
    ['01', 400, 'validation_failed'],
    ['0.009', 422, 'amount_too_precise'],
    ['10.005', 422, 'amount_too_precise'],
    ['10.000000000000000001', 422, 'amount_too_precise'],
  ])('are not of %j', async (amount, status, code) => {
    const before = await demo.balance('EUR');
    const body = { payout_account_id: account, amount, currency: 'EUR', reference: 'x' };
    expect(await demo.post('/payouts', body)).toMatchObject({ status, body: { error: { code } } });
    expect(await demo.balance('EUR')).toEqual(before);
  });

  it('may be written with zeros that say nothing', async () => {
    const { payout_id: id, amount } = await payOut(demo, account, '10.000');
    expect(amount).toBe('10');
    expect((await demo.delete(`/payouts/${id}`)).status).toBe(200);
  });

  it('cross over scripts in a form that banks can read', async () => {
    const russian = await addIban(demo, { holder_name: 'Анна Эрикссон', iban: 'GB29NWBK60161331926819' });
    await payOut(demo, russian, '5', { reference: 'Übertrag für Łukasz 7' });
    const { content } = await closeBatch(operator, 'sepa');
    const [transfer] = readPain001(content).PmtInf.CdtTrfTxInf;
    expect(transfer.Cdtr.Nm).toBe('Anna Eriksson');
    expect(transfer.RmtInf.Ustrd).toBe('Ubertrag fur Lukasz 7');
  });

  it('do not reach countries without SEPA, which the refusal says', async () => {
    const brazil = await addIban(demo, { iban: 'BR1500000000000010932840814P2' });
    const body = { payout_account_id: brazil, amount: '1', currency: 'EUR', reference: 'x' };
    const reply = await demo.post('/payouts', body);
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unprocessable' } } });
    expect(reply.body.error.message).toContain('BR');
  });

  it('are cancelled or in a file, and never both', async () => {
    const before = await demo.balance('EUR');
    const payouts = await Promise.all(Array.from({ length: 12 }, () => payOut(demo, account, '3')));
    const [closed, ...cancelled] = await Promise.all([
      operator.post('/admin/payout-files', { rail: 'sepa' }),
      ...payouts.map(({ payout_id: id }) => demo.delete(`/payouts/${id}`)),
      operator.post('/admin/payout-files', { rail: 'sepa' }),
    ]);
    const files = [closed, cancelled.pop()!].flatMap(({ body }) => body.data);
    const sent = files.reduce((sum: number, { payments }: Json) => sum + payments, 0);
    const gone = cancelled.filter(({ status }) => status === 200).length;
    expect(cancelled.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect(sent + gone).toBe(12);
    expect(Number((await demo.balance('EUR')).held) - Number(before.held)).toBe(sent * 3);
    for (const { payout_id: id } of payouts) {
      const { status } = (await demo.get(`/payouts/${id}`)).body;
      expect(['cancelled', 'processing']).toContain(status);
      if (status === 'processing')
        expect((await operator.post(`/admin/payouts/${id}/report`, { status: 'failed' })).status).toBe(200);
    }
    expect(await demo.balance('EUR')).toEqual(before);
  });

  it('are not decided by who asked for them, whatever credential that takes', async () => {
    const large = await payOut(demo, account, '2000');
    await queryOnce(
      app.config.databaseUrl!,
      'UPDATE payouts SET requested_by = $1 WHERE payout_id = (SELECT max(payout_id) FROM payouts)',
      ['client:admin'],
    );
    for (const [verb, body] of [
      ['approve', {}],
      ['reject', { reason: 'x' }],
    ] as const) {
      expect(await operator.post(`/admin/payouts/${large.payout_id}/${verb}`, body)).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
    }
    expect((await demo.post(`/admin/payouts/${large.payout_id}/approve`, {})).status).toBe(403);
    await clear();
  });

  it('are approved many at once with fewer connections, while others are answered', async () => {
    await clear();
    const waiting = await Promise.all(Array.from({ length: 16 }, () => payOut(demo, account, '1001')));
    const approvals = waiting.map(({ payout_id: id }) => operator.post(`/admin/payouts/${id}/approve`, {}));
    const reads = ['/news', '/blog/posts', '/payouts', '/chat/rooms'].map((path) => demo.get(path));
    const statuses = (await Promise.all([...approvals, ...reads])).map(({ status }) => status);
    expect(statuses).toEqual(Array(20).fill(200));
    await clear();
  });

  it('are paid once with their fee, however often that is reported at once', async () => {
    const before = await demo.balance('USD');
    const us = await addUsAccount(demo);
    const { payout_id: id, fee } = await payOut(demo, us, '10', { currency: 'USD' });
    expect(fee).toBe('0.25');
    expect(await demo.balance('USD')).toMatchObject({ held: '10.25' });
    const { content } = await closeBatch(operator, 'ach');
    const reports = await Promise.all(
      ['paid', 'failed', 'paid', 'returned', 'failed', 'paid'].map((status) =>
        operator.post(`/admin/payouts/${id}/report`, { status }),
      ),
    );
    const taken = reports.filter(({ status }) => status === 200).map(({ body }) => body.status);
    const after = (await demo.get(`/payouts/${id}`)).body.status;
    expect(after).toBe(taken.includes('returned') ? 'returned' : taken[0]);
    const left = Number((await demo.balance('USD')).total) - Number(before.total);
    const kept = taken.includes('paid') ? (after === 'returned' ? -0.25 : -10.25) : 0;
    expect(left).toBeCloseTo(kept, 6);
    expect((await demo.balance('USD')).held).toBe('0');

    // A return with another amount belongs to another payout.
    const other = nachaReturns(content.replace('0000001000pay', '0000001001pay'), 'R01');
    expect((await upload(operator, other)).body.entries).toMatchObject([{ outcome: 'ignored' }]);
  });

  it('believe no report that is none', async () => {
    for (const report of [
      'x',
      '<Document/>',
      '<!DOCTYPE x [<!ENTITY a "b">]><Document><CstmrPmtStsRpt>&a;</CstmrPmtStsRpt></Document>',
      pain002('ANOTHER-HOUSE-1', [{ id: 'x', status: 'ACSC' }]),
    ]) {
      expect(await upload(operator, report)).toMatchObject({
        status: 422,
        body: { error: { code: 'unprocessable' } },
      });
    }
    expect(
      (await upload(operator, pain002('TRADEPOST-SEPA-000001', [{ id: 'pay-none', status: 'ACSC' }]))).body
        .entries,
    ).toMatchObject([{ payout_id: null, outcome: 'ignored' }]);
    expect((await upload(operator, pain002('TRADEPOST-SEPA-999999', []))).body.entries).toMatchObject([
      { payout_id: null, outcome: 'ignored', reason: expect.stringContaining('There is no file') },
    ]);
    expect((await operator.get('/admin/payout-files/pof_7ZZZZZZZZZZ/content')).status).toBe(404);
    expect((await operator.post('/admin/payout-files', { rail: 'swift' })).status).toBe(404);
  });

  it('go on where a process has died between what is due and the core', async () => {
    const before = await demo.balance('EUR');
    const lost = await payOut(demo, account, '8');
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE payouts SET status = 'cancelled', due_command = 'release', updated_at = now() - interval '1 minute'
       WHERE payout_id = (SELECT max(payout_id) FROM payouts)`,
    );
    expect(Number((await demo.balance('EUR')).held) - Number(before.held)).toBe(8);
    const money = app.app.nest.get(PayoutLifecycle);
    await Promise.all([money.sweep(0), money.sweep(0), money.sweep(0)]);
    expect(await demo.balance('EUR')).toEqual(before);
    expect((await demo.get(`/payouts/${lost.payout_id}`)).body.status).toBe('cancelled');
    // The keys are those of older versions, so that their payouts are recognised.
    const keys = await queryOnce(
      app.config.databaseUrl!,
      `SELECT key FROM command_keys WHERE owner = 'request:payout' AND key LIKE $1 ORDER BY key`,
      [`${lost.payout_id}:%`],
    );
    expect(keys).toEqual([{ key: `${lost.payout_id}:hold` }, { key: `${lost.payout_id}:release` }]);
  });

  it('of who lost the approval do not leave with the next file', async () => {
    const before = await maker.balance('EUR');
    const makers = await addIban(maker, { iban: 'FR1420041010050500013M02606' });
    const { payout_id: id } = await payOut(maker, makers, '9');
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE kyc_cases SET status = 'expired' WHERE owner = 'client:maker' AND status = 'approved'`,
    );
    expect((await operator.post('/admin/payout-files', { rail: 'sepa' })).body).toEqual({ data: [] });
    expect((await maker.get(`/payouts/${id}`)).body).toMatchObject({
      status: 'failed',
      code: 'kyc_required',
    });
    expect(await maker.balance('EUR')).toEqual(before);
  });
});

describe('the log', () => {
  it('says nothing of bank accounts, at its most talkative and when all goes wrong', async () => {
    const output = recordStandardOutput();
    const app = await startBank({}, 'trace');
    try {
      const [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
      const account = await addIban(demo);
      await addUsAccount(demo);
      await demo.post('/payout-accounts', { type: 'iban', holder_name: HOLDER, iban: IBAN, currency: 'EUR' });
      await demo.post('/payout-accounts', {
        type: 'iban',
        holder_name: HOLDER,
        iban: `${IBAN}1`,
        currency: 'EUR',
      });
      await approvedKyc(demo, operator);
      await payOut(demo, account, '1');
      // The next statement fails, and the database's error carries its parameters.
      await queryOnce(app.config.databaseUrl!, 'ALTER TABLE payout_files ADD CHECK (payments > 1)');
      expect((await operator.post('/admin/payout-files', { rail: 'sepa' })).status).toBe(500);
      await queryOnce(
        app.config.databaseUrl!,
        'ALTER TABLE payout_accounts ADD CHECK (last4 = $$none$$) NOT VALID',
      );
      const other = { type: 'iban', holder_name: HOLDER, iban: 'NL91ABNA0417164300', currency: 'EUR' };
      expect((await demo.post('/payout-accounts', other)).status).toBe(500);
    } finally {
      await app.close();
      output.stop();
    }
    const text = output.text();
    expect(text).toContain('payout_files');
    for (const secret of [IBAN, IBAN.slice(4, 18), 'NL91ABNA0417164300', '000123456789', 'Eriksson'])
      expect(text.includes(secret), secret).toBe(false);
  });
});

describe('without the settings of a bank', () => {
  it('no file is made, and the refusal names them', async () => {
    const app = await startBank({ PAYOUT_COMPANY_NAME: '', PAYOUT_SEPA_IBAN: '' });
    try {
      const operator = await callerFor(app.url, 'admin');
      const reply = await operator.post('/admin/payout-files', { rail: 'sepa' });
      expect(reply).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
      expect(reply.body.error.message).toContain('PAYOUT_COMPANY_NAME and PAYOUT_SEPA_IBAN');
    } finally {
      await app.close();
    }
  });
});

describe('where only the person that KYC knows is paid', () => {
  it('another holder is refused, before KYC at the payout, after it at once', async () => {
    const app = await startBank({ PAYOUT_HOLDER_NAME_CHECK: 'refuse' });
    try {
      const [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
      const early = await addIban(demo, { holder_name: 'Eve Mallory' });
      expect((await demo.get(`/payout-accounts/${early}`)).body.holder_name_check).toBe('unchecked');
      await approvedKyc(demo, operator);
      expect((await demo.get(`/payout-accounts/${early}`)).body.holder_name_check).toBe('mismatch');
      const refused = { status: 422, body: { error: { code: 'holder_name_mismatch' } } };
      const body = { payout_account_id: early, amount: '1', currency: 'EUR', reference: 'x' };
      expect(await demo.post('/payouts', body)).toMatchObject(refused);
      const late = { type: 'iban', holder_name: 'Eve Mallory', iban: 'NL91ABNA0417164300', currency: 'EUR' };
      expect(await demo.post('/payout-accounts', late)).toMatchObject(refused);
      await payOut(
        demo,
        await addIban(demo, { iban: 'NL91ABNA0417164300', holder_name: 'ERIKSSON ANNA' }),
        '1',
      );
    } finally {
      await app.close();
    }
  });
});
