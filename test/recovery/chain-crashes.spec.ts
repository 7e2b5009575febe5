import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChainSite, CONFIRMATIONS, newOutsider } from '../support/clients/chain-client.js';
import { callerFor, type Caller, type Json } from '../support/caller.js';
import { Anvil, isAnvilMissing } from '../support/anvil.js';
import { eventually, queryOnce } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { RpcProxy } from '../support/rpc-proxy.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const ETHER = 10n ** 18n;

describe.skipIf(isAnvilMissing('kill -9 between signing and sending'))('kill -9 while money leaves', () => {
  let anvil: Anvil;
  let proxy: RpcProxy;
  let database: TestDatabase;
  let dataDir: string;
  let site: Site;
  let wallet: Json;
  beforeAll(async () => {
    anvil = await Anvil.start();
    proxy = await RpcProxy.start(anvil.url);
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'tradepost-chain-'));
    wallet = await fillWallet();
    site = await Site.empty({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      SEED_DEMO: 'true',
      CHAIN_ETHEREUM_RPC_URL: proxy.url,
      CHAIN_ETHEREUM_CONFIRMATIONS: String(CONFIRMATIONS),
      CHAIN_ETHEREUM_POLL_MS: '20',
    });
  }, 180_000);
  afterAll(async () => {
    await site.close();
    await proxy.stop();
    await anvil.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (): Promise<ServiceProcess> => {
    const service = await site.start();
    await service.ready();
    return service;
  };

  /** A wallet of the demo client with 20 ETH, all in the hot wallet, on a site of its own that has stopped. */
  const fillWallet = async (): Promise<Json> => {
    const chain = await ChainSite.open(anvil, { rpcUrl: proxy.url, databaseUrl: database.url, dataDir });
    try {
      await chain.fundHotWallet('5');
      const made = await chain.newWallet();
      await chain.setKycLevel(made.account_id, 1);
      await anvil.pay(await chain.newAddress(made.wallet_id), '20');
      await chain.mineUntilDone();
      return made;
    } finally {
      await chain.close();
    }
  };

  const send = async (customer: Caller, to: string): Promise<string> => {
    const { status, body } = await customer.post(`/wallets/${wallet.wallet_id}/transfers`, {
      asset: 'ETH',
      amount: '1',
      destination: { type: 'address', chain: 'ethereum', address: to },
      client_transfer_id: to,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.transfer_id;
  };

  /**
   * Mines until every transfer has ended, and compares the chain with the ledger; returns the transfers to these
   * outsiders.
   */
  const finish = async (service: ServiceProcess, outsiders: readonly string[]): Promise<Json[]> => {
    const customer = await callerFor(service.url, 'demo');
    const operator = await callerFor(service.url, 'admin');
    await eventually(async () => {
      await anvil.mine();
      const { body } = await operator.get('/admin/chains');
      const { work } = body.data.find(({ chain }: Json) => chain === 'ethereum');
      return work.sends === 0 && work.transfers_waiting === 0;
    }, 'nothing is under way');
    const check = await operator.get('/admin/chains/ethereum/check');
    expect(check.body, JSON.stringify(check.body)).toMatchObject({ balanced: true, problems: [] });
    expect((await operator.get('/admin/ledger/check')).body).toMatchObject({ balanced: true });
    const { body } = await customer.get(`/wallets/${wallet.wallet_id}/transfers?direction=out&limit=200`);
    return body.data.filter((sent: Json) => outsiders.includes(sent.client_transfer_id));
  };

  /** Every transaction ever signed to pay these. */
  const candidatesFor = (outsiders: readonly string[]) =>
    queryOnce<{ tx_hash: string; nonce: string }>(
      database.url,
      `SELECT c.tx_hash, s.nonce FROM chain_candidates c JOIN chain_sends s ON s.send_id = c.send_id
       WHERE s.recipient = ANY($1) ORDER BY s.send_id`,
      [outsiders],
    );

  it.each([
    ['before the node has the bytes', 'lost'],
    ['when the node has the bytes and nobody knows', 'delivered'],
  ] as const)(
    '%s pays once, with the bytes that were stored',
    async (_when, fate) => {
      const outsider = newOutsider();
      const service = await start();
      const cutOff = proxy.cutOffAt('eth_sendRawTransaction', fate);
      await send(await callerFor(service.url, 'demo'), outsider);
      await cutOff;
      await service.kill();
      // They were stored before the node was called.
      const stored = await candidatesFor([outsider]);
      expect(stored).toHaveLength(1);

      proxy.down = false;
      const again = await start();
      const [transfer] = await finish(again, [outsider]);
      expect(transfer).toMatchObject({ status: 'completed', tx_hash: stored[0]!.tx_hash });
      expect(await candidatesFor([outsider])).toEqual(stored);
      expect(await anvil.balance(outsider)).toBe(ETHER);
      expect(await again.stop()).toBe(0);
    },
    180_000,
  );

  it('at any moment pays each of many transfers once', async () => {
    const outsiders = Array.from({ length: 12 }, newOutsider);
    let service = await start();
    for (const some of [outsiders.slice(0, 4), outsiders.slice(4, 8), outsiders.slice(8)]) {
      const customer = await callerFor(service.url, 'demo');
      await Promise.all(some.map((outsider) => send(customer, outsider)));
      await delay(Math.random() * 150);
      await service.kill();
      await anvil.mine();
      service = await start();
    }
    const sent = await finish(service, outsiders);
    expect(sent).toHaveLength(outsiders.length);
    for (const transfer of sent) expect(transfer).toMatchObject({ status: 'completed' });
    for (const outsider of outsiders) expect(await anvil.balance(outsider)).toBe(ETHER);
    const nonces = (await candidatesFor(outsiders)).map(({ nonce }) => nonce);
    expect(new Set(nonces).size).toBe(outsiders.length);
    expect(await service.stop()).toBe(0);
  }, 180_000);
});
