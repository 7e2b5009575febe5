/** A real ethereum node for tests, with a chain of its own that the test mines, pauses and reorganises. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  erc20Abi,
  http,
  pad,
  parseEther,
  toHex,
  type Address,
  type Chain,
  type Hash,
  type Hex,
  type HttpTransport,
  type LocalAccount,
  type PublicClient,
  type TestClient,
  type WalletClient,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { anvil as anvilChain } from 'viem/chains';
import { ensureTools } from '../../scripts/support/tools.js';

const BINARY = join(
  await ensureTools('test/tools/chain'),
  'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil',
);
const LISTENING_LINE = /^Listening on (\S+)$/;
const START_MS_MAX = 60_000;

/** Why tests that need the node are skipped here; undefined where they run. */
export const ANVIL_MISSING: string | undefined = existsSync(BINARY)
  ? undefined
  : 'there is no Anvil for this platform among the packages of npm (it comes for linux-x64 alone)';

/** For `describe.skipIf`: prints on stderr why the suite is skipped, where it is. */
export function isAnvilMissing(suite: string): boolean {
  if (ANVIL_MISSING !== undefined) process.stderr.write(`Skipped ${suite}: ${ANVIL_MISSING}.\n`);
  return ANVIL_MISSING !== undefined;
}

/** The account of Anvil's own key phrase that pays for everything the tests do. */
export const RICH = mnemonicToAccount('test test test test test test test test test test test junk');

/**
 * A minimal ERC-20: `transfer` and `balanceOf`, the balance of an address at the storage slot of its number, and
 * 1,000,000 tokens of 6 decimals for the deployer. Hand-written, since no dependency is a compiler.
 */
const TOKEN: Hex = `0x${[
  // Deployment: gives the caller the whole supply and returns the contract below.
  '64e8d4a510003355',
  '607e8060136000396000f3',
  // The selector chooses the function; any other call fails.
  '60003560e01c',
  '8063a9059cbb14601d57',
  '6370a0823114606c57',
  '600080fd',
  // transfer: fails if the caller has less; else updates both balances, emits the event, and returns true.
  '5b3354602435',
  '818111607957',
  '8091033355',
  '60043580548201815590600052',
  '337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a3',
  '600160005260206000f3',
  // balanceOf, and the failure.
  '5b6004355460005260206000f3',
  '5b600080fd',
].join('')}`;

export class Anvil {
  private isHeldBack = false;
  private contracts = 0xc0;
  readonly node: PublicClient<HttpTransport, Chain>;
  private readonly wallet: WalletClient<HttpTransport, Chain, LocalAccount>;
  private readonly control: TestClient<'anvil', HttpTransport, Chain>;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    const options = { chain: anvilChain, transport: http(url), cacheTime: 0, pollingInterval: 10 };
    this.node = createPublicClient(options);
    this.wallet = createWalletClient({ ...options, account: RICH });
    this.control = createTestClient({ ...options, mode: 'anvil' });
  }

  /** Starts on a free port. Each transaction is mined at once, until `holdBack`. */
  static async start(): Promise<Anvil> {
    const child = spawn(BINARY, ['--port', '0', '--accounts', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX);
    for await (const line of lines) {
      const address = LISTENING_LINE.exec(line)?.[1];
      if (address === undefined) continue;
      clearTimeout(timer);
      // Further output is read and discarded: the node would block on a full pipe.
      child.stdout.resume();
      return new Anvil(child, `http://${address}`);
    }
    throw new Error('Anvil did not start');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  async mine(blocks = 1): Promise<void> {
    await this.control.mine({ blocks });
  }

  /** From now on transactions wait until `mine`. */
  async holdBack(): Promise<void> {
    await this.control.setAutomine(false);
    this.isHeldBack = true;
  }

  async mineAtOnce(): Promise<void> {
    await this.control.setAutomine(true);
    this.isHeldBack = false;
  }

  /** Sends ETH from the rich account; returns the transaction's hash. */
  pay(to: string, ether: string): Promise<Hash> {
    return this.mined(this.wallet.sendTransaction({ to: to as Address, value: parseEther(ether) }));
  }

  /** Sends ETH from a contract: an internal transfer, in no block's list of transactions and in no log. */
  payFromWithin(to: string, ether: string): Promise<Hash> {
    // A constructor that forwards its whole value to `to`.
    const data: Hex = `0x60006000600060003473${to.slice(2)}5af100`;
    return this.mined(this.wallet.sendTransaction({ data, value: parseEther(ether) }));
  }

  /** Deploys a token; the rich account gets the whole supply, 1,000,000 of 6 decimals. */
  async deployToken(): Promise<Address> {
    const hash = await this.wallet.deployContract({ abi: erc20Abi, bytecode: TOKEN });
    const { contractAddress } = await this.node.waitForTransactionReceipt({ hash });
    return contractAddress!;
  }

  /** Puts a contract of this code at a new address. */
  async deployCode(bytecode: Hex): Promise<Address> {
    const address = pad(toHex(++this.contracts), { size: 20, dir: 'right' });
    await this.control.setCode({ address, bytecode });
    return address;
  }

  /** Sends tokens from the rich account, in millionths. */
  payToken(token: Address, to: string, millionths: bigint): Promise<Hash> {
    return this.mined(
      this.wallet.writeContract({
        address: token,
        abi: erc20Abi,
        functionName: 'transfer',
        args: [to as Address, millionths],
      }),
    );
  }

  tokenBalance(token: Address, of: string): Promise<bigint> {
    return this.node.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [of as Address],
    });
  }

  balance(of: string): Promise<bigint> {
    return this.node.getBalance({ address: of as Address });
  }

  /** The bytes of a transaction, to send it again after a reorganisation or in place of another. */
  async bytesOf(hash: Hash): Promise<Hex> {
    const request = this.control.request<{
      Method: 'eth_getRawTransactionByHash';
      Parameters: [Hash];
      ReturnType: Hex;
    }>;
    return request({ method: 'eth_getRawTransactionByHash', params: [hash] });
  }

  send(bytes: Hex): Promise<Hash> {
    return this.mined(this.wallet.sendRawTransaction({ serializedTransaction: bytes }));
  }

  /** Whether the node has a transaction, mined or pending. */
  async knows(hash: Hash): Promise<boolean> {
    return (await this.bytesOf(hash).catch(() => null)) !== null;
  }

  /** Drops a pending transaction from the node. */
  async forget(hash: Hash): Promise<void> {
    await this.control.dropTransaction({ hash });
  }

  /** Sets an address' balance of a `deployToken` token, bypassing the contract. */
  async setTokenBalance(token: Address, of: string, millionths: bigint): Promise<void> {
    const index = pad(of as Hex, { size: 32 });
    await this.control.setStorageAt({ address: token, index, value: toHex(millionths, { size: 32 }) });
  }

  /** Replaces the newest blocks with as many empty ones, so that their transactions are in no block any more. */
  async reorganise(blocks: number): Promise<void> {
    await this.control.request<{ Method: 'anvil_reorg'; Parameters: [number, []]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [blocks, []],
    });
  }

  /** Unless blocks are held back, the node returns the hash a moment before the block exists. */
  private async mined(sent: Promise<Hash>): Promise<Hash> {
    const hash = await sent;
    if (!this.isHeldBack) await this.node.waitForTransactionReceipt({ hash });
    return hash;
  }
}
