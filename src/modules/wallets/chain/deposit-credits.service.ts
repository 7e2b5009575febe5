import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { amount } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import { isClosedSql } from '../../users/closed-owners.js';
import { ChainSteps } from '../transfers/chain-steps.service.js';
import { depositRulesOf, ruleArrays } from './deposit-rules.js';
import { HouseAccounts } from './house-accounts.js';
import type { KnownChain } from './hot-wallets.js';
import { ThrottledLog } from './throttled-log.js';

const DEPOSITS_PER_ROUND = 100;

interface DepositRow {
  readonly deposit_id: string;
  readonly tx_hash: string;
  readonly position: number;
  readonly asset: string;
  readonly amount: string;
  readonly source: string;
  readonly address: string;
  readonly address_id: string | null;
  readonly block_number: string;
  readonly status: 'seen' | 'crediting';
}

interface WalletRow {
  readonly wallet_id: string;
  readonly account_id: string;
}

/**
 * Credits deposits whose blocks are final. First it is recorded that one is being credited, under a lock on
 * its address that signing takes too; then the core is told, once for each deposit however often that is
 * repeated. From the record on, its address signs nothing until it is swept. A deposit to an address that has
 * signed before is credited only then, since what was signed might move it.
 */
@Injectable()
export class DepositCredits {
  private readonly quiet = new ThrottledLog();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly core: CoreService,
    private readonly transfers: ChainSteps,
    private readonly house: HouseAccounts,
  ) {}

  /** Credits a bounded number; those that cannot be are tried again after all others. */
  async step(connector: ChainConnector, known: KnownChain): Promise<void> {
    const deposits = await this.due(connector, known);
    for (const deposit of deposits) {
      const { deposit_id } = deposit;
      await this.quiet.unlessChainFails({ deposit: deposit_id }, async () => {
        // Whatever becomes of it, others have their turn before it has another.
        await this.database.query('UPDATE chain_deposits SET updated_at = now() WHERE deposit_id = $1', [
          deposit_id,
        ]);
        if (deposit.status === 'crediting' || (await this.begin(deposit))) await this.credit(known, deposit);
      });
    }
  }

  /**
   * Final deposits of assets that the ledger has, where enough of one lies on an address. One with more decimals than
   * its asset would be refused, so it only waits; so does one of a closed owner, who could not reach it. `Deposits` tells
   * which do, and why.
   */
  private due(connector: ChainConnector, known: KnownChain): Promise<DepositRow[]> {
    const lastFinal = known.scannedBlock - connector.confirmations + 1;
    return this.database.query<DepositRow[]>(
      `SELECT * FROM (
         SELECT d.deposit_id, d.tx_hash, d.position, d.asset, d.amount, d.source, d.address, d.address_id,
           d.block_number, d.status, d.updated_at, r.minimum,
           sum(d.amount) OVER (PARTITION BY d.address_id, d.asset) AS together
         FROM chain_deposits d JOIN unnest($3::text[], $4::numeric[], $5::numeric[]) AS r (asset, minimum, step)
           ON r.asset = d.asset AND d.amount % r.step = 0
         LEFT JOIN wallet_addresses a ON a.address_id = d.address_id
         LEFT JOIN wallets w ON w.wallet_id = a.wallet_id
         WHERE d.chain = $1 AND NOT d.orphaned AND d.block_number <= $2 AND d.status IN ('seen', 'crediting')
           AND (d.status = 'crediting' OR NOT ${isClosedSql('w.owner')})
       ) AS final
       WHERE status = 'crediting' OR address_id IS NULL OR together >= minimum
       ORDER BY updated_at, deposit_id LIMIT $6`,
      [known.chain, lastFinal, ...ruleArrays(depositRulesOf(connector, this.core)), DEPOSITS_PER_ROUND],
    );
  }

  /** Decides whether the deposit is credited now or after its sweep; true for now. */
  private begin(deposit: DepositRow): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const [address] = await manager.query<{ signed_at: Date | null }[]>(
        'SELECT signed_at FROM wallet_addresses WHERE address_id = $1 FOR UPDATE',
        [deposit.address_id],
      );
      const hasSigned = address !== undefined && address.signed_at !== null;
      await manager.query(
        `UPDATE chain_deposits SET status = $2, swept = (address_id IS NULL), updated_at = now()
         WHERE deposit_id = $1 AND status = 'seen'`,
        [deposit.deposit_id, hasSigned ? 'awaiting_sweep' : 'crediting'],
      );
      return !hasSigned;
    });
  }

  private async credit(known: KnownChain, deposit: DepositRow): Promise<void> {
    const { chain, houseAccountId } = known;
    const units = amount(BigInt(deposit.amount));
    if (deposit.address_id === null) {
      const reference = `${deposit.tx_hash}:${deposit.position}`;
      await this.house.deposit(chain, houseAccountId, deposit.asset, units, reference);
    } else {
      const wallet = await this.walletOf(deposit.address_id);
      await this.transfers.creditDeposit({
        chain,
        walletId: wallet.wallet_id,
        accountId: Number(wallet.account_id),
        asset: deposit.asset,
        amount: units,
        txHash: deposit.tx_hash,
        index: deposit.position,
        from: deposit.source,
        to: deposit.address,
        confirmations: known.scannedBlock - Number(deposit.block_number) + 1,
      });
    }
    await this.database.query(
      `UPDATE chain_deposits SET status = 'credited', updated_at = now() WHERE deposit_id = $1`,
      [deposit.deposit_id],
    );
  }

  private async walletOf(addressId: string): Promise<WalletRow> {
    const [wallet] = await this.database.query<WalletRow[]>(
      `SELECT w.wallet_id, w.account_id FROM wallet_addresses a JOIN wallets w ON w.wallet_id = a.wallet_id
       WHERE a.address_id = $1`,
      [addressId],
    );
    return wallet!;
  }
}
