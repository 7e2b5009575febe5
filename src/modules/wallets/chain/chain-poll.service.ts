import { Injectable } from '@nestjs/common';
import type { ChainConnector, FeeMarket } from '../chains/chain-connector.js';
import { ChainSteps } from '../transfers/chain-steps.service.js';
import { DepositCredits } from './deposit-credits.service.js';
import { DepositScan } from './deposit-scan.service.js';
import { HotBalances } from './hot-balances.js';
import { HotWallets, type KnownChain } from './hot-wallets.js';
import { HouseGas } from './house-gas.service.js';
import { InternalTransactions } from './internal-transactions.service.js';
import { ThrottledLog } from './throttled-log.js';
import { findMined, type Send } from './send-rows.js';
import { LIVE_SENDS_MAX, SentTransactions } from './sent-transactions.service.js';
import { Sweeps } from './sweeps.service.js';
import { TransferSender } from './transfer-sender.service.js';

/** After a long outage the scan catches up over many polls, so that other work continues in between. */
const SCAN_STEPS_PER_POLL = 20;

/** Polls a chain once, and does all that is due there. Every step may be cut off anywhere and done again. */
@Injectable()
export class ChainPoll {
  private readonly quiet = new ThrottledLog();
  /** Chains whose node was found to be on the right network, and has answered ever since. */
  private readonly trusted = new Set<string>();

  constructor(
    private readonly hotWallets: HotWallets,
    private readonly scan: DepositScan,
    private readonly internalTransactions: InternalTransactions,
    private readonly credits: DepositCredits,
    private readonly sweeps: Sweeps,
    private readonly transferSender: TransferSender,
    private readonly transactions: SentTransactions,
    private readonly transfers: ChainSteps,
    private readonly houseGas: HouseGas,
  ) {}

  /**
   * Rejects with `ChainUnavailable` or `ChainMoved` as the connector does; the next poll continues. Rejects with the
   * signal's reason between two steps once it is aborted.
   */
  async run(connector: ChainConnector, signal: AbortSignal): Promise<void> {
    const { chain } = connector;
    try {
      await this.look(connector, signal);
      this.trusted.add(chain);
    } catch (error) {
      this.trusted.delete(chain);
      throw error;
    }
  }

  private async look(connector: ChainConnector, signal: AbortSignal): Promise<void> {
    const { chain } = connector;
    const found = this.trusted.has(chain) ? await this.hotWallets.find(chain) : undefined;
    const opened = found ?? (await this.hotWallets.open(connector));
    const head = await connector.head();
    const market = await connector.feeMarket();
    for (let step = 0; step < SCAN_STEPS_PER_POLL; step++) {
      signal.throwIfAborted();
      if (!(await this.scan.step(connector, opened, head))) break;
    }
    const known = await this.hotWallets.noteLook(chain, head, market.offer.maxFeePerGas);
    await this.internalTransactions.step(connector, known);
    await this.credits.step(connector, known);
    signal.throwIfAborted();
    const live = await this.transactions.live(chain);
    // Beyond this number, transactions would not be checked before older ones have settled.
    if (live.length < LIVE_SENDS_MAX) {
      const balances = await HotBalances.read(connector, known.hotAddress, live);
      await this.sweeps.step(connector, known, market, balances);
      await this.transferSender.step(connector, known, market, balances);
    }
    for (const send of await this.transactions.live(chain)) {
      signal.throwIfAborted();
      await this.quiet.unlessChainFails({ send: send.sendId }, () =>
        this.follow(connector, known, market, send),
      );
    }
    await this.houseGas.book(connector, known);
  }

  /** A send that is in a block is counted up to the end; one that is not is seen to. */
  private async follow(
    connector: ChainConnector,
    known: KnownChain,
    market: FeeMarket,
    send: Send,
  ): Promise<void> {
    const isTransfer = send.kind === 'transfer';
    const mined = await findMined(connector, send);
    if (mined === null) {
      await this.transactions.push(connector, send, market, async (txHash, manager) => {
        if (isTransfer) await this.transfers.broadcasting(send.reference, txHash, manager);
      });
      return;
    }
    await this.transactions.noteMined(mined);
    // Blocks that were not read yet do not count, so that the books are never ahead of the cursor.
    const confirmations = Math.max(0, known.scannedBlock - mined.inclusion.blockNumber + 1);
    if (isTransfer) await this.transferSender.noteMined(mined, confirmations);
    if (confirmations < connector.confirmations) return;
    const houseFee = isTransfer
      ? await this.transferSender.settle(mined, confirmations)
      : await this.sweeps.settle(mined);
    await this.transactions.settle(send, houseFee);
  }
}
