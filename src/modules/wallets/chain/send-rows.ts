import type { EntityManager } from 'typeorm';
import { amount, type Amount } from '../../../domain/money/amount.js';
import type { ChainConnector, Inclusion, ChainPayment } from '../chains/chain-connector.js';
import type { Sender } from './sending-keys.js';

export type SendKind = 'transfer' | 'sweep' | 'top_up';

export interface Candidate {
  readonly txHash: string;
  readonly bytes: string;
  readonly amount: Amount;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly createdAt: Date;
}

export interface Send {
  readonly sendId: string;
  readonly chain: string;
  readonly kind: SendKind;
  readonly reference: string;
  readonly sender: Sender;
  readonly nonce: number;
  readonly asset: string;
  readonly recipient: string;
  readonly status: 'broadcasting' | 'mined' | 'settled';
  readonly createdAt: Date;
  /** Everything ever signed for it, oldest first; never empty. */
  readonly candidates: readonly Candidate[];
}

/** A send of which one candidate is in a block. */
export interface MinedSend {
  readonly send: Send;
  readonly candidate: Candidate;
  readonly inclusion: Inclusion;
}

export interface SendRow {
  readonly send_id: string;
  readonly chain: string;
  readonly kind: SendKind;
  readonly reference: string;
  readonly sender: string;
  readonly sender_address_id: string | null;
  readonly nonce: string;
  readonly asset: string;
  readonly recipient: string;
  readonly status: Send['status'];
  readonly created_at: Date;
}

export interface CandidateRow {
  readonly send_id: string;
  readonly tx_hash: string;
  readonly bytes: string;
  readonly amount: string;
  readonly gas_limit: string;
  readonly max_fee_per_gas: string;
  readonly max_priority_fee_per_gas: string;
  readonly created_at: Date;
}

/** The sends that an SQL condition (with its order and limit) picks, each with all its candidates. */
export async function loadSends(
  manager: EntityManager,
  condition: string,
  parameters: readonly unknown[],
): Promise<Send[]> {
  const rows = await manager.query<SendRow[]>(`SELECT * FROM chain_sends WHERE ${condition}`, [
    ...parameters,
  ]);
  const candidates = await manager.query<CandidateRow[]>(
    'SELECT * FROM chain_candidates WHERE send_id = ANY($1) ORDER BY created_at, max_fee_per_gas',
    [rows.map(({ send_id }) => send_id)],
  );
  return rows.map((row) =>
    toSend(row, candidates.filter(({ send_id }) => send_id === row.send_id).map(toCandidate)),
  );
}

/** The candidate that is in a block, if one is. */
export async function findMined(connector: ChainConnector, send: Send): Promise<MinedSend | null> {
  // The newest offers most, so it is the likeliest.
  for (const candidate of send.candidates.toReversed()) {
    const inclusion = await connector.inclusion(candidate.txHash, paymentOf(send, candidate));
    if (inclusion !== null) return { send, candidate, inclusion };
  }
  return null;
}

/** What one candidate of a send was to do. */
export function paymentOf(send: Send, candidate: Pick<Candidate, 'amount'>): ChainPayment {
  return { asset: send.asset, from: send.sender.address, to: send.recipient, amount: candidate.amount };
}

export function toSend(row: SendRow, candidates: readonly Candidate[]): Send {
  return {
    sendId: row.send_id,
    chain: row.chain,
    kind: row.kind,
    reference: row.reference,
    sender: { chain: row.chain, address: row.sender, addressId: row.sender_address_id },
    nonce: Number(row.nonce),
    asset: row.asset,
    recipient: row.recipient,
    status: row.status,
    createdAt: row.created_at,
    candidates,
  };
}

export function toCandidate(row: CandidateRow): Candidate {
  return {
    txHash: row.tx_hash,
    bytes: row.bytes,
    amount: amount(BigInt(row.amount)),
    gasLimit: BigInt(row.gas_limit),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
    createdAt: row.created_at,
  };
}
