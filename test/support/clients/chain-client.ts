/** Shared by the specs of chains: a service connected to an Anvil of its own, and its customers. */
import { toHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { expect } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import { formatAmount } from '../../../src/domain/money/amount.js';
import { MetricsRegistry } from '../../../src/kit/metrics/metrics-registry.js';
import { type Anvil, RICH } from '../anvil.js';
import { startTestApp, type TestApp } from '../app.js';
import { eventually } from '../core.js';
import { type Caller, callerFor, type Json, type Reply } from '../caller.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

export const CONFIRMATIONS = 3;

let outsiders = 0n;

/** The address of an outsider without any funds. */
export function newOutsider(): string {
  return privateKeyToAddress(toHex(++outsiders, { size: 32 }));
}

/** A service, its node, and a token there that the service knows as USDC. */
export class ChainSite {
  operator!: Caller;
  customer!: Caller;

  private constructor(
    readonly anvil: Anvil,
    readonly token: `0x${string}`,
    readonly service: TestApp,
  ) {}

  /** `rpcUrl` replaces the node's address, such as with a proxy's; the rest are settings of the service. */
  static async open(
    anvil: Anvil,
    options: {
      readonly rpcUrl?: string;
      readonly replaceAfterSeconds?: number;
      /** By default a new one. */
      readonly token?: `0x${string}`;
      readonly databaseUrl?: string;
      readonly redisUrl?: string;
      readonly dataDir?: string;
    } = {},
  ): Promise<ChainSite> {
    const {
      rpcUrl = anvil.url,
      replaceAfterSeconds = 60,
      token = await anvil.deployToken(),
      ...settings
    } = options;
    await anvil.mine(5);
    const service = await startTestApp({
      environment: {
        CHAIN_ETHEREUM_RPC_URL: rpcUrl,
        CHAIN_ETHEREUM_TOKENS: `USDC:${token}:6`,
        CHAIN_ETHEREUM_CONFIRMATIONS: String(CONFIRMATIONS),
        CHAIN_ETHEREUM_DEPOSIT_MIN: 'ETH:0.01',
        CHAIN_ETHEREUM_POLL_MS: '20',
        CHAIN_ETHEREUM_REPLACE_AFTER_SECONDS: String(replaceAfterSeconds),
      },
      ...settings,
    });
    const site = new ChainSite(anvil, token, service);
    site.operator = await callerFor(service.url, 'admin');
    site.customer = await callerFor(service.url, 'demo');
    await eventually(async () => (await site.chain()).hot_address !== null, 'the chain is known');
    return site;
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** Ethereum's state as operators see it. */
  async chain(): Promise<Json> {
    const { status, body } = await this.operator.get('/admin/chains');
    expect(status).toBe(200);
    return body.data.find(({ chain }: Json) => chain === 'ethereum');
  }

  metrics(): Promise<string> {
    return this.service.app.nest.get(MetricsRegistry).render();
  }

  /** Sends the hot wallet ETH, which pays for the house's gas. */
  async fundHotWallet(ether: string): Promise<void> {
    const { hot_address: hot } = await this.chain();
    await this.anvil.pay(hot, ether);
    await this.readAll();
    await this.mineUntilDone();
  }

  /** Waits until the service has read every block. */
  async readAll(): Promise<void> {
    const head = Number(await this.anvil.node.getBlockNumber());
    await eventually(async () => (await this.chain()).scanned_block >= head, `block ${head} is read`);
  }

  /** Mines until everything is credited, swept and final. */
  async mineUntilDone(): Promise<void> {
    await this.readAll();
    const isDone = async () => {
      const { deposits_orphaned: _lost, ...work } = (await this.chain()).work as Record<string, number>;
      return Object.values(work).every((count) => count === 0);
    };
    await this.mineUntil(isDone, 'nothing is under way');
  }

  /** Mines the blocks that make everything so far final, and waits until the service has read them. */
  async settle(): Promise<void> {
    await this.anvil.mine(CONFIRMATIONS);
    await this.readAll();
  }

  /** Mines until a condition holds. */
  async mineUntil(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
    await eventually(async () => {
      if (await isSo()) return true;
      await this.anvil.mine();
      return isSo();
    }, what);
  }

  /** Signs a permit that lets another address move a token. */
  async signPermit(walletId: string, address: string): Promise<Reply> {
    const permit = {
      domain: { name: 'USD Coin', version: '2', chainId: 31337, verifyingContract: this.token },
      primaryType: 'Permit',
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      message: {
        owner: address,
        spender: RICH.address,
        value: '1000000000',
        nonce: '0',
        deadline: '4102444800',
      },
    };
    return this.customer.post(`/wallets/${walletId}/sign`, { address, type: 'typed', typed_data: permit });
  }

  async newWallet(owner = this.customer): Promise<Json> {
    const { status, body } = await owner.post('/wallets', { name: 'Test' });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  async newAddress(walletId: string, owner = this.customer): Promise<string> {
    const { status, body } = await owner.post(`/wallets/${walletId}/addresses`, { chain: 'ethereum' });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.address;
  }

  async balanceOf(walletId: string, asset: string): Promise<string> {
    const { body } = await this.customer.get(`/wallets/${walletId}`);
    return body.balances.find((balance: Json) => balance.asset === asset)?.total ?? '0';
  }

  /** Makes a transfer to an outside address, which must be accepted. */
  async transferOut(walletId: string, asset: string, amount: string, address: string): Promise<Json> {
    const { status, body } = await this.customer.post(`/wallets/${walletId}/transfers`, {
      asset,
      amount,
      destination: { type: 'address', chain: 'ethereum', address },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }

  async transfer(transferId: string, walletId: string): Promise<Json> {
    const { body } = await this.customer.get(`/wallets/${walletId}/transfers?limit=200`);
    return body.data.find((transfer: Json) => transfer.transfer_id === transferId);
  }

  /** Mines until a transfer has a status; returns the transfer. */
  async mineUntilStatus(transferId: string, walletId: string, status: string): Promise<Json> {
    const isThere = async () => (await this.transfer(transferId, walletId)).status === status;
    await this.mineUntil(isThere, `the transfer is ${status}`);
    return this.transfer(transferId, walletId);
  }

  /** Formats wei as the service writes ETH. */
  decimal(wei: bigint): string {
    return formatAmount(wei);
  }

  /** Sets the KYC level of an account's owner, as a decision would. */
  async setKycLevel(accountId: string, level: number): Promise<void> {
    await this.service.app.nest.get(CoreService).submit({
      commands: [{ type: 'set_kyc_level', accountId: ACCOUNT_IDS.parse(accountId)!, level }],
    });
  }

  /** Compares the chain with the ledger; they must balance. */
  async checkBooks(): Promise<Json> {
    const { status, body } = await this.operator.get('/admin/chains/ethereum/check');
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body, JSON.stringify(body)).toMatchObject({ balanced: true, problems: [] });
    const ledger = await this.operator.get('/admin/ledger/check');
    expect(ledger.body, JSON.stringify(ledger.body.problems)).toMatchObject({ balanced: true });
    return body;
  }
}
