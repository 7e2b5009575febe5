import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import type { MoveMoney } from '../../../domain/engine/commands.js';
import { amount, formatAmount, type Amount } from '../../../domain/money/amount.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';

/** Keys of the house's own commands among the core's, which keeps them for good. */
const KEY_OWNER = 'system:chain';

/**
 * The house's account of each chain, `house:<chain>`. What operators send to the hot wallet is deposited in
 * it, and it pays for all gas that no customer pays for. So what is on the chain always equals what the
 * ledger's rail of that chain owes.
 */
@Injectable()
export class HouseAccounts {
  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Opens the account unless it exists; returns its id. */
  async open(chain: string): Promise<number> {
    const name = `house:${chain}`;
    const { outcomes } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'wallet', name, owner: null }],
      idempotency: { owner: KEY_OWNER, key: name, fingerprint: name, keptForGood: true },
    });
    return resultOf(outcomes[0], 'account').accountId;
  }

  async available(accountId: number, asset: string): Promise<Amount> {
    await this.core.projected();
    const { rows } = await this.pool.query<{ available: string }>(
      'SELECT available FROM balances WHERE account_id = $1 AND asset = $2',
      [accountId, asset],
    );
    return amount(BigInt(rows[0]?.available ?? 0));
  }

  /** Deposits what arrived at the hot wallet; once for each `reference`. */
  async deposit(
    chain: string,
    accountId: number,
    asset: string,
    units: Amount,
    reference: string,
  ): Promise<void> {
    await this.move(`deposit:${chain}:${reference}`, {
      type: 'move_money',
      debit: { rail: chain },
      credit: { accountId },
      asset,
      amount: formatAmount(units),
      reason: 'deposit',
      reference,
    });
  }

  /** Pays gas that the chain has taken; once for each send. Throws `insufficient_funds` where the house is short. */
  async payGas(
    chain: string,
    accountId: number,
    asset: string,
    units: Amount,
    sendId: string,
  ): Promise<void> {
    await this.move(`gas:${chain}:${sendId}`, {
      type: 'move_money',
      debit: { accountId },
      credit: { rail: chain },
      asset,
      amount: formatAmount(units),
      reason: 'withdrawal',
      reference: `gas of send ${sendId}`,
    });
  }

  private async move(key: string, command: MoveMoney): Promise<void> {
    const { outcomes } = await this.core.submit({
      commands: [command],
      idempotency: { owner: KEY_OWNER, key, fingerprint: key, keptForGood: true },
    });
    resultOf(outcomes[0], 'transfer');
  }
}
