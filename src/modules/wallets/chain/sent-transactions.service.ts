import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { amount, type Amount } from '../../../domain/money/amount.js';
import type {
  ChainConnector,
  FeeMarket,
  FeeOffer,
  ChainPayment,
  SignedTransaction,
} from '../chains/chain-connector.js';
import {
  loadSends,
  paymentOf,
  toCandidate,
  toSend,
  type Candidate,
  type CandidateRow,
  type MinedSend,
  type Send,
  type SendKind,
  type SendRow,
} from './send-rows.js';
import { ThrottledLog } from './throttled-log.js';
import { SendingKeys, type Sender } from './sending-keys.js';

/** A transaction that is to happen once, whatever its fee. */
export interface NewSend {
  readonly kind: SendKind;
  /** The transfer, or the sweep. One send for each, ever. */
  readonly reference: string;
  readonly sender: Sender;
  readonly payment: ChainPayment;
  readonly gasLimit: bigint;
  readonly offer: FeeOffer;
}

/** As many as are looked at in one poll; more wait for these to settle. */
export const LIVE_SENDS_MAX = 200;
/** A node may forget what waits too long. */
const SENT_AGAIN_AFTER_MS = 30_000;
/** Nodes take a replacement that offers a tenth more; an eighth leaves no doubt. */
const REPLACEMENT_STEP = 8n;
const CANDIDATES_MAX = 20;

/**
 * Transactions of the service: signed, stored, sent, replaced. Whatever was signed for a send is stored in the
 * transaction that uses up its nonce, and before anybody else sees it. So however often the process dies and
 * however often bytes are sent, the chain takes one of the candidates, once.
 */
@Injectable()
export class SentTransactions {
  private readonly logger = new Logger('Chain');
  private readonly quiet = new ThrottledLog();
  /** When the newest candidate was last given to the node; forgotten by a restart, which sends again. */
  private readonly sentAtMs = new Map<string, number>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly keys: SendingKeys,
  ) {}

  /**
   * Signs and stores a send; nothing is sent yet. `claim` runs in the same transaction with the hash: where it
   * answers false, nothing is stored, no nonce is used, and the answer is null.
   */
  async create(
    connector: ChainConnector,
    order: NewSend,
    claim: (txHash: string, manager: EntityManager) => Promise<boolean>,
  ): Promise<Send | null> {
    const { sender, payment } = order;
    const nonceOnChain = await connector.nextNonce(sender.address);
    return this.keys.withKey(sender, (privateKey) =>
      this.database.transaction(async (manager) => {
        const nonce = await takeNonce(manager, sender, nonceOnChain);
        const terms = { ...order.offer, nonce, gasLimit: order.gasLimit };
        const signed = await connector.sign(payment, terms, privateKey);
        if (!(await claim(signed.txHash, manager))) {
          await returnNonce(manager, sender, nonce);
          return null;
        }
        const [row] = await manager.query<SendRow[]>(
          `INSERT INTO chain_sends (chain, kind, reference, sender, sender_address_id, nonce, asset, recipient)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
          [
            sender.chain,
            order.kind,
            order.reference,
            sender.address,
            sender.addressId,
            nonce,
            payment.asset,
            payment.to,
          ],
        );
        const candidate = await storeCandidate(manager, row!, payment.amount, terms, signed);
        return toSend(row!, [candidate]);
      }),
    );
  }

  /** All that have not settled, oldest first, up to `LIVE_SENDS_MAX`. */
  async live(chain: string): Promise<readonly Send[]> {
    return loadSends(
      this.database.manager,
      `chain = $1 AND status <> 'settled' ORDER BY send_id LIMIT ${LIVE_SENDS_MAX}`,
      [chain],
    );
  }

  async find(kind: SendKind, reference: string): Promise<Send | undefined> {
    const [send] = await loadSends(this.database.manager, 'kind = $1 AND reference = $2', [kind, reference]);
    return send;
  }

  async noteMined({ send, candidate, inclusion }: MinedSend): Promise<void> {
    await this.database.query(
      `UPDATE chain_sends SET status = 'mined', tx_hash = $2, block_number = $3, block_hash = $4, succeeded = $5,
         fee_paid = $6, updated_at = now()
       WHERE send_id = $1 AND status <> 'settled' AND (tx_hash, block_hash) IS DISTINCT FROM ($2, $4)`,
      [
        send.sendId,
        candidate.txHash,
        inclusion.blockNumber,
        inclusion.blockHash,
        inclusion.succeeded,
        inclusion.feePaid.toString(),
      ],
    );
  }

  /** Final. `houseFee` is the part of its gas that no customer pays for. */
  async settle(send: Send, houseFee: Amount): Promise<void> {
    this.sentAtMs.delete(send.sendId);
    await this.database.query(
      `UPDATE chain_sends SET status = 'settled', updated_at = now(),
         house_fee = CASE WHEN house_fee_booked THEN house_fee ELSE $2 END
       WHERE send_id = $1`,
      [send.sendId, houseFee.toString()],
    );
  }

  /**
   * Ensures that the node has unmined transactions: rebroadcasts the newest candidate from time to time, and signs one
   * with a higher fee if it has waited too long. Calls `replaced` then.
   */
  async push(
    connector: ChainConnector,
    send: Send,
    market: FeeMarket,
    replaced: (txHash: string, manager: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    if (send.status === 'mined') {
      this.logger.warn({ send: send.sendId, kind: send.kind, msg: 'a transaction left its block' });
      this.sentAtMs.delete(send.sendId);
      await this.database.query(
        `UPDATE chain_sends SET status = 'broadcasting', tx_hash = NULL, block_number = NULL, block_hash = NULL,
           succeeded = NULL, fee_paid = NULL, updated_at = now() WHERE send_id = $1 AND status = 'mined'`,
        [send.sendId],
      );
      await this.database.transaction((manager) => replaced(send.candidates.at(-1)!.txHash, manager));
    }
    const replacement = await this.replace(connector, send, market, replaced);
    const { bytes } = replacement ?? send.candidates.at(-1)!;
    const sentAtMs = this.sentAtMs.get(send.sendId) ?? 0;
    if (replacement === null && Date.now() - sentAtMs < SENT_AGAIN_AFTER_MS) return;

    const outcome = await connector.send(bytes);
    this.sentAtMs.set(send.sendId, Date.now());
    if (!outcome.taken) {
      // An earlier candidate may be in a block by now; if it is, the next poll finds it.
      this.quiet.warn(
        { send: send.sendId, nonce: send.nonce, reason: outcome.reason },
        'the node does not take a transaction',
      );
    }
  }

  private async replace(
    connector: ChainConnector,
    send: Send,
    market: FeeMarket,
    replaced: (txHash: string, manager: EntityManager) => Promise<unknown>,
  ): Promise<Candidate | null> {
    const newest = send.candidates.at(-1)!;
    const waitedMs = Date.now() - newest.createdAt.getTime();
    if (waitedMs < connector.replaceAfterMs || send.candidates.length >= CANDIDATES_MAX) return null;
    const offer = higherOffer(newest, market.offer);
    const paid = payable(connector, send, newest, offer);
    if (offer.maxFeePerGas > connector.feeCeiling || paid <= 0n) return null;

    const terms = { ...offer, nonce: send.nonce, gasLimit: newest.gasLimit };
    const signed = await this.keys.withKey(send.sender, (privateKey) =>
      connector.sign(paymentOf(send, { ...newest, amount: paid }), terms, privateKey),
    );
    this.logger.log({
      send: send.sendId,
      nonce: send.nonce,
      txHash: signed.txHash,
      msg: 'offering more gas',
    });
    return this.database.transaction(async (manager) => {
      await replaced(signed.txHash, manager);
      const row = { send_id: send.sendId, chain: send.chain };
      return storeCandidate(manager, row, paid, terms, signed);
    });
  }
}

/**
 * The next nonce of a sender, locked until the transaction ends. Throws if the chain has transactions of the sender
 * that the database lacks: then somebody else has the key, or the database is an old copy that may pay twice. Nothing
 * is sent until an operator has resolved that.
 */
async function takeNonce(
  manager: EntityManager,
  { chain, address }: Sender,
  onChain: number,
): Promise<number> {
  await manager.query(
    'INSERT INTO chain_senders (chain, address, next_nonce) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [chain, address, onChain],
  );
  const [row] = await manager.query<{ next_nonce: string }[]>(
    'SELECT next_nonce FROM chain_senders WHERE chain = $1 AND address = $2 FOR UPDATE',
    [chain, address],
  );
  const nonce = Number(row!.next_nonce);
  if (nonce < onChain) {
    throw new Error(
      `${address} has sent ${onChain} transactions on ${chain}, of which ${nonce} are known here`,
    );
  }
  await manager.query('UPDATE chain_senders SET next_nonce = $3 WHERE chain = $1 AND address = $2', [
    chain,
    address,
    nonce + 1,
  ]);
  return nonce;
}

async function returnNonce(manager: EntityManager, { chain, address }: Sender, nonce: number): Promise<void> {
  await manager.query('UPDATE chain_senders SET next_nonce = $3 WHERE chain = $1 AND address = $2', [
    chain,
    address,
    nonce,
  ]);
}

async function storeCandidate(
  manager: EntityManager,
  { send_id, chain }: Pick<SendRow, 'send_id' | 'chain'>,
  paid: Amount,
  terms: FeeOffer & { readonly gasLimit: bigint },
  { txHash, bytes }: SignedTransaction,
): Promise<Candidate> {
  const [row] = await manager.query<CandidateRow[]>(
    `INSERT INTO chain_candidates
       (chain, tx_hash, send_id, bytes, amount, gas_limit, max_fee_per_gas, max_priority_fee_per_gas, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()) RETURNING *`,
    [
      chain,
      txHash,
      send_id,
      bytes,
      paid.toString(),
      terms.gasLimit.toString(),
      terms.maxFeePerGas.toString(),
      terms.maxPriorityFeePerGas.toString(),
    ],
  );
  return toCandidate(row!);
}

function higherOffer(before: FeeOffer, market: FeeOffer): FeeOffer {
  const raised = (fee: bigint): bigint => fee + fee / REPLACEMENT_STEP + 1n;
  const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  const maxFeePerGas = most(raised(before.maxFeePerGas), market.maxFeePerGas);
  const maxPriorityFeePerGas = most(raised(before.maxPriorityFeePerGas), market.maxPriorityFeePerGas);
  return { maxFeePerGas: most(maxFeePerGas, maxPriorityFeePerGas), maxPriorityFeePerGas };
}

/** A sweep of the chain's own asset pays its gas out of what it moves: what gas takes more, it moves less. */
function payable(connector: ChainConnector, send: Send, before: Candidate, offer: FeeOffer): Amount {
  const isOwnAsset = send.asset === connector.assets[0]!.code;
  if (send.kind !== 'sweep' || !isOwnAsset) return before.amount;
  const total = before.amount + before.gasLimit * before.maxFeePerGas;
  return amount(total - before.gasLimit * offer.maxFeePerGas);
}
