import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { amount, type Amount } from '../../../domain/money/amount.js';
import type { ChainConnector, FeeMarket, FeeOffer, ChainPayment } from '../chains/chain-connector.js';
import type { HotBalances } from './hot-balances.js';
import { HouseAccounts } from './house-accounts.js';
import type { KnownChain } from './hot-wallets.js';
import { ThrottledLog } from './throttled-log.js';
import type { Sender } from './sending-keys.js';
import type { MinedSend } from './send-rows.js';
import { SentTransactions } from './sent-transactions.service.js';

const SWEEPS_LIVE_MAX = 50;
/** The chain's own asset is left where it is while moving it might cost half of it. */
const WORTHWHILE_MULTIPLE = 2n;
/** What a token's sweep is given for gas may have to last for a replacement that offers more. */
const TOP_UP_MULTIPLE = 2n;
const FAILED_AGAIN_AFTER = '10 minutes';

interface SweepRow {
  readonly sweep_id: string;
  readonly address_id: string;
  readonly address: string;
  readonly asset: string;
  readonly amount: string;
  readonly status: 'planned' | 'topping_up' | 'sweeping';
}

interface UnsweptRow {
  readonly address_id: string;
  readonly address: string;
  readonly asset: string;
  readonly amount: string;
  readonly deposits: string[];
}

/**
 * Brings deposits from customers' addresses to the hot wallet. A sweep moves just what the deposits that it
 * was planned for brought, one sweep at a time for each address. Gas comes out of what is moved where that is
 * the chain's own asset; for a token the hot wallet first sends the address what is missing. Either way it is
 * the house that pays, once the sweep is final, so none begins while the house has nothing to pay with.
 */
@Injectable()
export class Sweeps {
  private readonly quiet = new ThrottledLog();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly transactions: SentTransactions,
    private readonly house: HouseAccounts,
  ) {}

  async step(
    connector: ChainConnector,
    known: KnownChain,
    market: FeeMarket,
    balances: HotBalances,
  ): Promise<void> {
    await this.plan(connector, known, market);
    const sweeps = await this.database.query<SweepRow[]>(
      `SELECT sweep_id, address_id, address, asset, amount, status FROM chain_sweeps
       WHERE chain = $1 AND status IN ('planned', 'topping_up') ORDER BY sweep_id`,
      [known.chain],
    );
    for (const sweep of sweeps) {
      await this.quiet.unlessChainFails({ sweep: sweep.sweep_id }, () =>
        this.advance(connector, known, market, balances, sweep),
      );
    }
  }

  /** The sweep's own transaction is final: the hot wallet has the money, and transfers that waited for it are due. */
  async settle({ send, inclusion }: MinedSend): Promise<Amount> {
    if (send.kind === 'sweep') {
      if (inclusion.succeeded) await this.finish(send.reference);
      else await this.giveUp(send.reference, 'it was reverted');
    }
    return inclusion.feePaid;
  }

  private async plan(connector: ChainConnector, known: KnownChain, market: FeeMarket): Promise<void> {
    const native = connector.assets[0]!.code;
    const unswept = await this.database.query<UnsweptRow[]>(
      `SELECT d.address_id, d.address, d.asset, sum(d.amount)::text AS amount, array_agg(d.deposit_id) AS deposits
       FROM chain_deposits d
       WHERE d.chain = $1 AND NOT d.swept AND NOT d.orphaned AND d.sweep_id IS NULL
         AND d.status IN ('awaiting_sweep', 'credited') AND d.sweep_after <= now()
         AND NOT EXISTS (SELECT 1 FROM chain_sweeps s
           WHERE s.chain = d.chain AND s.address = d.address AND s.status NOT IN ('done', 'failed'))
       GROUP BY d.address_id, d.address, d.asset
       HAVING d.asset <> $2 OR sum(d.amount) >= $3
       ORDER BY (d.asset = $2), min(d.deposit_id)
       LIMIT greatest(0, $4 - (SELECT count(*) FROM chain_sweeps s
         WHERE s.chain = $1 AND s.status NOT IN ('done', 'failed')))`,
      [
        known.chain,
        native,
        (WORTHWHILE_MULTIPLE * costOf(connector, native, market)).toString(),
        SWEEPS_LIVE_MAX,
      ],
    );
    let left: bigint = unswept.length === 0 ? 0n : await this.house.available(known.houseAccountId, native);
    const planned = new Set<string>();
    for (const row of unswept) {
      if (planned.has(row.address)) continue;
      left -= TOP_UP_MULTIPLE * costOf(connector, row.asset, market);
      if (left < 0n) {
        this.quiet.warn({ chain: known.chain }, 'the house cannot pay for sweeps: fund the hot wallet');
        return;
      }
      planned.add(row.address);
      await this.insert(known.chain, row);
    }
  }

  private async insert(chain: string, row: UnsweptRow): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [sweep] = await manager.query<{ sweep_id: string }[]>(
        `INSERT INTO chain_sweeps (chain, address_id, address, asset, amount, status)
         VALUES ($1, $2, $3, $4, $5, 'planned') RETURNING sweep_id`,
        [chain, row.address_id, row.address, row.asset, row.amount],
      );
      await manager.query('UPDATE chain_deposits SET sweep_id = $1 WHERE deposit_id = ANY($2)', [
        sweep!.sweep_id,
        row.deposits,
      ]);
    });
  }

  private async advance(
    connector: ChainConnector,
    known: KnownChain,
    market: FeeMarket,
    balances: HotBalances,
    sweep: SweepRow,
  ): Promise<void> {
    const sender: Sender = { chain: known.chain, address: sweep.address, addressId: sweep.address_id };
    const payment: ChainPayment = {
      asset: sweep.asset,
      from: sweep.address,
      to: known.hotAddress,
      amount: amount(BigInt(sweep.amount)),
    };
    const offer = exactly(market.likelyFeePerGas);
    const native = connector.assets[0]!.code;
    if (sweep.asset === native) {
      const gasLimit = connector.usualGasLimit(native);
      const rest = amount(payment.amount - gasLimit * offer.maxFeePerGas);
      if (rest > 0n) await this.send(connector, sweep, sender, { ...payment, amount: rest }, gasLimit, offer);
      return;
    }
    if (sweep.status === 'topping_up' && !(await this.isToppedUp(sweep.sweep_id))) return;
    const gasLimit = await connector.gasLimit(payment);
    if (gasLimit === null) {
      await this.giveUp(sweep.sweep_id, 'the token does not let its money go');
      return;
    }
    const missing = gasLimit * offer.maxFeePerGas - (await this.gasMoneyOn(sweep, native));
    if (missing <= 0n) await this.send(connector, sweep, sender, payment, gasLimit, offer);
    else if (sweep.status === 'planned') {
      await this.topUp(connector, known, market, balances, sweep, amount(TOP_UP_MULTIPLE * missing));
    } else {
      await this.giveUp(sweep.sweep_id, 'gas has become dearer than what the address was given lasts for');
    }
  }

  private async send(
    connector: ChainConnector,
    sweep: SweepRow,
    sender: Sender,
    payment: ChainPayment,
    gasLimit: bigint,
    offer: FeeOffer,
  ): Promise<void> {
    const order = { kind: 'sweep', reference: sweep.sweep_id, sender, payment, gasLimit, offer } as const;
    await this.transactions.create(connector, order, async (_txHash, manager) => {
      await manager.query(
        `UPDATE chain_sweeps SET status = 'sweeping', updated_at = now() WHERE sweep_id = $1`,
        [sweep.sweep_id],
      );
      return true;
    });
  }

  private async topUp(
    connector: ChainConnector,
    known: KnownChain,
    market: FeeMarket,
    balances: HotBalances,
    sweep: SweepRow,
    gasMoney: Amount,
  ): Promise<void> {
    const native = connector.assets[0]!.code;
    const payment: ChainPayment = {
      asset: native,
      from: known.hotAddress,
      to: sweep.address,
      amount: gasMoney,
    };
    const gasLimit = connector.usualGasLimit(native);
    if (!balances.take(payment, gasLimit * market.offer.maxFeePerGas)) return;
    const sender: Sender = { chain: known.chain, address: known.hotAddress, addressId: null };
    const order = {
      kind: 'top_up',
      reference: sweep.sweep_id,
      sender,
      payment,
      gasLimit,
      offer: market.offer,
    } as const;
    await this.transactions.create(connector, order, async (_txHash, manager) => {
      await manager.query(
        `UPDATE chain_sweeps SET status = 'topping_up', updated_at = now() WHERE sweep_id = $1`,
        [sweep.sweep_id],
      );
      return true;
    });
  }

  /**
   * The gas money on the address, in the native asset: what earlier token sweeps got, less what they spent. Everything
   * else there is a customer's, detected or not yet.
   */
  private async gasMoneyOn(sweep: SweepRow, native: string): Promise<bigint> {
    const [row] = await this.database.query<{ left: string }[]>(
      `SELECT (
         coalesce((SELECT sum(c.amount) FROM chain_sends s
             JOIN chain_candidates c ON c.chain = s.chain AND c.tx_hash = s.tx_hash
           WHERE s.chain = w.chain AND s.kind = 'top_up' AND s.recipient = w.address AND s.succeeded), 0)
         - coalesce((SELECT sum(s.fee_paid) FROM chain_sends s
           WHERE s.chain = w.chain AND s.sender = w.address AND s.asset <> $2), 0))::text AS left
       FROM chain_sweeps w WHERE w.sweep_id = $1`,
      [sweep.sweep_id, native],
    );
    return BigInt(row!.left);
  }

  /** Not before it is final: a sweep that is sent on money which vanishes would use up its nonce for nothing. */
  private async isToppedUp(sweepId: string): Promise<boolean> {
    return (await this.transactions.find('top_up', sweepId))?.status === 'settled';
  }

  private async finish(sweepId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query(
        `UPDATE chain_deposits SET swept = true, updated_at = now(),
           status = CASE WHEN status = 'awaiting_sweep' THEN 'crediting' ELSE status END
         WHERE sweep_id = $1`,
        [sweepId],
      );
      await manager.query(`UPDATE chain_sweeps SET status = 'done', updated_at = now() WHERE sweep_id = $1`, [
        sweepId,
      ]);
    });
  }

  /** The money stays where it is, and uncredited where it was; a new sweep is planned after a while. */
  private async giveUp(sweepId: string, reason: string): Promise<void> {
    this.quiet.error({ sweep: sweepId, reason }, 'a sweep failed; a new one is planned later');
    await this.database.transaction(async (manager) => {
      await manager.query(
        `UPDATE chain_deposits SET sweep_id = NULL, sweep_after = now() + $2::interval, updated_at = now()
         WHERE sweep_id = $1`,
        [sweepId, FAILED_AGAIN_AFTER],
      );
      await manager.query(
        `UPDATE chain_sweeps SET status = 'failed', updated_at = now() WHERE sweep_id = $1`,
        [sweepId],
      );
    });
  }
}

/** What a sweep probably costs, in the chain's own asset. */
function costOf(connector: ChainConnector, asset: string, market: FeeMarket): bigint {
  const native = connector.assets[0]!.code;
  const gas = asset === native ? 0n : connector.usualGasLimit(asset);
  return (gas + connector.usualGasLimit(native)) * market.likelyFeePerGas;
}

/** The whole offer goes to the block's producer, so that a sweep costs exactly what it leaves and no dust remains. */
function exactly(feePerGas: bigint): FeeOffer {
  return { maxFeePerGas: feePerGas, maxPriorityFeePerGas: feePerGas };
}
