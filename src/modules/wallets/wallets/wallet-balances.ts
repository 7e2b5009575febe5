import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { amount, type Amount } from '../../../domain/money/amount.js';
import { CoreService } from '../../../core/core.service.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';

/** What an account has of one asset. */
export interface WalletBalance {
  readonly asset: string;
  readonly available: Amount;
  readonly held: Amount;
}

interface BalanceRow {
  readonly account_id: string;
  readonly asset: string;
  readonly available: string;
  readonly held: string;
}

/** Reads what the core has committed of wallets' accounts. */
@Injectable()
export class WalletBalances {
  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** The balances by account, each in order of the assets; an account without any has no entry. */
  async of(accountIds: readonly string[]): Promise<ReadonlyMap<string, readonly WalletBalance[]>> {
    if (accountIds.length === 0) return new Map();
    await this.core.projected();
    const { rows } = await this.pool.query<BalanceRow>(
      'SELECT account_id, asset, available, held FROM balances WHERE account_id = ANY($1::bigint[]) ORDER BY account_id, asset',
      [accountIds],
    );
    const byAccount = new Map<string, WalletBalance[]>();
    for (const { account_id, asset, available, held } of rows) {
      const balances = byAccount.get(account_id) ?? [];
      balances.push({ asset, available: amount(BigInt(available)), held: amount(BigInt(held)) });
      byAccount.set(account_id, balances);
    }
    return byAccount;
  }
}
