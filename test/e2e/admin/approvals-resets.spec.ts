import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, queryOnce } from '../../support/core.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import {
  accountOf,
  approve,
  expectStatus,
  fund,
  type House,
  knownPerson,
  operatorMadeBy,
  startHouse,
  userMadeBy,
} from './approvals-client.js';
import type { Json, Reply } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { addIban, payOut } from '../../support/clients/payouts-client.js';
import { logIn, refusalOf, type UserCaller } from '../../support/clients/users-client.js';

const OUTSIDE = { type: 'address', chain: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
const RELATED = '403 related_person';
const WAITS = '403 approval_required';

/**
 * All amounts are below the thresholds. Each test sends money in another way, as the customer whose password the first
 * operator set.
 */
describe('one operator alone cannot reset a customer’s password and send the customer’s money away', () => {
  let house: House;
  let first: UserCaller;
  let third: UserCaller;
  /** An operator whom the first one made long ago. */
  let puppet: UserCaller;
  let customer: UserCaller;
  let account: string;
  let wallet: string;
  let address: string;
  let iban: string;
  /** An account and a wallet of somebody whom the first operator made. */
  let mules: Json[];

  const sql = (text: string): Promise<unknown> => queryOnce(house.app.config.databaseUrl!, text);
  const newWallet = async (owner: UserCaller): Promise<string> =>
    (await expectStatus(owner.post('/wallets', { name: 'Savings' }), 201)).wallet_id;
  const move = (from: string, asset: string, destination: Json): Promise<Reply> =>
    customer.post(`/${from}/transfers`, { asset, amount: '0.01', destination });
  const sendOut = (): Promise<Json> => expectStatus(move(`wallets/${wallet}`, 'ETH', OUTSIDE), 201);
  const sign = (): Promise<Reply> =>
    customer.post(`/wallets/${wallet}/sign`, { address, type: 'raw', payload: 'I pay.' });
  const waiting = async (kind: string, id: string): Promise<Json> => {
    const { body } = await third.get(`/admin/approvals?kind=${kind}&status=pending`);
    return body.data.find(({ subject }: Json) => subject.id === id);
  };

  beforeAll(async () => {
    house = await startHouse(undefined, { plugins: [QuietChainPlugin] });
    const { app, second } = house;
    ({ first, third } = house);
    await expectStatus(first.post('/admin/assets', { code: 'ETH', scale: 18 }), 201);
    puppet = await operatorMadeBy(app, [first, second], 'puppet');
    await sql(`UPDATE users SET created_at = now() - interval '40 days' WHERE username = 'puppet'`);
    const mule = await userMadeBy(app, first, 'mule');
    mules = [
      { type: 'account', account_id: await accountOf(mule) },
      { type: 'wallet', wallet_id: await newWallet(mule) },
    ];
    customer = await userMadeBy(app, second, 'customer');
    account = await accountOf(customer);
    for (const asset of ['EUR', 'ETH']) await fund([first, third], account, '500', asset);
    await knownPerson(customer, third);
    iban = await addIban(customer);
    wallet = await newWallet(customer);
    ({ address } = await expectStatus(
      customer.post(`/wallets/${wallet}/addresses`, { chain: 'ethereum', purpose: 'signing' }),
      201,
    ));
    const destination = { type: 'wallet', wallet_id: wallet };
    await expectStatus(
      customer.post('/accounts/me/transfers', { asset: 'ETH', amount: '2', destination }),
      201,
    );
    await eventually(async () => {
      const { body } = await first.get('/admin/chains');
      return body.data.some(({ head_block: head }: Json) => head === 1);
    }, 'the chain is known');
    expect((await payOut(customer, iban, '20')).status).toBe('pending');
    expect((await sendOut()).status).toBe('pending');

    await expectStatus(first.put('/user/customer', { password: 'known-to-first' }), 200);
    customer = await logIn(app, 'customer', 'known-to-first');
    // A change by the customer proves nothing: anybody who knows the password acts as the customer.
    const next = { current_password: 'known-to-first', new_password: 'also-known-to-first' };
    await expectStatus(customer.post('/user/password', next), 204);
  });

  afterAll(async () => {
    await expectBalancedBooks(house.second);
    await house.app.close();
  });

  it('by payouts, which wait for an operator who is related to neither', async () => {
    const { payout_id: id, status } = await payOut(customer, iban, '20');
    expect(status).toBe('pending_approval');
    const approval = await waiting('payout', id);
    for (const related of [first, puppet]) {
      expect(refusalOf(await approve(related, approval))).toBe(RELATED);
      expect(refusalOf(await related.post(`/admin/payouts/${id}/approve`, {}))).toBe(RELATED);
    }
    await expectStatus(approve(third, approval), 200);
    expect((await customer.get(`/payouts/${id}`)).body.status).toBe('pending');
  });

  it('over a chain, where transfers wait likewise', async () => {
    const { transfer_id: id, status } = await sendOut();
    expect(status).toBe('pending_approval');
    const approval = await waiting('wallet_transfer', id);
    for (const related of [first, puppet]) {
      expect(refusalOf(await approve(related, approval))).toBe(RELATED);
      expect(refusalOf(await related.post(`/admin/transfers/${id}/approve`, {}))).toBe(RELATED);
    }
    await expectStatus(approve(third, approval), 200);
    expect((await customer.get(`/wallets/${wallet}/transfers/${id}`)).body.status).toBe('pending');
  });

  it('inside, to anybody but the customer', async () => {
    for (const mule of mules) {
      for (const from of [`accounts/${account}`, `wallets/${wallet}`]) {
        const reply = await move(from, 'ETH', mule);
        expect(refusalOf(reply)).toBe(WAITS);
        expect(reply.body.error.message).toMatch(/until \d{4}-\d\d-\d\dT.*Ask for a payout/);
      }
    }
    await expectStatus(move(`accounts/${account}`, 'ETH', { type: 'wallet', wallet_id: wallet }), 201);
    await expectStatus(move(`wallets/${wallet}`, 'ETH', { type: 'account', account_id: account }), 201);
  });

  it('by a signature of a key of the customer’s wallet', async () => {
    expect(refusalOf(await sign())).toBe(WAITS);
    expect((await customer.get(`/wallets/${wallet}/signatures`)).body.data).toEqual([]);
  });

  it('and after 30 days the customer sends it alone again', async () => {
    await sql(`UPDATE password_resets SET reset_at = now() - interval '29 days'`);
    expect(refusalOf(await sign())).toBe(WAITS);
    await sql(`UPDATE password_resets SET reset_at = now() - interval '31 days'`);
    expect((await payOut(customer, iban, '20')).status).toBe('pending');
    expect((await sendOut()).status).toBe('pending');
    await expectStatus(move(`accounts/${account}`, 'ETH', mules[0]), 201);
    await expectStatus(sign(), 200);
  });
});
