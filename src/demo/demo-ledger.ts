import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../core/core.service.js';
import type { CoreRequest } from '../core/core.types.js';
import type { MoveMoney, RefusalCode } from '../domain/engine/commands.js';
import { clientKeyOf } from '../modules/auth/clients/oauth-clients.service.js';
import { AccountOpener } from '../modules/users/account-opener.js';
import { ApiError } from '../platform/http/errors.js';
import { DEMO_ASSETS, DEMO_BALANCES, DEMO_CLIENTS, DEMO_FUNDED_CLIENTS, DEMO_MARKETS } from './demo-data.js';

const RAIL = 'demo';
const REFERENCE = 'demo-seed';

/** The core's part of the demo data. Each step is idempotent: existing data stays unchanged. */
@Injectable()
export class DemoLedger {
  constructor(
    private readonly core: CoreService,
    private readonly accounts: AccountOpener,
    @InjectDataSource() private readonly database: DataSource,
  ) {}

  async seed(): Promise<void> {
    await this.submit({ commands: DEMO_ASSETS }, 'asset_exists');
    const accountIds = new Map<string, number>();
    for (const { clientId, name } of DEMO_CLIENTS) {
      accountIds.set(clientId, await this.accounts.ensure(clientKeyOf(clientId), name));
    }
    for (const clientId of DEMO_FUNDED_CLIENTS) await this.fund(clientId, accountIds.get(clientId) as number);
    await this.submit({ commands: DEMO_MARKETS }, 'market_exists');
  }

  /**
   * All deposits of an account in one request, so that they are made together or not at all. The key
   * keeps two starts at the same time apart; keys do not live for ever, so the ledger is asked as well.
   */
  private async fund(clientId: string, accountId: number): Promise<void> {
    if (await this.isFunded(accountId)) return;
    const commands = DEMO_BALANCES.map(({ asset, amount }): MoveMoney => ({
      type: 'move_money',
      debit: { rail: RAIL },
      credit: { accountId },
      asset,
      amount,
      reason: 'deposit',
      reference: REFERENCE,
    }));
    const key = `deposits of ${clientId}`;
    await this.submit({ commands, idempotency: { owner: 'system:demo', key, fingerprint: key } });
  }

  private async isFunded(accountId: number): Promise<boolean> {
    await this.core.projected();
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 FROM transfers WHERE credit_account_id = $1 AND reason = 'deposit' AND reference = $2 LIMIT 1`,
      [accountId, REFERENCE],
    );
    return rows.length > 0;
  }

  /** Throws the first refusal other than the one that says that the work was done before. */
  private async submit(request: CoreRequest, doneBefore?: RefusalCode): Promise<void> {
    const { outcomes } = await this.core.submit(request);
    for (const outcome of outcomes) {
      if (!outcome.ok && outcome.refusal.code !== doneBefore) throw ApiError.fromRefusal(outcome.refusal);
    }
  }
}
