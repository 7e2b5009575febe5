import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PG_POOL } from '../../../src/kit/database/pg-pool.js';
import { Anvil, isAnvilMissing, RICH } from '../../support/anvil.js';
import { createDemoDatabase, startTestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { ChainSite, CONFIRMATIONS, newOutsider } from '../../support/clients/chain-client.js';
import { callerFor, type Json, loggedIn, type Reply } from '../../support/caller.js';
import { WALLET_IDS } from '../../../src/modules/wallets/ids.js';

describe.skipIf(isAnvilMissing('deposits and transfers on a real chain'))('on a real chain', () => {
  let anvil: Anvil;
  let site: ChainSite;
  beforeAll(async () => {
    anvil = await Anvil.start();
    site = await ChainSite.open(anvil);
    await site.fundHotWallet('10');
  });
  afterAll(async () => {
    await site.close();
    await anvil.stop();
  });

  /** A wallet whose deposit over the chain is already swept. */
  const fundedWallet = async (asset: 'ETH' | 'USDC', amount: string): Promise<Json> => {
    const wallet = await site.newWallet();
    const address = await site.newAddress(wallet.wallet_id);
    await site.setKycLevel(wallet.account_id, 1);
    if (asset === 'ETH') await anvil.pay(address, amount);
    else await anvil.payToken(site.token, address, BigInt(Number(amount) * 1e6));
    await site.mineUntilDone();
    expect(await site.balanceOf(wallet.wallet_id, asset)).toBe(amount);
    return { ...wallet, address };
  };

  /** Takes the lock of signing and crediting, until the returned function is called. */
  const lockAddresses = async (walletId: string): Promise<() => Promise<void>> => {
    const client = await site.service.app.nest.get<Pool>(PG_POOL).connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM wallet_addresses WHERE wallet_id = $1 FOR UPDATE', [
      WALLET_IDS.parse(walletId),
    ]);
    return async () => {
      await client.query('ROLLBACK');
      client.release();
    };
  };

  /** The number of transactions that wait for the lock of an address. */
  const waiting = async (): Promise<number> => {
    const { rows } = await site.service.app.nest.get<Pool>(PG_POOL).query<{ count: number }>(
      `SELECT count(*)::integer FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND query LIKE '%FROM wallet_addresses%FOR UPDATE'`,
    );
    return rows[0]!.count;
  };

  it('credits what operators send to the hot wallet to the house', async () => {
    const books = await site.checkBooks();
    expect(books.assets[0]).toMatchObject({ asset: 'ETH', hot: '10', ledger: '10', unswept: '0' });
  });

  it('sends back what a stranger sent to the hot wallet, when two operators agree', async () => {
    const { hot_address: hot } = await site.chain();
    await anvil.pay(hot, '0.3');
    await site.mineUntilDone();
    const other = await loggedIn(site.service.url, 'admin');
    const { body: arrived } = await site.operator.get('/admin/chain-deposits?at=hot_wallet');
    const before = await anvil.balance(RICH.address);
    const back = await site.operator.post(`/admin/chain-deposits/${arrived.data[0].deposit_id}/return`, {});
    expect(back, JSON.stringify(back.body)).toMatchObject({ status: 201, body: { amount: '0.3' } });
    await site.checkBooks();
    const approved = await other.post(`/admin/transfers/${back.body.transfer_id}/approve`, {});
    expect(approved).toMatchObject({ status: 200, body: { status: 'pending' } });
    await site.mineUntilDone();
    expect(await anvil.balance(RICH.address)).toBe(before + 300_000_000_000_000_000n);
    await site.checkBooks();
  });

  it('credits a deposit of ETH once it is final and not before, and sweeps it', async () => {
    const wallet = await site.newWallet();
    const address = await site.newAddress(wallet.wallet_id);
    await anvil.pay(address, '1.5');
    await eventually(async () => (await site.chain()).work.deposits_arriving === 1, 'it is seen');
    expect((await site.checkBooks()).assets[0]).toMatchObject({ arriving: '1.5', unswept: '1.5' });
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('0');

    await site.settle();
    await eventually(async () => (await site.balanceOf(wallet.wallet_id, 'ETH')) === '1.5', 'it is credited');
    await site.mineUntilDone();
    expect(await anvil.balance(address)).toBe(0n);
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('1.5');
    expect((await site.checkBooks()).assets[0]).toMatchObject({ arriving: '0', unswept: '0' });
    const { body: history } = await site.customer.get(`/wallets/${wallet.wallet_id}/transfers`);
    expect(history.data).toEqual([
      expect.objectContaining({ direction: 'in', status: 'completed', asset: 'ETH', amount: '1.5' }),
    ]);
  });

  it('credits nothing while too little for its own gas lies on an address, then all of it', async () => {
    const wallet = await site.newWallet();
    const address = await site.newAddress(wallet.wallet_id);
    await anvil.pay(address, '0.004');
    await anvil.pay(address, '0.004');
    await site.settle();
    await site.settle();
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('0');
    expect((await site.checkBooks()).assets[0]).toMatchObject({ arriving: '0.008', unswept: '0.008' });
    const states = async (): Promise<Json[]> =>
      (await site.customer.get(`/wallets/${wallet.wallet_id}/deposits`)).body.data;
    const part = { amount: '0.004', minimum: '0.01', source: RICH.address };
    expect(await states()).toMatchObject(Array(2).fill({ ...part, status: 'below_minimum' }));
    // So nobody can block another's signing by sending dust.
    expect(await site.signPermit(wallet.wallet_id, address)).toMatchObject({ status: 200 });

    const second = await site.newAddress(wallet.wallet_id);
    for (const part of ['0.004', '0.004', '0.004']) await anvil.pay(second, part);
    await anvil.pay(address, '0.002');
    await site.mineUntilDone();
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('0.022');
    expect(await states()).toHaveLength(6);
    for (const { status } of await states()) expect(status).toBe('credited');
    await site.checkBooks();
  });

  it('credits a deposit of a token, and sweeps it with gas from the hot wallet', async () => {
    const wallet = await fundedWallet('USDC', '250.5');
    expect(await anvil.tokenBalance(site.token, wallet.address)).toBe(0n);
    expect(await anvil.tokenBalance(site.token, (await site.chain()).hot_address)).toBe(250_500_000n);
    const books = await site.checkBooks();
    expect(books.assets[1]).toMatchObject({ asset: 'USDC', hot: '250.5', ledger: '250.5' });
  });

  it('finds what a contract has paid by the balance of the address', async () => {
    const wallet = await fundedWallet('ETH', '1');
    await anvil.payFromWithin(wallet.address, '0.25');
    await anvil.pay(wallet.address, '0.5');
    await site.mineUntil(
      async () => (await site.balanceOf(wallet.wallet_id, 'ETH')) === '1.75',
      'both are credited',
    );
    await site.mineUntilDone();
    expect(await anvil.balance(wallet.address)).toBe(0n);
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('1.75');
    await site.checkBooks();
  });

  it('either credits a deposit or has its address sign, however they meet', async () => {
    const wallet = await site.newWallet();
    const addresses: string[] = [];
    for (let index = 0; index < 4; index++) addresses.push(await site.newAddress(wallet.wallet_id));
    for (const address of addresses) await anvil.payToken(site.token, address, 1_000_000n);
    await site.readAll();
    // The first credit and all signatures wait for the same rows, and proceed together.
    const letGo = await lockAddresses(wallet.wallet_id);
    let signing: Promise<Reply[]>;
    try {
      await anvil.mine(CONFIRMATIONS);
      await eventually(async () => (await waiting()) === 1, 'a credit waits');
      signing = Promise.all(addresses.map((address) => site.signPermit(wallet.wallet_id, address)));
      // One owner has a part of the connections, so some of them wait for one.
      await eventually(async () => (await waiting()) > 1, 'signatures wait too');
    } finally {
      await letGo();
    }
    const answers = (await signing).map(({ status }) => status);

    // No sweep becomes final without further blocks, so each credit comes before its sweep.
    const signers = answers.filter((status) => status === 200).length;
    expect(answers.filter((status) => status === 422)).toHaveLength(addresses.length - signers);
    await eventually(async () => {
      const { deposits_arriving: arriving } = (await site.chain()).work;
      return arriving === signers;
    }, 'each deposit is credited or waits for its sweep');
    expect(await site.balanceOf(wallet.wallet_id, 'USDC')).toBe(String(addresses.length - signers));
    await site.mineUntilDone();
    expect(await site.balanceOf(wallet.wallet_id, 'USDC')).toBe(String(addresses.length));
    await site.checkBooks();
  });

  it('sends ETH out once, and gives back what was put aside for gas and not needed', async () => {
    const wallet = await fundedWallet('ETH', '2');
    const outsider = newOutsider();
    const sent = await site.transferOut(wallet.wallet_id, 'ETH', '0.75', outsider);
    const done = await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'completed');
    await site.mineUntilDone();

    expect(await anvil.balance(outsider)).toBe(750_000_000_000_000_000n);
    const receipt = await anvil.node.getTransactionReceipt({ hash: done.tx_hash });
    const fee = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(done.fee).toBe(site.decimal(fee));
    expect(done.confirmations).toBeGreaterThanOrEqual(CONFIRMATIONS);
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe(
      site.decimal(1_250_000_000_000_000_000n - fee),
    );
    await site.checkBooks();
  });

  it('sends a token out, with its gas held and paid in ETH', async () => {
    const wallet = await fundedWallet('USDC', '100');
    await anvil.pay(wallet.address, '1');
    await site.mineUntilDone();
    const outsider = newOutsider();
    const sent = await site.transferOut(wallet.wallet_id, 'USDC', '40.000001', outsider);
    const done = await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'completed');
    await site.mineUntilDone();

    expect(await anvil.tokenBalance(site.token, outsider)).toBe(40_000_001n);
    expect(await site.balanceOf(wallet.wallet_id, 'USDC')).toBe('59.999999');
    const receipt = await anvil.node.getTransactionReceipt({ hash: done.tx_hash });
    const fee = receipt.gasUsed * receipt.effectiveGasPrice;
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe(site.decimal(10n ** 18n - fee));
    await site.checkBooks();
  });
});

describe.skipIf(isAnvilMissing('the first contact with a chain'))('at the first contact with a chain', () => {
  it('credits what came to addresses that were given out before it', async () => {
    const database = await createDemoDatabase();
    const anvil = await Anvil.start();
    try {
      const token = await anvil.deployToken();
      const before = await startTestApp({ databaseUrl: database.url });
      const demo = await callerFor(before.url, 'demo');
      const { body: wallet } = await demo.post('/wallets', { name: 'Early' });
      const { body: made } = await demo.post(`/wallets/${wallet.wallet_id}/addresses`, {
        chain: 'ethereum',
        purpose: 'signing',
      });
      await before.close();
      // Older versions gave addresses out to receive at whether a chain was connected or not.
      await queryOnce(database.url, `UPDATE wallet_addresses SET purpose = 'deposit'`);
      await anvil.payToken(token, made.address, 7_000_000n);
      await anvil.mine(30);

      const site = await ChainSite.open(anvil, { databaseUrl: database.url, token });
      try {
        await site.mineUntil(
          async () => (await site.balanceOf(wallet.wallet_id, 'USDC')) === '7',
          'the deposit is credited',
        );
        const { body: history } = await site.customer.get(`/wallets/${wallet.wallet_id}/transfers`);
        expect(history.data[0]).toMatchObject({ source: { address: RICH.address }, amount: '7' });
        await site.checkBooks();
      } finally {
        await site.close();
      }
    } finally {
      await anvil.stop();
      await database.drop();
    }
  });
});

describe('without a chain', () => {
  it('says that none is connected, and what is no chain at all', async () => {
    const service = await startTestApp();
    try {
      const operator = await callerFor(service.url, 'admin');
      const { body } = await operator.get('/admin/chains');
      expect(body.data.map(({ chain }: Json) => chain)).toEqual(['bitcoin', 'ethereum', 'solana']);
      for (const chain of body.data) expect(chain).toMatchObject({ connected: false, hot_address: null });
      for (const chain of ['bitcoin', 'ethereum', 'solana']) {
        expect(await operator.get(`/admin/chains/${chain}/check`)).toMatchObject({
          status: 503,
          body: { error: { code: 'chain_unavailable' } },
        });
      }
      expect(await operator.get('/admin/chains/dogecoin/check')).toMatchObject({ status: 404 });
    } finally {
      await service.close();
    }
  });
});
