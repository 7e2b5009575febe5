import { Logger } from '@nestjs/common';
import {
  BaseError,
  BlockNotFoundError,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  http,
  keccak256,
  parseEventLogs,
  toHex,
  type Address,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { amount, AMOUNT_DECIMALS, ZERO, type Amount } from '../../../domain/money/amount.js';
import {
  ChainConnector,
  ChainMoved,
  ChainUnavailable,
  type ChainAsset,
  type ChainBlock,
  type FeeMarket,
  type Inclusion,
  type IncomingTransfer,
  type OwnAddresses,
  type ChainPayment,
  type TransactionTerms,
  type SendOutcome,
  type SignedTransaction,
} from './chain-connector.js';
import { Boundary } from '../../../kit/tracing/boundary.js';
import { payableAddress } from './evm-addresses.js';
import { decimalsOfToken, TRANSFER_EVENT } from './evm-tokens.js';
import type { EvmSettings } from './evm-settings.js';
import { feeMarketOf, withMargin } from './evm-fees.js';
import { isRevert, isRpcRefusal, isTakenBefore, chainFailureOf } from './evm-errors.js';
import { receiptOf } from './evm-receipts.js';

const calls = new Boundary('client');
/** Nodes are mostly others': they get no `traceparent`. */
const fetchFn: typeof fetch = (input, init) => calls.run('chain call', () => fetch(input, init));

const REQUEST_MS_MAX = 10_000;
const NATIVE_DECIMALS = AMOUNT_DECIMALS;
const BLOCKS_READ_AT_ONCE = 8;

const PLAIN_PAYMENT_GAS = 21_000n;
/** Enough for every common token; unused gas is not paid. */
const USUAL_TOKEN_GAS = 120_000n;

/** Ethereum and other chains with its JSON-RPC: their native asset, and ERC-20 tokens. */
export class EvmConnector extends ChainConnector {
  override readonly chain: string;
  override readonly assets: readonly ChainAsset[];
  override readonly confirmations: number;
  override readonly replaceAfterMs: number;
  override readonly feeCeiling: bigint;
  override readonly pollMs: number;
  override readonly startBlock: number | undefined;
  private readonly logger = new Logger('Chain');
  private readonly client: PublicClient;
  private readonly contracts: ReadonlyMap<string, Address>;
  private chainId: number | undefined;

  constructor(private readonly settings: EvmSettings) {
    super();
    this.chain = settings.chain;
    this.confirmations = settings.confirmations;
    this.replaceAfterMs = settings.replaceAfterMs;
    this.feeCeiling = settings.maxFeePerGas;
    this.pollMs = settings.pollMs;
    this.startBlock = settings.startBlock;
    const native = { code: settings.nativeAsset, decimals: NATIVE_DECIMALS, contract: null };
    this.assets = [native, ...settings.tokens].map((asset) => ({
      ...asset,
      depositMinimum: settings.depositMinimums?.get(asset.code) ?? ZERO,
    }));
    this.contracts = new Map(settings.tokens.map(({ code, contract }) => [code, getAddress(contract)]));
    // No retries here: callers retry, and so notice at once that a node is down.
    this.client = createPublicClient({
      transport: http(settings.url, { timeout: REQUEST_MS_MAX, retryCount: 0, fetchFn }),
      cacheTime: 0,
    });
  }

  override canonicalAddress(text: string): string | undefined {
    const address = payableAddress(text);
    // Tokens sent to their own contract are lost.
    return [...this.contracts.values()].some((contract) => contract === address) ? undefined : address;
  }

  override addressOf(privateKey: Uint8Array): string {
    return privateKeyToAddress(toHex(privateKey));
  }

  override networkId(): Promise<string> {
    return this.ask(async () => {
      const [chainId, genesis] = await Promise.all([
        this.client.getChainId(),
        this.client.getBlock({ blockNumber: 0n }),
      ]);
      this.chainId = chainId;
      return `eip155:${chainId}:${genesis.hash}`;
    });
  }

  override decimalsOf(asset: string): Promise<number | null> {
    const contract = this.contracts.get(asset);
    if (contract === undefined) return Promise.resolve(NATIVE_DECIMALS);
    return this.ask(() => decimalsOfToken(this.client, contract));
  }

  override head(): Promise<number> {
    return this.ask(async () => Number(await this.client.getBlockNumber({ cacheTime: 0 })));
  }

  override block(number: number): Promise<ChainBlock | null> {
    return this.ask(async () => {
      try {
        const { hash, parentHash } = await this.client.getBlock({ blockNumber: BigInt(number) });
        return { number, hash, parentHash };
      } catch (error) {
        if (error instanceof BlockNotFoundError) return null;
        throw error;
      }
    });
  }

  /** Halves the range of blocks with each question. */
  override firstBlockSince(time: Date): Promise<number> {
    const sinceS = BigInt(Math.floor(time.getTime() / 1_000));
    return this.ask(async () => {
      let [first, last] = [0n, (await this.client.getBlockNumber({ cacheTime: 0 })) + 1n];
      while (first < last) {
        const middle = (first + last) / 2n;
        const { timestamp } = await this.client.getBlock({ blockNumber: middle });
        if (timestamp < sinceS) first = middle + 1n;
        else last = middle;
      }
      return Number(first);
    });
  }

  /**
   * Reads every transfer of the tokens and looks up its recipient. A filter by recipient would grow with the number of
   * customers, and each part of it would be another request to the node.
   */
  override async incoming(
    blocks: readonly ChainBlock[],
    ownAmong: OwnAddresses,
  ): Promise<IncomingTransfer[]> {
    const recipients = new Map<string, Set<string>>();
    const note = (txHash: string, to: string): void => {
      recipients.set(txHash, (recipients.get(txHash) ?? new Set()).add(to));
    };
    for (let first = 0; first < blocks.length; first += BLOCKS_READ_AT_ONCE) {
      const some = blocks.slice(first, first + BLOCKS_READ_AT_ONCE);
      await Promise.all(some.map((block) => this.noteTransfers(block, note)));
    }
    if (this.contracts.size > 0) await this.noteTokenTransfers(blocks, note);

    const own = await ownAmong([...new Set([...recipients.values()].flatMap((some) => [...some]))]);
    const incoming: IncomingTransfer[] = [];
    for (const [txHash, some] of recipients) {
      if ([...some].some((address) => own.has(address))) {
        incoming.push(...(await this.incomingBy(txHash as Hex, blocks, own)));
      }
    }
    return incoming;
  }

  override balance(address: string, asset: string, blockNumber?: number): Promise<Amount> {
    return this.ask(async () => {
      const at = blockNumber === undefined ? {} : { blockNumber: BigInt(blockNumber) };
      const contract = this.contracts.get(asset);
      const atoms =
        contract === undefined
          ? await this.client.getBalance({ address: address as Address, ...at })
          : await this.client.readContract({
              address: contract,
              abi: erc20Abi,
              functionName: 'balanceOf',
              args: [address as Address],
              ...at,
            });
      return this.toUnits(asset, atoms);
    });
  }

  override nextNonce(address: string): Promise<number> {
    return this.ask(() => this.client.getTransactionCount({ address: address as Address }));
  }

  override feeMarket(): Promise<FeeMarket> {
    return this.ask(async () => {
      const [{ baseFeePerGas }, suggested] = await Promise.all([
        this.client.getBlock(),
        this.client.estimateMaxPriorityFeePerGas(),
      ]);
      // Transactions are of the type that offers a fee above it (EIP-1559); a chain without one takes none of them.
      if (baseFeePerGas === null) throw new ChainUnavailable('the node names no base fee (EIP-1559)');
      return feeMarketOf(baseFeePerGas, suggested, this.feeCeiling);
    });
  }

  override gasLimit(payment: ChainPayment): Promise<bigint | null> {
    return this.ask(async () => {
      try {
        const estimate = await this.client.estimateGas({
          account: payment.from as Address,
          ...this.callOf(payment),
        });
        return estimate === PLAIN_PAYMENT_GAS ? estimate : withMargin(estimate);
      } catch (error) {
        if (isRevert(error)) return null;
        throw error;
      }
    });
  }

  override usualGasLimit(asset: string): bigint {
    return this.contracts.has(asset) ? USUAL_TOKEN_GAS : PLAIN_PAYMENT_GAS;
  }

  override async sign(
    payment: ChainPayment,
    terms: TransactionTerms,
    privateKey: Uint8Array,
  ): Promise<SignedTransaction> {
    if (this.chainId === undefined) await this.networkId();
    const bytes = await privateKeyToAccount(toHex(privateKey)).signTransaction({
      type: 'eip1559',
      chainId: this.chainId!,
      nonce: terms.nonce,
      gas: terms.gasLimit,
      maxFeePerGas: terms.maxFeePerGas,
      maxPriorityFeePerGas: terms.maxPriorityFeePerGas,
      ...this.callOf(payment),
    });
    return { bytes, txHash: keccak256(bytes) };
  }

  override async send(bytes: string): Promise<SendOutcome> {
    try {
      await this.client.sendRawTransaction({ serializedTransaction: bytes as Hex });
      return { taken: true };
    } catch (error) {
      const refusal = error instanceof BaseError ? error.walk(isRpcRefusal) : null;
      if (!(refusal instanceof BaseError)) throw chainFailureOf(error);
      const reason = refusal.details || refusal.shortMessage;
      return isTakenBefore(reason) ? { taken: true } : { taken: false, reason };
    }
  }

  override inclusion(txHash: string, payment: ChainPayment): Promise<Inclusion | null> {
    return this.ask(async () => {
      const receipt = await receiptOf(this.client, txHash as Hex);
      if (receipt === null) return null;
      return {
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        succeeded: receipt.status === 'success' && this.hasMoved(receipt, payment),
        feePaid: amount(receipt.gasUsed * receipt.effectiveGasPrice),
      };
    });
  }

  private async noteTransfers(block: ChainBlock, note: (txHash: string, to: string) => void): Promise<void> {
    const full = await this.ask(() =>
      this.client.getBlock({ blockNumber: BigInt(block.number), includeTransactions: true }),
    );
    if (full.hash !== block.hash) throw new ChainMoved(`block ${block.number} is another one by now`);
    for (const { hash, to, value } of full.transactions) {
      if (to !== null && value > 0n) note(hash, getAddress(to));
    }
  }

  private async noteTokenTransfers(
    blocks: readonly ChainBlock[],
    note: (txHash: string, to: string) => void,
  ): Promise<void> {
    const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
    const logs = await this.ask(() =>
      this.client.getLogs({
        address: [...this.contracts.values()],
        event: TRANSFER_EVENT,
        fromBlock: BigInt(blocks[0]!.number),
        toBlock: BigInt(blocks.at(-1)!.number),
      }),
    );
    for (const log of logs) {
      if (hashes.get(Number(log.blockNumber)) !== log.blockHash) {
        throw new ChainMoved(`block ${log.blockNumber} is another one by now`);
      }
      const transfer = this.tokenTransferOf(log);
      if (transfer !== undefined) note(log.transactionHash, transfer.to);
      else
        this.logger.error({
          msg: 'a transfer of a token cannot be read: if it is a deposit, nobody is credited',
          contract: log.address,
          tx_hash: log.transactionHash,
        });
    }
  }

  private async incomingBy(
    txHash: Hex,
    blocks: readonly ChainBlock[],
    own: ReadonlySet<string>,
  ): Promise<IncomingTransfer[]> {
    const [receipt, transaction] = await this.ask(() =>
      Promise.all([receiptOf(this.client, txHash), this.client.getTransaction({ hash: txHash })]),
    );
    const block = blocks.find(({ hash }) => hash === receipt?.blockHash);
    if (receipt === null || block === undefined) throw new ChainMoved(`${txHash} left its block`);
    if (receipt.status !== 'success') return [];

    const incoming: IncomingTransfer[] = [];
    const to = transaction.to === null ? null : getAddress(transaction.to);
    if (to !== null && own.has(to) && transaction.value > 0n) {
      const { nativeAsset } = this.settings;
      const from = getAddress(transaction.from);
      const units = amount(transaction.value);
      incoming.push({ txHash, position: 0, asset: nativeAsset, from, to, amount: units, block });
    }
    for (const [index, log] of receipt.logs.entries()) {
      const transfer = this.tokenTransferOf(log);
      if (transfer !== undefined && transfer.amount > 0n && own.has(transfer.to)) {
        incoming.push({ ...transfer, txHash, position: index + 1, block });
      }
    }
    return incoming;
  }

  /** The log's transfer, if it is one of the tokens. */
  private tokenTransferOf(
    log: TransactionReceipt['logs'][number],
  ): { asset: string; from: string; to: string; amount: Amount } | undefined {
    const emitter = getAddress(log.address);
    const asset = [...this.contracts].find(([, contract]) => contract === emitter)?.[0];
    if (asset === undefined) return undefined;
    const [event] = parseEventLogs({ abi: [TRANSFER_EVENT], logs: [log], strict: true });
    if (event === undefined) return undefined;
    const { from, to, value } = event.args;
    return { asset, from, to, amount: this.toUnits(asset, value) };
  }

  /** A token may refuse without reverting; only its transfer log proves the transfer. */
  private hasMoved(receipt: TransactionReceipt, payment: ChainPayment): boolean {
    if (!this.contracts.has(payment.asset)) return true;
    return receipt.logs.some((log) => {
      const transfer = this.tokenTransferOf(log);
      return (
        transfer?.asset === payment.asset &&
        transfer.from === payment.from &&
        transfer.to === payment.to &&
        transfer.amount === payment.amount
      );
    });
  }

  private callOf({ asset, to, amount: units }: ChainPayment): { to: Address; value: bigint; data?: Hex } {
    const contract = this.contracts.get(asset);
    if (contract === undefined) return { to: to as Address, value: units };
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [to as Address, this.toAtoms(asset, units)],
    });
    return { to: contract, value: 0n, data };
  }

  private toUnits(asset: string, atoms: bigint): Amount {
    return amount(atoms * this.unitsPerAtom(asset));
  }

  private toAtoms(asset: string, units: bigint): bigint {
    const unitsPerAtom = this.unitsPerAtom(asset);
    if (units % unitsPerAtom !== 0n) throw new RangeError(`${units} units of ${asset} are no whole atoms`);
    return units / unitsPerAtom;
  }

  private unitsPerAtom(asset: string): bigint {
    const known = this.assets.find(({ code }) => code === asset);
    if (known === undefined) throw new RangeError(`${asset} is not on ${this.chain}`);
    return 10n ** BigInt(AMOUNT_DECIMALS - known.decimals);
  }

  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw chainFailureOf(error);
    }
  }
}
