import type { Amount } from '../../../domain/money/amount.js';

/** An asset of the ledger that lives on a chain. */
export interface ChainAsset {
  /** The ledger's code, such as `ETH`. */
  readonly code: string;
  /** The most decimals of an amount on the chain; at most 18. */
  readonly decimals: number;
  /**
   * The minimum total on an address before any of it is credited. A smaller sum would not be worth its gas, and
   * strangers could use it to keep an address from signing.
   */
  readonly depositMinimum: Amount;
  /** The token's contract; null for the chain's native asset, which pays fees. */
  readonly contract: string | null;
}

export interface ChainBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** Money that a successful transaction brought to an address. */
export interface IncomingTransfer {
  readonly txHash: string;
  /**
   * The movement's index within its transaction: 0 is the transaction's own payment, n + 1 its n-th log. It is counted
   * within the transaction, since a reorganisation may move the transaction in its block.
   */
  readonly position: number;
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
  readonly block: ChainBlock;
}

/** A payment as it is to be signed. Addresses in the form that `canonicalAddress` answers. */
export interface ChainPayment {
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
}

/** The fee offer of a transaction for each unit of gas, in the chain's native asset. */
export interface FeeOffer {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Current fees. */
export interface FeeMarket {
  /** Enough for one of the next blocks, even under load. */
  readonly offer: FeeOffer;
  /** The most likely price of a unit of gas. */
  readonly likelyFeePerGas: bigint;
}

export interface TransactionTerms extends FeeOffer {
  /** The sender's transaction count, from 0 without gaps. */
  readonly nonce: number;
  readonly gasLimit: bigint;
}

export interface SignedTransaction {
  readonly txHash: string;
  /** The signed bytes, the same at each broadcast. */
  readonly bytes: string;
}

/** The result of a transaction that is in a block of the node's current chain. */
export interface Inclusion {
  readonly blockNumber: number;
  readonly blockHash: string;
  /** False if it was reverted, or did not move the money. */
  readonly succeeded: boolean;
  /** Its fee in the chain's native asset; also set if it failed. */
  readonly feePaid: Amount;
}

/** A node's answer to a broadcast transaction. */
export type SendOutcome =
  /** The node accepts it, or had it already. */
  | { readonly taken: true }
  /**
   * The node rejects it, with its own words as the reason. Another transaction of the same nonce may be in a block
   * already.
   */
  | { readonly taken: false; readonly reason: string };

/** Returns which of these addresses (canonical) are the service's own. */
export type OwnAddresses = (addresses: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * One chain whose senders are accounts with nonces that pay for gas. Amounts are in units of 10^-18 of their asset.
 *
 * A connector holds no keys and no durable state: the caller's database has everything that must survive. Every method
 * but `canonicalAddress` asks the node. It rejects with `ChainUnavailable` if the node does not answer, or with
 * `ChainMoved` if the answers contradict each other because of a reorganisation; in both cases a retry may succeed.
 */
export abstract class ChainConnector {
  /** Its name in addresses and transfers, such as `ethereum`; also the name of the ledger's rail. */
  abstract readonly chain: string;
  /** The assets of deposits and transfers; the native asset comes first. */
  abstract readonly assets: readonly ChainAsset[];
  /** The number of blocks, its own included, after which a transaction counts as final. */
  abstract readonly confirmations: number;
  /** How long a transaction may wait for a block before one with a higher fee replaces it. */
  abstract readonly replaceAfterMs: number;
  /** The highest fee per unit of gas ever offered. */
  abstract readonly feeCeiling: bigint;
  /** The polling interval. */
  abstract readonly pollMs: number;
  /** The first block to scan for deposits; undefined starts where the first address was given out, at the latest at the head. */
  abstract readonly startBlock: number | undefined;

  /** The canonical form of an address; undefined for other text, and for addresses that must not receive money. */
  abstract canonicalAddress(text: string): string | undefined;

  /** The sender address of a private key of 32 bytes. */
  abstract addressOf(privateKey: Uint8Array): string;

  /** Distinguishes this network from all others, such as a test network of the same kind. */
  abstract networkId(): Promise<string>;

  /** How many decimals the chain itself says that the asset has; null where it says nothing. */
  decimalsOf(_asset: string): Promise<number | null> {
    return Promise.resolve(null);
  }

  /** The number of the newest block. */
  abstract head(): Promise<number>;

  /** Null if the node has no such block. */
  abstract block(number: number): Promise<ChainBlock | null>;

  /** The number of the first block that is not older than `time`; one above the newest if all are. */
  abstract firstBlockSince(time: Date): Promise<number>;

  /** Deposits to the service's own addresses in these consecutive blocks. */
  abstract incoming(blocks: readonly ChainBlock[], ownAmong: OwnAddresses): Promise<IncomingTransfer[]>;

  /** At the end of a block, by default the newest. A node may have pruned old blocks. */
  abstract balance(address: string, asset: string, blockNumber?: number): Promise<Amount>;

  /** The next nonce of an address according to mined blocks. */
  abstract nextNonce(address: string): Promise<number>;

  /** Never above `feeCeiling`. */
  abstract feeMarket(): Promise<FeeMarket>;

  /** The gas limit of a payment; null if the chain would revert it. */
  abstract gasLimit(payment: ChainPayment): Promise<bigint | null>;

  /** The usual gas limit of a payment of the asset, if it cannot be estimated. */
  abstract usualGasLimit(asset: string): bigint;

  /** Deterministic: the same payment, terms and key (32 bytes) give the same bytes. */
  abstract sign(
    payment: ChainPayment,
    terms: TransactionTerms,
    privateKey: Uint8Array,
  ): Promise<SignedTransaction>;

  abstract send(bytes: string): Promise<SendOutcome>;

  /** Null while it is in no block. `payment` is the transaction's intended payment. */
  abstract inclusion(txHash: string, payment: ChainPayment): Promise<Inclusion | null>;
}

/** The node does not answer, or answers nonsense. The effect of the request is unknown. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable';
}

/** The chain was reorganised during a read. */
export class ChainMoved extends Error {
  override name = 'ChainMoved';
}
