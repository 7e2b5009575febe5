import type { Amount } from '../../domain/money/amount.js';

/** An asset of the ledger that lives on a chain. */
export interface ChainAsset {
  /** The ledger's code, such as `ETH`. */
  readonly code: string;
  /** The most decimals that an amount of it may have on the chain; at most 18. */
  readonly decimals: number;
  /**
   * What must lie on an address together before any of it is credited. Less would not be worth its own gas,
   * and would let strangers keep an address from signing for nothing.
   */
  readonly depositMinimum: Amount;
  /** The token's contract; null for the asset that the chain itself pays its fees in. */
  readonly contract: string | null;
}

export interface ChainBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** Money that arrived at an address by a transaction that succeeded. */
export interface IncomingTransfer {
  readonly txHash: string;
  /**
   * Which movement of its transaction it is: 0 is the transaction's own payment, n + 1 what its n-th log
   * tells. Counted within the transaction, as a reorganisation may put it elsewhere in its block.
   */
  readonly position: number;
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
  readonly block: ChainBlock;
}

/** A payment as it is to be signed. Addresses in the form that `canonicalAddress` answers. */
export interface Payment {
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
}

/** What a transaction offers for each unit of gas, in the chain's own asset. */
export interface FeeOffer {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** What the market asks now. */
export interface FeeMarket {
  /** For one of the next blocks, even if many others want the same. */
  readonly offer: FeeOffer;
  /** What a unit of gas will most likely cost. */
  readonly likelyFeePerGas: bigint;
}

export interface PaymentTerms extends FeeOffer {
  /** One for each transaction of the sender, counted from 0 without gaps. */
  readonly nonce: number;
  readonly gasLimit: bigint;
}

export interface SignedTransaction {
  readonly txHash: string;
  /** What is sent, byte for byte, however often. */
  readonly bytes: string;
}

/** How a transaction ended that is in a block of the chain as the node sees it now. */
export interface Inclusion {
  readonly blockNumber: number;
  readonly blockHash: string;
  /** False where it was reverted, or did not move what it was to move. */
  readonly succeeded: boolean;
  /** What it cost, in the chain's own asset; also where it failed. */
  readonly feePaid: Amount;
}

/** What a node says to a transaction that it is given. */
export type SendOutcome =
  /** It takes it, or had it before. */
  | { readonly taken: true }
  /** It does not, in its own words. Another transaction of the same nonce may be in a block already. */
  | { readonly taken: false; readonly reason: string };

/** Tells which of these addresses (canonical) are the service's own. */
export type OwnAddresses = (addresses: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * One chain, as the service uses it: where senders are accounts that count their transactions and pay for
 * gas. Amounts are in units of 10^-18 of their asset.
 *
 * It holds no keys and keeps no state that matters: everything that must survive is in the database of who
 * calls. Every method but `canonicalAddress` asks the node and rejects with `ChainUnavailable` while that
 * does not answer, or with `ChainMoved` where the answers do not fit together because the chain was
 * reorganised between them; both mean that the same call may succeed later.
 */
export abstract class ChainConnector {
  /** As in addresses and transfers, such as `ethereum`; also the name of the ledger's rail. */
  abstract readonly chain: string;
  /** What deposits and transfers may be of; the chain's own asset comes first. */
  abstract readonly assets: readonly ChainAsset[];
  /** Blocks, its own included, after which a transaction counts as final. */
  abstract readonly confirmations: number;
  /** How long a transaction may wait for its block before it is replaced by one that offers more. */
  abstract readonly replaceAfterMs: number;
  /** The most that a unit of gas is ever worth. */
  abstract readonly feeCeiling: bigint;
  /** How often the chain is looked at. */
  abstract readonly pollMs: number;
  /** The first block to look for deposits in; undefined starts at the head of the first look. */
  abstract readonly startBlock: number | undefined;

  /** The one way in which the address is written here; undefined for text that is none, or that no money should go to. */
  abstract canonicalAddress(text: string): string | undefined;

  /** The address that a private key of 32 bytes sends from. */
  abstract addressOf(privateKey: Uint8Array): string;

  /** What tells this network from every other one, such as a test network of the same kind. */
  abstract networkId(): Promise<string>;

  /** The number of the newest block. */
  abstract head(): Promise<number>;

  /** Null where the node has no such block. */
  abstract block(number: number): Promise<ChainBlock | null>;

  /** What arrived at the service's own addresses in these blocks, which follow each other. */
  abstract incoming(blocks: readonly ChainBlock[], ownAmong: OwnAddresses): Promise<IncomingTransfer[]>;

  /** As of the end of a block, by default the newest. Old blocks may be out of a node's reach. */
  abstract balance(address: string, asset: string, blockNumber?: number): Promise<Amount>;

  /** The nonce that the next transaction of an address needs, as far as blocks tell. */
  abstract nextNonce(address: string): Promise<number>;

  /** Never above `feeCeiling`. */
  abstract feeMarket(): Promise<FeeMarket>;

  /** How much gas the payment needs at most; null where the chain says that it would be reverted. */
  abstract gasLimit(payment: Payment): Promise<bigint | null>;

  /** How much gas a payment of the asset needs as a rule, where none can be tried. */
  abstract usualGasLimit(asset: string): bigint;

  /** Always the same bytes for the same payment, terms and key (32 bytes). */
  abstract sign(payment: Payment, terms: PaymentTerms, privateKey: Uint8Array): Promise<SignedTransaction>;

  abstract send(bytes: string): Promise<SendOutcome>;

  /** Null while it is in no block. `payment` is what the transaction was to do. */
  abstract inclusion(txHash: string, payment: Payment): Promise<Inclusion | null>;
}

/** The node does not answer, or answers nonsense. Nothing is known about what it was asked to do. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable';
}

/** The chain was reorganised while it was read. */
export class ChainMoved extends Error {
  override name = 'ChainMoved';
}
