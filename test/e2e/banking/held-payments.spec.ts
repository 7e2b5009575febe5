import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChainTransfers } from '../../../src/modules/wallets/transfers/chain-transfers.service.js';
import { CoreService } from '../../../src/core/core.service.js';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/core.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json, loggedIn, type Reply } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { addIban, closeBatch, payOut, startBank, statusesOf } from '../../support/clients/payouts-client.js';
import { refusalOf } from '../../support/clients/users-client.js';
import { TRANSFER_IDS } from '../../../src/modules/wallets/ids.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let app: TestApp;
let operator: Caller;
/** A customer who is a user, with money in EUR, and approved KYC. */
let alice: Caller;
let account: string;
let iban: string;

beforeAll(async () => {
  app = await startBank({}, 'fatal', {
    rateLimits: 'off',
    plugins: [QuietChainPlugin],
    environment: { WALLET_APPROVAL_ABOVE: 'ETH:2' },
  });
  operator = await callerFor(app.url, 'admin');
  alice = await loggedIn(app.url, 'alice');
  account = (await alice.get('/accounts')).body.data.find(({ kind }: Json) => kind === 'trading').account_id;
  for (const [asset, amount] of [
    ['EUR', '20000'],
    ['ETH', '20'],
  ]) {
    const deposit = { asset, amount, reference: 'test' };
    expect((await operator.post(`/admin/accounts/${account}/deposits`, deposit)).status).toBe(201);
  }
  await approvedKyc(alice, operator);
  iban = await addIban(alice);
});
afterEach(async () => {
  await unlock();
  await expectBalancedBooks(operator);
});
afterAll(() => app.close());

const lock = async (): Promise<void> => {
  expect((await operator.post('/admin/users/alice/lock', { reason: 'test' })).status).toBe(200);
};
async function unlock(): Promise<void> {
  expect((await operator.post('/admin/users/alice/unlock', {})).status).toBe(200);
  alice = await loggedIn(app.url, 'alice');
}
const freeze = async (id: string): Promise<void> => {
  expect((await operator.post(`/admin/accounts/${id}/freeze`, { reason: 'test' })).status).toBe(200);
};
const unfreeze = async (id: string): Promise<void> => {
  expect((await operator.post(`/admin/accounts/${id}/unfreeze`, {})).status).toBe(200);
};
const files = async (): Promise<Json[]> =>
  (await operator.post('/admin/payout-files', { rail: 'sepa' })).body.data;
const shown = async (payoutId: string): Promise<Json> =>
  (await operator.get('/admin/payouts?limit=200')).body.data.find(
    ({ payout_id }: Json) => payout_id === payoutId,
  );
const clear = async (): Promise<void> => {
  for (const { payout_id: id, status } of await alice.walk('/payouts', 200))
    if (status.startsWith('pending')) await alice.delete(`/payouts/${id}`);
};

describe('payouts', () => {
  it('of a locked owner never reach a file, and do once the owner is unlocked', async () => {
    const { payout_id: id } = await payOut(alice, iban, '10');
    await lock();
    expect(await files()).toEqual([]);
    expect(await shown(id)).toMatchObject({ status: 'pending', held: 'user_locked', file_id: null });
    await unlock();
    expect(await shown(id)).toMatchObject({ status: 'pending', held: null });
    expect((await closeBatch(operator, 'sepa')).file.payments).toBe(1);
    expect(await shown(id)).toMatchObject({ status: 'processing', held: null });
    expect(await statusesOf(alice, id)).toEqual(['pending', 'processing']);
    expect((await operator.post(`/admin/payouts/${id}/report`, { status: 'paid' })).status).toBe(200);
  });

  it('of a frozen account never reach a file, and those of others do not wait for them', async () => {
    const demo = await callerFor(app.url, 'demo');
    await approvedKyc(demo, operator, {
      first_name: 'Max',
      last_name: 'Maker',
      zone: { names: 'MAKER<<MAX' },
    });
    const { payout_id: held } = await payOut(alice, iban, '11');
    const { payout_id: free } = await payOut(demo, await addIban(demo, { holder_name: 'Max Maker' }), '12');
    await freeze(account);
    expect((await closeBatch(operator, 'sepa')).file).toMatchObject({ payments: 1, total: '12' });
    expect(await shown(held)).toMatchObject({ status: 'pending', held: 'account_frozen' });
    expect(await shown(free)).toMatchObject({ status: 'processing', held: null });
    const body = { payout_account_id: iban, amount: '1', currency: 'EUR', reference: 'x' };
    expect(refusalOf(await alice.post('/payouts', body))).toBe('409 account_frozen');
    await unfreeze(account);
    expect((await closeBatch(operator, 'sepa')).file).toMatchObject({ payments: 1, total: '11' });
    // A payout in a file is completed even if its account is frozen: the bank may have paid.
    await freeze(account);
    expect((await operator.post(`/admin/payouts/${held}/report`, { status: 'paid' })).status).toBe(200);
    await unfreeze(account);
  });

  it('race for a file and a lock: what the lock has answered for is in no later file', async () => {
    for (let round = 0; round < 5; round++) {
      const { payout_id: id } = await payOut(alice, iban, '1');
      const [, made] = await Promise.all([lock(), files()]);
      const isInFile = made.length > 0;
      expect(await files()).toEqual([]);
      expect((await shown(id)).status).toBe(isInFile ? 'processing' : 'pending');
      await unlock();
      await clear();
    }
  });

  it('are approved by nobody while they are held, and can be rejected', async () => {
    const { payout_id: large } = await payOut(alice, iban, '2000');
    const { payout_id: frozen } = await payOut(alice, iban, '2001');
    await lock();
    const approve = `/admin/payouts/${large}/approve`;
    expect(refusalOf(await operator.post(approve, {}))).toBe('409 payment_held');
    expect(await shown(large)).toMatchObject({ status: 'pending_approval', held: 'user_locked' });
    await unlock();
    expect(await operator.post(approve, {})).toMatchObject({ status: 200, body: { status: 'pending' } });
    const reason = { reason: 'Fraud.' };
    const reject = (id: string): Promise<Reply> => operator.post(`/admin/payouts/${id}/reject`, reason);
    // Approved, and ready to be sent: too late to reject.
    expect(refusalOf(await reject(large))).toBe('409 invalid_status_change');
    await freeze(account);
    const before = Number((await alice.balance('EUR')).held);
    for (const id of [large, frozen]) {
      expect(await reject(id)).toMatchObject({ status: 200, body: { status: 'failed', code: 'rejected' } });
    }
    expect(Number((await alice.balance('EUR')).held)).toBe(before - 4001);
    await unfreeze(account);
  });

  it('of 999 each wait for approval at the second, for all accounts of the owner together', async () => {
    await clear();
    // Payouts of the last 24 hours count, so this uses an owner without any.
    const maker = await callerFor(app.url, 'maker');
    await approvedKyc(maker, operator, {
      first_name: 'Mia',
      last_name: 'Moon',
      zone: { names: 'MOON<<MIA' },
    });
    const theirs = await addIban(maker, { holder_name: 'Mia Moon' });
    const second = (await operator.post('/admin/accounts', { name: 'Second', owner: 'client:maker' })).body;
    const deposit = { asset: 'EUR', amount: '5000', reference: 'test' };
    await operator.post(`/admin/accounts/${second.account_id}/deposits`, deposit);
    const first = await payOut(maker, theirs, '999');
    expect(first.status).toBe('pending');
    expect((await payOut(maker, theirs, '999', { account_id: second.account_id })).status).toBe(
      'pending_approval',
    );
    expect((await payOut(maker, theirs, '1')).status).toBe('pending_approval');
    // Returned payouts no longer count.
    for (const { payout_id: id } of await maker.walk('/payouts', 200)) await maker.delete(`/payouts/${id}`);
    expect((await payOut(maker, theirs, '999')).status).toBe('pending');
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => payOut(maker, theirs, '1')));
    expect(atOnce.filter(({ status }) => status === 'pending')).toHaveLength(1);
    await files();
  });

  it('of a user who is closed are held, and can only be rejected', async () => {
    const user = { username: 'leaver', password: 'leaver-password' };
    expect((await operator.post('/user', user)).status).toBe(200);
    const leaver = await loggedIn(app.url, 'leaver');
    const [{ account_id: theirs }] = (await leaver.get('/accounts')).body.data;
    const deposit = { asset: 'EUR', amount: '50', reference: 'test' };
    await operator.post(`/admin/accounts/${theirs}/deposits`, deposit);
    await approvedKyc(leaver, operator, { first_name: 'Lea', last_name: 'Ver', zone: { names: 'VER<<LEA' } });
    const { payout_id: id } = await payOut(leaver, await addIban(leaver, { holder_name: 'Lea Ver' }), '50');
    expect((await operator.delete('/user/leaver')).status).toBe(200);
    expect(await files()).toEqual([]);
    expect(await shown(id)).toMatchObject({ status: 'pending', held: 'user_closed' });
    expect(await operator.post(`/admin/payouts/${id}/reject`, { reason: 'Left.' })).toMatchObject({
      status: 200,
      body: { status: 'failed' },
    });
  });
});

describe('transfers over a chain', () => {
  const waiting = async (): Promise<readonly string[]> =>
    (await app.app.nest.get(ChainTransfers).waiting('ethereum', 500)).map(({ transferId }) => transferId);
  const numberOf = (transfer: Json): string => String(TRANSFER_IDS.parse(transfer.transfer_id));
  let wallet: Json;
  const send = async (amount: string): Promise<Json> => {
    const { status, body } = await alice.post(`/wallets/${wallet.wallet_id}/transfers`, {
      asset: 'ETH',
      amount,
      destination: { type: 'address', chain: 'ethereum', address: ADDRESS },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  };
  beforeAll(async () => {
    await eventually(async () => {
      const { body } = await operator.get('/admin/chains');
      return body.data.some(({ chain, head_block }: Json) => chain === 'ethereum' && head_block === 1);
    }, 'the chain is known');
    wallet = (await alice.post('/wallets', { name: 'Mine' })).body;
    await app.app.nest.get(CoreService).submit({
      commands: [{ type: 'set_kyc_level', accountId: ACCOUNT_IDS.parse(account)!, level: 2 }],
    });
    const destination = { type: 'wallet', wallet_id: wallet.wallet_id };
    await alice.post('/accounts/me/transfers', { asset: 'ETH', amount: '15', destination });
  });

  it('of a locked owner or a frozen wallet are not signed, and are once that is over', async () => {
    const transfer = await send('1');
    const id = numberOf(transfer);
    const transfers = app.app.nest.get(ChainTransfers);
    const [outgoing] = await transfers.find([id]);
    const database = app.app.nest.get<DataSource>(getDataSourceToken());
    const begin = () => database.transaction((manager) => transfers.begin(outgoing!, '0xaa', manager));
    expect(await waiting()).toContain(id);
    await lock();
    expect(await waiting()).not.toContain(id);
    expect(await begin()).toBe(false);
    await unlock();
    await freeze(wallet.account_id);
    expect(await waiting()).not.toContain(id);
    expect(await begin()).toBe(false);
    const { body } = await operator.get('/admin/transfers?status=pending');
    expect(body.data.find(({ transfer_id }: Json) => transfer_id === transfer.transfer_id)).toMatchObject({
      held: 'account_frozen',
    });
    await unfreeze(wallet.account_id);
    expect(await waiting()).toContain(id);
    expect(await begin()).toBe(true);
  });

  it('are approved by nobody while they are held, and can be rejected', async () => {
    const large = await send('3');
    const small = await send('1');
    await freeze(wallet.account_id);
    const path = `/admin/transfers/${large.transfer_id}`;
    expect(refusalOf(await operator.post(`${path}/approve`, {}))).toBe('409 payment_held');
    for (const transfer of [large, small]) {
      const { status, body } = await operator.post(`/admin/transfers/${transfer.transfer_id}/reject`, {
        reason: 'Fraud.',
      });
      expect([status, body.status]).toEqual([200, 'rejected']);
    }
    await unfreeze(wallet.account_id);
    const kept = await send('1');
    expect(
      refusalOf(await operator.post(`/admin/transfers/${kept.transfer_id}/reject`, { reason: 'x' })),
    ).toBe('409 transfer_not_pending');
  });
});

describe('a payout to an account of another holder', () => {
  it('waits for an operator in production, whatever its amount', async () => {
    const strict = await startBank({ PAYOUT_HOLDER_NAME_CHECK: 'approve' }, 'fatal', { rateLimits: 'off' });
    try {
      const demo = await callerFor(strict.url, 'demo');
      const admin = await callerFor(strict.url, 'admin');
      await approvedKyc(demo, admin);
      expect((await payOut(demo, await addIban(demo), '1')).status).toBe('pending');
      const others = await addIban(demo, {
        holder_name: 'Somebody Else',
        iban: 'FR1420041010050500013M02606',
      });
      const waits = await payOut(demo, others, '1');
      expect(waits).toMatchObject({ status: 'pending_approval', code: 'holder_name_mismatch' });
      expect(await admin.post(`/admin/payouts/${waits.payout_id}/approve`, {})).toMatchObject({
        status: 200,
        body: { status: 'pending', code: null },
      });
      await expectBalancedBooks(admin);
    } finally {
      await strict.close();
    }
  });
});

describe('with FOUR_EYES, a frozen account', () => {
  it('is unfrozen by two persons, and never by its owner', async () => {
    const strict = await startBank({}, 'fatal', { rateLimits: 'off', fourEyes: true });
    try {
      const demo = await callerFor(strict.url, 'demo');
      const [first, second] = [await callerFor(strict.url, 'admin'), await loggedIn(strict.url, 'admin')];
      const [{ account_id: id }] = (await demo.get('/accounts')).body.data;
      expect((await first.post(`/admin/accounts/${id}/freeze`, { reason: 'x' })).status).toBe(200);
      const proposed = await first.post(`/admin/accounts/${id}/unfreeze`, {});
      expect(proposed).toMatchObject({ status: 202, body: { kind: 'unfreeze', status: 'pending' } });
      const path = `/admin/approvals/${proposed.body.approval_id}/approve`;
      expect(refusalOf(await first.post(path, {}))).toBe('403 same_person');
      expect((await demo.get('/accounts')).body.data[0].frozen).toBe(true);
      expect(await second.post(path, {})).toMatchObject({ status: 200, body: { status: 'approved' } });
      expect((await demo.get('/accounts')).body.data[0].frozen).toBe(false);

      const [own] = (await second.get('/accounts')).body.data;
      await first.post(`/admin/accounts/${own.account_id}/freeze`, { reason: 'x' });
      expect(refusalOf(await second.post(`/admin/accounts/${own.account_id}/unfreeze`, {}))).toBe(
        '403 related_person',
      );
      await expectBalancedBooks(first);
    } finally {
      await strict.close();
    }
  });
});
