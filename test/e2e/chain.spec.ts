import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Anvil, isAnvilMissing } from '../support/anvil.js';
import { ChainSite } from './chain-client.js';

describe.skipIf(isAnvilMissing('deposits and transfers on a real chain'))('on a real chain', () => {
  let anvil: Anvil;
  let site: ChainSite;
  beforeAll(async () => {
    anvil = await Anvil.start();
    site = await ChainSite.open(anvil);
  });
  afterAll(async () => {
    await site.close();
    await anvil.stop();
  });

  it('credits what operators send to the hot wallet to the house', async () => {
    await site.fundHotWallet('10');
    const books = await site.checkBooks();
    expect(books.assets[0]).toMatchObject({ asset: 'ETH', hot: '10', ledger: '10', unswept: '0' });
  });

  it('credits a deposit of ETH once it is final, and sweeps it', async () => {
    const wallet = await site.newWallet();
    const address = await site.newAddress(wallet.wallet_id);
    await anvil.pay(address, '1.5');
    await site.checkBooks();
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('0');
    await site.mineUntil(
      async () => (await site.balanceOf(wallet.wallet_id, 'ETH')) === '1.5',
      'ETH is credited',
    );
    await site.mineUntil(async () => (await anvil.balance(address)) === 0n, 'it is swept');
    await site.mineUntil(async () => (await site.chain()).work.sends === 0, 'the sweep is final');
    await site.checkBooks();
  });
});
