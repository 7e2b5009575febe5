/** How chains mislead a service that trusts them too early: reorganised blocks, rising fees, lost nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hash } from 'viem';
import { Anvil, isAnvilMissing } from '../../support/anvil.js';
import { eventually, queryOnce } from '../../support/core.js';
import { RpcProxy } from '../../support/rpc-proxy.js';
import { ChainSite, CONFIRMATIONS, newOutsider } from '../../support/clients/chain-client.js';
import type { Json } from '../../support/caller.js';

const ETHER = 10n ** 18n;

describe.skipIf(isAnvilMissing('what a chain can do wrong'))('when a chain gets in the way', () => {
  let anvil: Anvil;
  let proxy: RpcProxy;
  let site: ChainSite;
  beforeAll(async () => {
    anvil = await Anvil.start();
    proxy = await RpcProxy.start(anvil.url);
    site = await ChainSite.open(anvil, { rpcUrl: proxy.url, replaceAfterSeconds: 1 });
  });
  afterAll(async () => {
    await site.close();
    await proxy.stop();
    await anvil.stop();
  });

  const work = async (): Promise<Json> => (await site.chain()).work;
  const candidatesOf = (txHash: Hash) =>
    queryOnce<{ tx_hash: Hash; bytes: Hash }>(
      site.service.config.databaseUrl!,
      `SELECT tx_hash, bytes FROM chain_candidates WHERE send_id =
         (SELECT send_id FROM chain_candidates WHERE tx_hash = $1) ORDER BY created_at`,
      [txHash],
    );

  /** A customer's wallet whose ETH and USDC are already in the hot wallet. */
  let wallet: Json;

  describe('while nothing can be swept, as the house has no money for gas', () => {
    let address: string;
    let deposit: Hash;
    beforeAll(async () => {
      wallet = await site.newWallet();
      address = await site.newAddress(wallet.wallet_id);
      await site.setKycLevel(wallet.account_id, 1);
    });

    it('drops a deposit whose block vanishes before it is final', async () => {
      deposit = await anvil.pay(address, '5');
      const bytes = await anvil.bytesOf(deposit);
      await eventually(async () => (await work()).deposits_arriving === 1, 'it is seen');
      await anvil.reorganise(1);
      await eventually(async () => (await work()).deposits_arriving === 0, 'it is dropped');
      await site.settle();
      expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('0');
      await site.checkBooks();

      // The same transaction in another block is the same deposit.
      await anvil.send(bytes);
      await site.settle();
      await eventually(async () => (await site.balanceOf(wallet.wallet_id, 'ETH')) === '5', 'it is credited');
      await site.checkBooks();
    });

    it('signs nothing with the key of an address that holds credited money', async () => {
      expect(await site.signPermit(wallet.wallet_id, address)).toMatchObject({
        status: 422,
        body: { error: { code: 'address_holds_funds' } },
      });
    });

    it('raises the alarm where a credited deposit vanishes, until it is back, and credits it once', async () => {
      const bytes = await anvil.bytesOf(deposit);
      await anvil.reorganise(CONFIRMATIONS + 2);
      await eventually(async () => (await work()).deposits_orphaned === 1, 'the alarm is raised');
      const { body: check } = await site.operator.get('/admin/chains/ethereum/check');
      expect(check).toMatchObject({ balanced: false, problems: [expect.any(String), expect.any(String)] });
      expect(check.assets[0]).toMatchObject({ asset: 'ETH', difference: '-5' });
      expect(await site.metrics()).toContain('tradepost_chain_deposits_orphaned{chain="ethereum"} 1');

      await anvil.send(bytes);
      await site.settle();
      expect((await work()).deposits_orphaned).toBe(0);
      expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('5');
      await site.checkBooks();
    });

    it('sends nothing that the hot wallet does not have, and everything once it has', async () => {
      const outsider = newOutsider();
      const sent = await site.transferOut(wallet.wallet_id, 'ETH', '4', outsider);
      await site.settle();
      expect(await site.transfer(sent.transfer_id, wallet.wallet_id)).toMatchObject({ status: 'pending' });
      expect(await work()).toMatchObject({ transfers_waiting: 1, deposits_unswept: 1, sends: 0 });

      await site.fundHotWallet('10');
      expect(await site.transfer(sent.transfer_id, wallet.wallet_id)).toMatchObject({ status: 'completed' });
      expect(await anvil.balance(outsider)).toBe(4n * ETHER);
      expect(await anvil.balance(address)).toBe(0n);
      await site.checkBooks();
    });

    it('signs again once the money is swept', async () => {
      expect(await site.signPermit(wallet.wallet_id, address)).toMatchObject({ status: 200 });
    });

    it('credits what arrives at an address that has signed only when it is in the hot wallet', async () => {
      await anvil.payToken(site.token, address, 300_000_000n);
      await site.settle();
      await eventually(async () => (await work()).sweeps === 1, 'its sweep has begun');
      expect(await site.balanceOf(wallet.wallet_id, 'USDC')).toBe('0');
      await site.mineUntilDone();
      expect(await anvil.tokenBalance(site.token, address)).toBe(0n);
      expect(await site.balanceOf(wallet.wallet_id, 'USDC')).toBe('300');
      await site.checkBooks();
    });
  });

  it('replaces a transaction that waits too long, and pays once', async () => {
    await anvil.pay(await site.newAddress(wallet.wallet_id), '20');
    await site.mineUntilDone();
    const outsider = newOutsider();
    await anvil.holdBack();
    const sent = await site.transferOut(wallet.wallet_id, 'ETH', '1', outsider);
    const hashes = new Set<string>();
    await eventually(async () => {
      const { tx_hash } = await site.transfer(sent.transfer_id, wallet.wallet_id);
      if (tx_hash !== null) hashes.add(tx_hash);
      return hashes.size >= 2;
    }, 'more is offered');
    await anvil.mineAtOnce();
    const done = await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'completed');

    const candidates = await candidatesOf(done.tx_hash);
    expect(candidates.length).toBeGreaterThanOrEqual(2);
    expect(await anvil.node.getTransactionReceipt({ hash: done.tx_hash })).toMatchObject({
      status: 'success',
    });
    expect(await anvil.balance(outsider)).toBe(ETHER);
    await site.mineUntilDone();
    await site.checkBooks();
  });

  it('takes whichever candidate the chain has taken, the first one too', async () => {
    const outsider = newOutsider();
    await anvil.holdBack();
    const sent = await site.transferOut(wallet.wallet_id, 'ETH', '1', outsider);
    let candidates: { tx_hash: Hash; bytes: Hash }[] = [];
    await eventually(async () => {
      const { tx_hash } = await site.transfer(sent.transfer_id, wallet.wallet_id);
      candidates = tx_hash === null ? [] : await candidatesOf(tx_hash);
      return candidates.length >= 2;
    }, 'more is offered');
    proxy.down = true;
    for (const { tx_hash } of candidates) await anvil.forget(tx_hash);
    await anvil.send(candidates[0]!.bytes);
    await anvil.mine();
    await anvil.mineAtOnce();
    proxy.down = false;

    const done = await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'completed');
    expect(done.tx_hash).toBe(candidates[0]!.tx_hash);
    expect(await anvil.balance(outsider)).toBe(ETHER);
    await site.mineUntilDone();
    await site.checkBooks();
  });

  it('sends the same bytes again where a reorganisation takes them out of their block', async () => {
    const outsider = newOutsider();
    const sent = await site.transferOut(wallet.wallet_id, 'ETH', '1', outsider);
    await eventually(
      async () => (await site.transfer(sent.transfer_id, wallet.wallet_id)).status === 'confirming',
      'it is in a block',
    );
    await anvil.holdBack();
    await anvil.reorganise(1);
    expect(await anvil.balance(outsider)).toBe(0n);
    await eventually(
      async () => (await site.transfer(sent.transfer_id, wallet.wallet_id)).status === 'broadcasting',
      'it is on its way again',
    );
    await anvil.mineAtOnce();
    await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'completed');
    expect(await anvil.balance(outsider)).toBe(ETHER);
    await site.mineUntilDone();
    await site.checkBooks();
  });

  it('fails what the chain reverts: the money is given back, the gas is not', async () => {
    const outsider = newOutsider();
    const before = await site.balanceOf(wallet.wallet_id, 'USDC');
    const { hot_address: hot } = await site.chain();
    const held = await anvil.tokenBalance(site.token, hot);
    const etherBefore = await anvil.balance(hot);
    await anvil.holdBack();
    const sent = await site.transferOut(wallet.wallet_id, 'USDC', '10', outsider);
    await eventually(async () => {
      const { tx_hash } = await site.transfer(sent.transfer_id, wallet.wallet_id);
      return tx_hash !== null && anvil.knows(tx_hash);
    }, 'the node has it');
    await anvil.setTokenBalance(site.token, hot, 0n);
    await anvil.mine();
    await anvil.setTokenBalance(site.token, hot, held);
    await anvil.mineAtOnce();
    const failed = await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'failed');

    await site.mineUntilDone();
    expect(await site.balanceOf(wallet.wallet_id, 'USDC')).toBe(before);
    expect(await anvil.tokenBalance(site.token, outsider)).toBe(0n);
    expect(failed.fee).toBe(site.decimal(etherBefore - (await anvil.balance(hot))));
    await site.checkBooks();
  });

  it('refuses a recipient that cannot be paid before anything is sent', async () => {
    // The token's contract is refused by its address; another contract that accepts no money is found by simulation.
    const contract = await anvil.deployToken();
    const before = await site.balanceOf(wallet.wallet_id, 'ETH');
    const sent = await site.transferOut(wallet.wallet_id, 'ETH', '1', contract);
    await eventually(
      async () => (await site.transfer(sent.transfer_id, wallet.wallet_id)).status === 'failed',
      'it fails',
    );
    await eventually(
      async () => (await site.balanceOf(wallet.wallet_id, 'ETH')) === before,
      'it is given back',
    );
    expect(await site.transfer(sent.transfer_id, wallet.wallet_id)).toMatchObject({
      tx_hash: null,
      fee: '0',
    });
    await site.checkBooks();
  });

  it('loses nothing while the node is away', async () => {
    const outsider = newOutsider();
    const other = await site.newWallet();
    const address = await site.newAddress(other.wallet_id);
    proxy.down = true;
    const sent = await site.transferOut(wallet.wallet_id, 'ETH', '1', outsider);
    await anvil.pay(address, '3');
    await anvil.mine(CONFIRMATIONS);
    expect(await site.transfer(sent.transfer_id, wallet.wallet_id)).toMatchObject({ status: 'pending' });
    expect(await site.operator.get('/admin/chains/ethereum/check')).toMatchObject({
      status: 503,
      body: { error: { code: 'chain_unavailable' } },
    });
    expect(await site.chain()).toMatchObject({ hot_balances: null });

    proxy.down = false;
    await site.mineUntilStatus(sent.transfer_id, wallet.wallet_id, 'completed');
    await site.mineUntilDone();
    expect(await anvil.balance(outsider)).toBe(ETHER);
    expect(await site.balanceOf(other.wallet_id, 'ETH')).toBe('3');
    await site.checkBooks();
  });
});
