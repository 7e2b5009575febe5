import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf } from '../../../src/domain/money/amount.js';
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
import { addIban } from '../../support/clients/payouts-client.js';
import { logIn, type UserCaller } from '../../support/clients/users-client.js';

/** One action that one of the person's credentials tries. */
interface Attempt {
  readonly act: keyof ReturnType<typeof actsOn>;
  readonly by: number;
  readonly on: number;
  readonly amount: number;
}

const RUNS = 15;

describe('one person with all their clients, keys, users and a colleague whose password they set', () => {
  let house: House;
  /** All credentials of one person, namely three operators, and those of a customer. */
  let credentials: UserCaller[];
  let accounts: string[];
  let acts: ReturnType<typeof actsOn>;

  beforeAll(async () => {
    house = await startHouse(amountOf('10'));
    const { app, first, second, third } = house;
    const puppet = await operatorMadeBy(app, [first, second], 'puppet');
    const mule = await userMadeBy(app, first, 'mule');
    accounts = [];
    for (const user of [first, third, puppet, mule]) {
      const account = await accountOf(user);
      accounts.push(account);
      await fund(user === third ? [second, first] : [second, third], account, '100');
    }
    for (const user of [first, mule]) {
      await knownPerson(user, second);
      await addIban(user);
    }
    await userMadeBy(app, first, 'unknown');
    const { kyc_id: kycId } = await submitKyc(await logIn(app, 'unknown'));
    const market = await closedMarket(first, 'ALONE');

    const reset = await proposed(first.put('/user/third', { password: 'known-to-first' }));
    await expectStatus(approve(second, reset), 200);
    const colleague = await logIn(app, 'third', 'known-to-first');
    credentials = [
      first,
      await adminClientOf(app, first),
      await adminKeyOf(app, first),
      puppet,
      await adminClientOf(app, puppet),
      colleague,
      mule,
    ];
    acts = actsOn({ accounts, kycId, market });
  });

  afterAll(async () => {
    await expectBalancedBooks(house.second);
    await house.app.close();
  });

  const sql = <Row extends Record<string, unknown>>(statement: string): Promise<Row[]> =>
    queryOnce<Row>(house.app.config.databaseUrl!, statement);

  /** Everything that only two persons may change. */
  async function stateOfTheHouse(): Promise<Json> {
    const totals = await Promise.all(
      [house.first, credentials[3]!, credentials[5]!, credentials[6]!].map((user) => user.balance('EUR')),
    );
    const [approved, users, persons, sent, market] = await Promise.all([
      sql(`SELECT approval_id FROM approvals WHERE status = 'approved' ORDER BY 1`),
      sql('SELECT user_id, password_hash, is_operator FROM users ORDER BY user_id'),
      sql('SELECT owner, level FROM kyc_persons ORDER BY owner'),
      sql(`SELECT payout_id FROM payouts WHERE status NOT IN ('pending_approval', 'cancelled')`),
      house.second.get('/markets/ALONE'),
    ]);
    return {
      totals: totals.map((balance) => balance.total),
      approved,
      users,
      persons,
      sent,
      market: market.body.status,
    };
  }

  it('moves no money, raises no level, makes no operator and settles nothing, whatever they try', async () => {
    const before = await stateOfTheHouse();
    const attempts = fc.array(
      fc.record<Attempt>({
        // Most actions have no effect without a second person's approval.
        act: fc.constantFrom(...(Object.keys(acts) as Attempt['act'][]), 'approve', 'approvePayout'),
        by: fc.nat({ max: credentials.length - 1 }),
        on: fc.nat({ max: 7 }),
        amount: fc.integer({ min: 11, max: 60 }),
      }),
      { minLength: 6, maxLength: 14 },
    );
    await fc.assert(
      fc.asyncProperty(attempts, async (sequence) => {
        for (const { act, by, on, amount } of sequence) {
          await acts[act](credentials[by]!, on, String(amount));
        }
        expect(await stateOfTheHouse()).toEqual(before);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('moves it once another person approves', async () => {
    const { first, second } = house;
    const before = Number((await credentials[6]!.balance('EUR')).total);
    const deposit = await proposed(first.post(`/admin/accounts/${accounts[3]!}/deposits`, eur('25')));
    for (const caller of credentials) expect((await approve(caller, deposit)).status).toBe(403);
    await expectStatus(approve(second, deposit), 200);
    expect(Number((await credentials[6]!.balance('EUR')).total)).toBe(before + 25);
  });
});

/** The possible actions; none reports whether it worked. */
function actsOn({
  accounts,
  kycId,
  market,
}: {
  readonly accounts: readonly string[];
  readonly kycId: string;
  readonly market: string;
}) {
  const pick = <T>(items: readonly T[], place: number): T | undefined => items[place % items.length];
  const waiting = async (by: UserCaller, on: number): Promise<string> => {
    const { body } = await by.get('/admin/approvals?status=pending&limit=8');
    return pick<Json>(body.data ?? [], on)?.approval_id ?? 'apv_00000000001';
  };
  const payout = async (by: UserCaller, on: number): Promise<string> => {
    const { body } = await by.get('/admin/payouts?limit=8');
    return pick<Json>(body.data ?? [], on)?.payout_id ?? 'pay_00000000001';
  };
  return {
    deposit: (by: UserCaller, on: number, amount: string) =>
      by.post(`/admin/accounts/${pick(accounts, on)!}/deposits`, eur(amount)),
    adjust: (by: UserCaller, on: number, amount: string) =>
      by.post(`/admin/accounts/${pick(accounts, on)!}/adjustments`, {
        ...eur(amount),
        direction: on % 2 === 0 ? 'credit' : 'debit',
        reason: 'mistake',
      }),
    approve: async (by: UserCaller, on: number) =>
      by.post(`/admin/approvals/${await waiting(by, on)}/approve`, {}),
    reject: async (by: UserCaller, on: number) =>
      by.post(`/admin/approvals/${await waiting(by, on)}/reject`, { reason: 'no' }),
    askForPayout: async (by: UserCaller, _on: number, amount: string) => {
      const { body } = await by.get('/payout-accounts');
      const account = pick<Json>(body.data ?? [], 0)?.payout_account_id ?? 'pac_00000000001';
      return by.post('/payouts', { payout_account_id: account, amount, currency: 'EUR' });
    },
    approvePayout: async (by: UserCaller, on: number) =>
      by.post(`/admin/payouts/${await payout(by, on)}/approve`, {}),
    rejectPayout: async (by: UserCaller, on: number) =>
      by.post(`/admin/payouts/${await payout(by, on)}/reject`, { reason: 'no' }),
    reportPayout: async (by: UserCaller, on: number) =>
      by.post(`/admin/payouts/${await payout(by, on)}/report`, {
        status: ['paid', 'failed', 'returned'][on % 3],
      }),
    sendFiles: (by: UserCaller) => by.post('/admin/payout-files', { rail: 'sepa' }),
    decideKyc: (by: UserCaller, on: number) =>
      by.post(`/admin/kyc/${kycId}/decision`, {
        decision: 'approved',
        level: 1 + on,
        reason: 'Seen in person.',
      }),
    makeOperator: (by: UserCaller, on: number) =>
      by.post('/admin/operators', { username: on % 2 === 0 ? 'mule' : 'unknown' }),
    resetPassword: (by: UserCaller) => by.put('/user/second', { password: 'known-to-first' }),
    settle: (by: UserCaller) =>
      by.patch(`/admin/markets/${market}`, { status: 'settled', settlement_value: '1' }),
  };
}
