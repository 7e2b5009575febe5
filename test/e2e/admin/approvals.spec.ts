import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Approvals } from '../../../src/kit/approvals/approvals.service.js';
import { queryOnce } from '../../support/core.js';
import {
  accountOf,
  adminClientOf,
  adminKeyOf,
  approve,
  closedMarket,
  eur,
  expectStatus,
  fund,
  type House,
  knownPerson,
  operatorMadeBy,
  proposed,
  startHouse,
  userMadeBy,
} from './approvals-client.js';
import { submitKyc } from '../../support/clients/kyc-client.js';
import type { Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { addIban, payOut } from '../../support/clients/payouts-client.js';
import { logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

const SAME = '403 same_person';
const RELATED = '403 related_person';

describe('one operator alone, where acts take two persons', () => {
  let house: House;
  let first: UserCaller;
  let second: UserCaller;
  let third: UserCaller;
  /** All credentials of the first operator. */
  let firsts: UserCaller[];
  let mule: UserCaller;
  let muleAccount: string;

  beforeAll(async () => {
    house = await startHouse();
    ({ first, second, third } = house);
    firsts = [first, await adminClientOf(house.app, first), await adminKeyOf(house.app, first)];
    mule = await userMadeBy(house.app, first, 'mule');
    muleAccount = await accountOf(mule);
  });

  afterAll(async () => {
    await expectBalancedBooks(first);
    await house.app.close();
  });

  it('cannot credit a customer whom they made, whatever credential they approve by', async () => {
    const path = `/admin/accounts/${muleAccount}/deposits`;
    const approval = await proposed(first.post(path, eur('50000.00', 'wire 2026-11-01/17')));
    expect(approval).toMatchObject({
      kind: 'deposit',
      subject: { type: 'account', id: muleAccount },
      summary: `Deposit 50000 EUR into the account ${muleAccount} of mule (wire 2026-11-01/17).`,
    });
    for (const caller of firsts) expect(refusalOf(await approve(caller, approval))).toBe(SAME);
    expect(await mule.balance('EUR')).toBeUndefined();

    expect(await expectStatus(approve(second, approval), 200)).toMatchObject({
      status: 'approved',
      decided_by: expect.stringMatching(/^user:/) as string,
      reason: null,
    });
    expect(await mule.balance('EUR')).toMatchObject({ total: '50000' });
  });

  it('cannot approve the KYC of a customer whom they made, at level 9 or at all', async () => {
    const { kyc_id: id } = await submitKyc(mule);
    const path = `/admin/kyc/${id}/decision`;
    const raise = { decision: 'approved', level: 9, reason: 'Seen in person.' };
    for (const caller of firsts) {
      expect(refusalOf(await caller.post(path, raise))).toBe(RELATED);
      expect(refusalOf(await caller.post(path, { ...raise, level: 1 }))).toBe(RELATED);
    }
    const approval = await proposed(second.post(path, raise));
    expect(approval).toMatchObject({
      kind: 'kyc_level',
      summary: `Approve the KYC case ${id} of mule at level 9.`,
    });
    expect(refusalOf(await approve(second, approval))).toBe(SAME);
    expect(refusalOf(await approve(first, approval))).toBe(RELATED);
    expect((await mule.get(`/kyc/${id}`)).body.status).toBe('in_review');

    await expectStatus(approve(third, approval), 200);
    expect((await mule.get(`/kyc/${id}`)).body).toMatchObject({ status: 'approved', level: 9 });
  });

  it('cannot approve or report the payout of a customer whom they made', async () => {
    const iban = await addIban(mule);
    const { payout_id: id, status } = await payOut(mule, iban, '5000');
    expect(status).toBe('pending_approval');
    const open = await second.get('/admin/approvals?kind=payout&status=pending');
    const [approval] = open.body.data;
    expect(approval).toMatchObject({
      subject: { type: 'payout', id },
      summary: 'Pay 5000 EUR of mule to their bank account ending in 3000, by sepa.',
      expires_at: null,
    });
    for (const caller of firsts) {
      expect(refusalOf(await approve(caller, approval))).toBe(RELATED);
      expect(refusalOf(await caller.post(`/admin/payouts/${id}/approve`, {}))).toBe(RELATED);
      expect(refusalOf(await caller.post(`/admin/payouts/${id}/reject`, { reason: 'x' }))).toBe(RELATED);
    }
    expect((await mule.get(`/payouts/${id}`)).body.status).toBe('pending_approval');

    await expectStatus(second.post(`/admin/payouts/${id}/approve`, {}), 200);
    expect((await second.get(`/admin/approvals/${approval.approval_id}`)).body.status).toBe('approved');
    expect(refusalOf(await approve(third, approval))).toBe('409 approval_not_pending');
    expect(refusalOf(await third.post(`/admin/payouts/${id}/approve`, {}))).toBe('409 invalid_status_change');
    await expectStatus(second.post('/admin/payout-files', { rail: 'sepa' }), 201);
    for (const report of ['failed', 'returned', 'paid']) {
      expect(refusalOf(await first.post(`/admin/payouts/${id}/report`, { status: report }))).toBe(RELATED);
    }
    await expectStatus(second.post(`/admin/payouts/${id}/report`, { status: 'paid' }), 200);
  });

  it('cannot credit or correct an account of their own', async () => {
    const own = await accountOf(first);
    const further = await expectStatus(
      second.post('/admin/accounts', { name: 'further', owner: 'first' }),
      201,
    );
    const adjustment = { ...eur('1'), direction: 'credit', reason: 'Forgotten' };
    for (const account of [own, further.account_id]) {
      for (const caller of firsts) {
        const path = `/admin/accounts/${account}`;
        expect(refusalOf(await caller.post(`${path}/deposits`, eur('10000000000')))).toBe(RELATED);
        expect(refusalOf(await caller.post(`${path}/adjustments`, adjustment))).toBe(RELATED);
      }
    }
    const approval = await proposed(second.post(`/admin/accounts/${own}/deposits`, eur('10000000000')));
    for (const caller of firsts) expect(refusalOf(await approve(caller, approval))).toBe(RELATED);
    expect(await first.balance('EUR')).toBeUndefined();
  });

  it('cannot report a paid payout of their own as failed, which would give the money back', async () => {
    const own = await accountOf(first);
    await fund([second, third], own, '60');
    await knownPerson(first, second);
    const { payout_id: id } = await payOut(first, await addIban(first), '50');
    await expectStatus(second.post('/admin/payout-files', { rail: 'sepa' }), 201);
    await expectStatus(second.post(`/admin/payouts/${id}/report`, { status: 'paid' }), 200);
    for (const caller of firsts) {
      for (const status of ['failed', 'returned']) {
        expect(refusalOf(await caller.post(`/admin/payouts/${id}/report`, { status }))).toBe(SAME);
      }
    }
    expect(await first.balance('EUR')).toMatchObject({ total: '10' });
  });

  it('cannot set a colleague’s password and give the second approval as them', async () => {
    const colleague = await operatorMadeBy(house.app, [second, third], 'colleague');
    const market = await closedMarket(first, 'COLLEAGUE');
    const settle = { status: 'settled', settlement_value: '1' };
    await expectStatus(first.patch(`/admin/markets/${market}`, settle), 202);

    const change = { password: 'known-to-first', firstName: 'Colin' };
    const approval = await proposed(first.put('/user/colleague', change));
    expect(approval).toMatchObject({ kind: 'credential_reset', subject: { type: 'user', id: 'colleague' } });
    expect(JSON.stringify(approval)).not.toContain('argon2');
    const anyone = new UserCaller(house.app.url);
    expect((await anyone.tryLogIn('colleague', 'known-to-first')).status).toBe(401);
    for (const caller of firsts) expect(refusalOf(await approve(caller, approval))).toBe(SAME);
    expect(refusalOf(await approve(colleague, approval))).toBe(RELATED);
    expect(refusalOf(await approve(second, approval))).toBe(RELATED);

    await expectStatus(approve(third, approval), 200);
    expect((await colleague.get('/user/colleague')).status).toBe(401);
    expect((await anyone.tryLogIn('colleague', 'colleague-password')).status).toBe(401);
    const puppet = await logIn(house.app, 'colleague', 'known-to-first');
    expect(refusalOf(await puppet.patch(`/admin/markets/${market}`, settle))).toBe(RELATED);
    const neutral = await accountOf(await userMadeBy(house.app, third, 'neutral'));
    const other = await proposed(first.post(`/admin/accounts/${neutral}/deposits`, eur('1')));
    expect(refusalOf(await approve(puppet, other))).toBe(RELATED);
    // Conversely: a person who set a password may not approve that user's proposals.
    const reverse = await proposed(puppet.post(`/admin/accounts/${neutral}/deposits`, eur('2')));
    expect(refusalOf(await approve(first, reverse))).toBe(RELATED);
    await queryOnce(
      house.app.config.databaseUrl!,
      `UPDATE password_resets SET reset_at = now() - interval '31 days'`,
    );
    await expectStatus(approve(first, reverse), 200);
    await expectStatus(third.patch(`/admin/markets/${market}`, settle), 200);
  });

  it('cannot set a customer’s password and count beside the customer', async () => {
    await userMadeBy(house.app, second, 'customer');
    await expectStatus(first.put('/user/customer', { password: 'known-to-first' }), 200);
    const customer = await logIn(house.app, 'customer', 'known-to-first');
    const { kyc_id } = await submitKyc(customer);
    const decision = { decision: 'approved', reason: 'Document and data agree.' };
    expect(refusalOf(await first.post(`/admin/kyc/${kyc_id}/decision`, decision))).toBe(RELATED);
    const [reset] = await queryOnce<{ reset_by: string }>(
      house.app.config.databaseUrl!,
      'SELECT reset_by FROM password_resets ORDER BY reset_id DESC LIMIT 1',
    );
    expect(reset!.reset_by).toBe(
      (await proposed(first.post(`/admin/accounts/${muleAccount}/deposits`, eur('3')))).proposed_by,
    );
  });

  it('cannot make a second operator alone, nor approve by operators whom they made', async () => {
    await userMadeBy(house.app, first, 'puppet');
    const approval = await proposed(first.post('/admin/operators', { username: 'puppet' }));
    expect(approval.summary).toBe('Make the user puppet an operator.');
    for (const caller of firsts) expect(refusalOf(await approve(caller, approval))).toBe(SAME);
    expect((await (await logIn(house.app, 'puppet')).get('/admin/approvals')).status).toBe(403);
    expect((await proposed(first.post('/admin/operators', { username: 'puppet' }))).approval_id).toBe(
      approval.approval_id,
    );
    await expectStatus(approve(second, approval), 200);

    const puppet = await logIn(house.app, 'puppet');
    // Made by the puppet through a client, and so indirectly by the first operator.
    const byClient = await adminClientOf(house.app, puppet);
    const grandchild = await operatorMadeBy(house.app, [byClient, second], 'grandchild');
    const sibling = await operatorMadeBy(house.app, [first, second], 'sibling');
    const path = `/admin/accounts/${await accountOf(mule)}/deposits`;
    const ofFirst = await proposed(first.post(path, eur('7')));
    const ofPuppet = await proposed(puppet.post(path, eur('8')));
    for (const made of [puppet, grandchild, sibling]) {
      expect(refusalOf(await approve(made, ofFirst))).toBe(RELATED);
    }
    for (const related of [first, grandchild, sibling]) {
      expect(refusalOf(await approve(related, ofPuppet))).toBe(RELATED);
    }
    await expectStatus(approve(third, ofPuppet), 200);
  });
});

describe('approvals', () => {
  let house: House;
  let first: UserCaller;
  let second: UserCaller;
  let third: UserCaller;
  let customer: UserCaller;
  let account: string;
  let iban: string;

  beforeAll(async () => {
    house = await startHouse();
    ({ first, second, third } = house);
    customer = await userMadeBy(house.app, first, 'customer');
    account = await accountOf(customer);
    iban = await addIban(customer);
  });

  afterAll(async () => {
    await expectBalancedBooks(first);
    await house.app.close();
  });

  const sql = (statement: string, values: unknown[] = []) =>
    queryOnce(house.app.config.databaseUrl!, statement, values);
  const numberOf = async ({ approval_id: id }: Json): Promise<string> => {
    const rows = await queryOnce<{ approval_id: string }>(
      house.app.config.databaseUrl!,
      'SELECT approval_id FROM approvals ORDER BY approval_id',
    );
    return rows.map(({ approval_id }) => approval_id).find((n) => id.endsWith(base32(n)))!;
  };
  const total = async (): Promise<number> => Number((await customer.balance('EUR'))?.total ?? 0);
  const deposit = (amount: string, headers?: Record<string, string>) =>
    first.post(`/admin/accounts/${account}/deposits`, eur(amount), headers);

  it('carry out what was proposed once, however many approve at once', async () => {
    const approval = await proposed(deposit('10'));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => approve(i % 2 === 0 ? second : third, approval)),
    );
    const results = replies.map((reply) => (reply.status === 200 ? '200' : refusalOf(reply)));
    expect(results.filter((result) => result === '200')).toHaveLength(1);
    expect(results.filter((result) => result === '409 approval_not_pending')).toHaveLength(19);
    expect(await total()).toBe(10);
  });

  it('are answered 409 once decided, taken back by who proposed them, and rejected by others', async () => {
    const before = await total();
    const [withdrawn, rejected] = [await proposed(deposit('1')), await proposed(deposit('1'))];
    const path = `/admin/approvals/${withdrawn.approval_id}`;
    expect(await expectStatus(first.post(`${path}/reject`, { reason: 'typo' }), 200)).toMatchObject({
      status: 'rejected',
      reason: 'typo',
      decided_by: withdrawn.proposed_by,
    });
    await expectStatus(
      second.post(`/admin/approvals/${rejected.approval_id}/reject`, { reason: 'no such wire' }),
      200,
    );
    for (const approval of [withdrawn, rejected]) {
      expect(refusalOf(await approve(third, approval))).toBe('409 approval_not_pending');
    }
    expect(await total()).toBe(before);
  });

  it('expire after seven days', async () => {
    const approval = await proposed(deposit('2'));
    const days = (Date.parse(approval.expires_at) - Date.parse(approval.proposed_at)) / 86_400_000;
    expect(days).toBeCloseTo(7, 3);
    await sql('UPDATE approvals SET expires_at = now() WHERE approval_id = $1', [await numberOf(approval)]);
    expect(refusalOf(await approve(second, approval))).toBe('409 approval_not_pending');
    expect((await first.get(`/admin/approvals/${approval.approval_id}`)).body).toMatchObject({
      status: 'expired',
      decided_by: null,
    });
  });

  it('are carried out by the sweep where the process died in between, once', async () => {
    const before = await total();
    const approval = await proposed(deposit('5'));
    const approvalId = await numberOf(approval);
    const sweeper = house.app.app.nest.get(Approvals);
    await sql(
      `UPDATE approvals SET status = 'approved', decided_by = 'user:2', decided_at = now() - interval '1 minute'
       WHERE approval_id = $1`,
      [approvalId],
    );
    await sweeper.sweep(0);
    expect(await total()).toBe(before + 5);
    // As if the core had done it, but the row was not updated.
    await sql('UPDATE approvals SET carried_out_at = NULL WHERE approval_id = $1', [approvalId]);
    await sweeper.sweep(0);
    await sweeper.sweep(0);
    expect(await total()).toBe(before + 5);
    expect(
      (await sql('SELECT carried_out_at FROM approvals WHERE approval_id = $1', [approvalId]))[0],
    ).toMatchObject({
      carried_out_at: expect.any(Date) as Date,
    });
  });

  it('fail with the code of the refusal, where the act is refused at that moment', async () => {
    const path = `/admin/accounts/${account}/adjustments`;
    const debit = { ...eur('1000000'), direction: 'debit', reason: 'Credited twice' };
    const approval = await proposed(first.post(path, debit));
    expect(approval.summary).toBe(
      `Debit 1000000 EUR from the account ${account} of customer (wire 1): Credited twice`,
    );
    expect(refusalOf(await approve(second, approval))).toBe('422 insufficient_funds');
    expect((await first.get(`/admin/approvals/${approval.approval_id}`)).body).toMatchObject({
      status: 'failed',
      reason: 'insufficient_funds',
    });
    expect(refusalOf(await approve(third, approval))).toBe('409 approval_not_pending');

    const body = { ...debit, amount: '1.50', direction: 'credit', reference: 'wire 2' };
    const credit = await proposed(first.post(path, body));
    expect(await first.post(path, body)).toMatchObject({ status: 202, body: credit });
    expect(refusalOf(await first.post(path, { ...body, amount: '2' }))).toBe('409 conflict');
    const before = await total();
    await expectStatus(approve(second, credit), 200);
    expect(await total()).toBe(before + 1.5);
    const [entry] = (await customer.get('/accounts/me/entries?limit=1')).body.data;
    expect(entry).toMatchObject({ reason: 'adjustment', direction: 'credit', amount: '1.5' });
  });

  it('are proposed once under an Idempotency-Key, which stands for one body', async () => {
    const key = { 'Idempotency-Key': 'propose once' };
    const approval = await proposed(deposit('4', key));
    const repeat = await deposit('4', key);
    expect(repeat).toMatchObject({ status: 202, body: approval });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(refusalOf(await deposit('40', key))).toBe('422 idempotency_key_reused');
  });

  it('refuse a proposal that could never be carried out', async () => {
    const path = `/admin/accounts/${account}/deposits`;
    expect(refusalOf(await deposit('0.001'))).toBe('422 amount_too_precise');
    expect(refusalOf(await first.post(path, { ...eur('1'), asset: 'XXX' }))).toBe('404 asset_not_found');
    expect(refusalOf(await first.post('/admin/operators', { username: 'nobody' }))).toBe('404 not_found');
  });

  it('are listed newest first, by kind and status, page by page', async () => {
    const all = await second.walk('/admin/approvals', 2);
    const ids = all.map(({ approval_id: id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    const failed = await second.walk('/admin/approvals?kind=adjustment&status=failed', 50);
    expect(failed).toHaveLength(1);
    expect(Object.keys(failed[0]).sort()).toEqual(
      [
        'approval_id',
        'decided_at',
        'decided_by',
        'expires_at',
        'kind',
        'proposed_at',
        'proposed_by',
        'reason',
        'status',
        'subject',
        'summary',
      ].sort(),
    );
  });

  it.each<[string, string, string, unknown, string]>([
    ['an unknown kind', 'GET', '?kind=loan', undefined, '400 validation_failed'],
    ['an unknown status', 'GET', '?status=open', undefined, '400 validation_failed'],
    ['a made-up cursor', 'GET', '?cursor=x', undefined, '400 invalid_cursor'],
    ['an id that nobody has', 'GET', '/apv_7ZZZZZZZZZZ', undefined, '404 not_found'],
    ['an id of another kind', 'POST', '/acc_00000000001/approve', {}, '404 not_found'],
    [
      'another payload',
      'POST',
      '/apv_00000000001/approve',
      { payload: { amount: '9' } },
      '400 validation_failed',
    ],
    ['a rejection without a reason', 'POST', '/apv_00000000001/reject', {}, '400 validation_failed'],
    ['a reason that is no text', 'POST', '/apv_00000000001/approve', { reason: 1 }, '400 validation_failed'],
  ])('refuse %s', async (_name, method, path, body, refusal) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    expect(refusalOf(await second.send(method, `/admin/approvals${path}`, text))).toBe(refusal);
  });

  it('are nothing that customers see', async () => {
    expect(refusalOf(await customer.get('/admin/approvals'))).toBe('403 insufficient_scope');
    expect(refusalOf(await customer.post('/admin/approvals/apv_00000000001/approve', {}))).toBe(
      '403 insufficient_scope',
    );
  });

  it('of payouts end when their owner takes them back', async () => {
    await fund([first, second], account, '500');
    await knownPerson(customer, second);
    const { payout_id: id } = await payOut(customer, iban, '200');
    const [approval] = (await second.get('/admin/approvals?kind=payout&status=pending')).body.data;
    await expectStatus(customer.delete(`/payouts/${id}`), 200);
    expect((await second.get(`/admin/approvals/${approval.approval_id}`)).body).toMatchObject({
      status: 'rejected',
      reason: 'cancelled_by_owner',
    });
    expect(refusalOf(await approve(second, approval))).toBe('409 approval_not_pending');
  });

  it('of payouts are decided on either route, and wait where the owner is not known any more', async () => {
    const { payout_id: id } = await payOut(customer, iban, '150');
    const [approval] = (await second.get('/admin/approvals?kind=payout&status=pending')).body.data;
    await sql(`UPDATE kyc_cases SET document_expires_on = '2020-01-01' WHERE status = 'approved'`);
    expect(refusalOf(await approve(second, approval))).toBe('422 kyc_required');
    expect((await second.get(`/admin/approvals/${approval.approval_id}`)).body.status).toBe('pending');
    const before = await customer.balance('EUR');
    await expectStatus(
      second.post(`/admin/approvals/${approval.approval_id}/reject`, { reason: 'expired' }),
      200,
    );
    expect((await customer.get(`/payouts/${id}`)).body).toMatchObject({ status: 'failed', code: 'rejected' });
    expect((await customer.balance('EUR')).available).not.toBe(before.available);
  });
});

function base32(number: string): string {
  return [...Number(number).toString(32)]
    .map((digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[parseInt(digit, 32)])
    .join('')
    .padStart(11, '0');
}
