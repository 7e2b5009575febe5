import { Injectable } from '@nestjs/common';
import type { Amount } from '../../../domain/money/amount.js';
import type { ChainConnector, FeeMarket, FeeOffer, ChainPayment } from '../chains/chain-connector.js';
import { ThrottledLog } from './throttled-log.js';
import { ChainSteps, type OutgoingTransfer } from '../transfers/chain-steps.service.js';
import type { HotBalances } from './hot-balances.js';
import type { KnownChain } from './hot-wallets.js';
import type { MinedSend } from './send-rows.js';
import { SentTransactions } from './sent-transactions.service.js';

const TRANSFERS_PER_ROUND = 50;

/** Customers' transfers, sent from the hot wallet. */
@Injectable()
export class TransferSender {
  private readonly quiet = new ThrottledLog();
  /** The last logged state of each transfer, so that only changes are logged. */
  private readonly reported = new Map<string, string>();

  constructor(
    private readonly transactions: SentTransactions,
    private readonly transfers: ChainSteps,
  ) {}

  /**
   * Signs pending transfers, oldest first, as far as the hot wallet's balance allows; signed ones are in the database
   * and sent with all others. A transfer that the hot wallet cannot afford blocks younger ones of its asset, so that
   * large ones do not wait for ever.
   */
  async step(
    connector: ChainConnector,
    known: KnownChain,
    market: FeeMarket,
    balances: HotBalances,
  ): Promise<void> {
    const heldBack = new Set<string>();
    for (const transfer of await this.transfers.waiting(known.chain, TRANSFERS_PER_ROUND)) {
      if (heldBack.has(transfer.asset)) continue;
      const { transferId } = transfer;
      await this.quiet.unlessChainFails({ transfer: transferId }, async () => {
        if (!(await this.begin(connector, known, market, balances, transfer))) heldBack.add(transfer.asset);
      });
    }
  }

  /** False where it has to wait. */
  private async begin(
    connector: ChainConnector,
    known: KnownChain,
    market: FeeMarket,
    balances: HotBalances,
    transfer: OutgoingTransfer,
  ): Promise<boolean> {
    const payment: ChainPayment = { ...transfer, from: known.hotAddress };
    if (!balances.covers(payment.asset, payment.amount)) return false;
    const gasLimit = await connector.gasLimit(payment);
    if (gasLimit === null || gasLimit * market.likelyFeePerGas > transfer.feeHeld) {
      return this.refuse(connector, transfer, gasLimit);
    }
    const offer = withinHeld(market.offer, transfer.feeHeld / gasLimit);
    if (!balances.take(payment, gasLimit * offer.maxFeePerGas)) return false;

    const sender = { chain: known.chain, address: known.hotAddress, addressId: null };
    const reference = transfer.transferId;
    await this.transactions.create(
      connector,
      { kind: 'transfer', reference, sender, payment, gasLimit, offer },
      (txHash, manager) => this.transfers.begin(transfer, txHash, manager),
    );
    return true;
  }

  /** A recipient that cannot be paid fails; a market that asks more than was put aside is waited for. */
  private async refuse(
    connector: ChainConnector,
    transfer: OutgoingTransfer,
    gasLimit: bigint | null,
  ): Promise<boolean> {
    if (gasLimit === null) {
      await this.transfers.fail(transfer.transferId, 'recipient_refuses');
      return true;
    }
    if (gasLimit > 2n * connector.usualGasLimit(transfer.asset)) {
      await this.transfers.fail(transfer.transferId, 'gas_above_fee');
      return true;
    }
    this.quiet.warn({ transfer: transfer.transferId }, 'gas costs more than was put aside; waiting');
    return true;
  }

  async noteMined({ send, candidate }: MinedSend, confirmations: number): Promise<void> {
    const report = `${candidate.txHash} ${confirmations}`;
    if (this.reported.get(send.reference) === report) return;
    this.reported.set(send.reference, report);
    await this.transfers.confirming(send.reference, candidate.txHash, confirmations);
  }

  /** Ends the transfer; answers how much of its gas is beyond what was put aside for it. */
  async settle({ send, candidate, inclusion }: MinedSend, confirmations: number): Promise<Amount> {
    const { succeeded, feePaid } = inclusion;
    this.reported.delete(send.reference);
    if (!succeeded) return this.transfers.fail(send.reference, 'reverted', feePaid);
    return this.transfers.complete(send.reference, { txHash: candidate.txHash, feePaid, confirmations });
  }
}

function withinHeld(offer: FeeOffer, most: bigint): FeeOffer {
  const maxFeePerGas = offer.maxFeePerGas < most ? offer.maxFeePerGas : most;
  const { maxPriorityFeePerGas } = offer;
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: maxPriorityFeePerGas < maxFeePerGas ? maxPriorityFeePerGas : maxFeePerGas,
  };
}
