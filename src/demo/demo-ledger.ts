import { errorOf } from '../modules/accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../core/core.service.js';
import type { CoreAnswer, CoreRequest } from '../core/core.types.js';
import type { MoveMoney, RefusalCode } from '../domain/engine/commands.js';
import { clientKeyOf } from '../modules/auth/clients/oauth-clients.service.js';
import { CreditGate } from '../modules/limits/credit-gate.js';
import { AccountOpener } from '../modules/accounts/opening/account-opener.js';
import {
  DEMO_ASSETS,
  DEMO_BALANCES,
  DEMO_CLIENTS,
  DEMO_FUNDED_CLIENTS,
  DEMO_MARKETS,
  DEMO_STAKE,
} from './demo-data.js';

/** Where the money of the demo data comes from. */
export const DEMO_RAIL = 'demo';
/** What the deposits of demo money refer to: each is made once for an account. */
const SEED = 'demo-seed';
const STAKE = 'demo-stake';

type Amounts = readonly { readonly asset: string; readonly amount: string }[];

/** The core's part of the demo data. Each step is idempotent: existing data stays unchanged. */
@Injectable()
export class DemoLedger {
  constructor(
    private readonly core: CoreService,
    private readonly accounts: AccountOpener,
    private readonly limits: CreditGate,
    @InjectDataSource() private readonly database: DataSource,
  ) {}

  async seed(): Promise<void> {
    await this.submit({ commands: DEMO_ASSETS }, 'asset_exists');
    const accountIds = new Map<string, number>();
    for (const { clientId, name } of DEMO_CLIENTS) {
      accountIds.set(clientId, await this.accounts.ensure(clientKeyOf(clientId), name));
    }
    for (const clientId of DEMO_FUNDED_CLIENTS) {
      await this.fund(accountIds.get(clientId) as number, SEED, DEMO_BALANCES);
    }
    await this.submit({ commands: DEMO_MARKETS }, 'market_exists');
  }

  /** Credits an account with the money that anybody may take; false where it has had it. */
  giveStake(accountId: number): Promise<boolean> {
    return this.fund(accountId, STAKE, DEMO_STAKE);
  }

  /** Whether an account has had that money. */
  hasStake(accountId: number): Promise<boolean> {
    return this.isFunded(accountId, STAKE);
  }

  /**
   * All deposits of an account in one request, so that they are made together or not at all. The key
   * keeps two of them at the same time apart; keys do not live for ever, so the ledger is asked as well.
   */
  private async fund(accountId: number, reference: string, amounts: Amounts): Promise<boolean> {
    if (await this.isFunded(accountId, reference)) return false;
    const commands = amounts.map(({ asset, amount }): MoveMoney => ({
      type: 'move_money',
      debit: { rail: DEMO_RAIL },
      credit: { accountId },
      asset,
      amount,
      reason: 'deposit',
      reference,
    }));
    const key = `${reference} of account ${accountId}`;
    const idempotency = { owner: 'system:demo', key, fingerprint: key };
    return wasNew(await this.limits.deposit(accountId, commands, { idempotency }));
  }

  private async isFunded(accountId: number, reference: string): Promise<boolean> {
    await this.core.projected();
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 FROM transfers WHERE credit_account_id = $1 AND reason = 'deposit' AND reference = $2 LIMIT 1`,
      [accountId, reference],
    );
    return rows.length > 0;
  }

  private async submit(request: CoreRequest, doneBefore: RefusalCode): Promise<void> {
    wasNew(await this.core.submit(request), doneBefore);
  }
}

/**
 * Throws the first refusal other than the one that says that the work was done before. False where it was done by
 * another request with the same key.
 */
function wasNew({ outcomes, isOfKey }: CoreAnswer, doneBefore?: RefusalCode): boolean {
  for (const outcome of outcomes) {
    if (!outcome.ok && outcome.refusal.code !== doneBefore) throw errorOf(outcome.refusal);
  }
  return isOfKey !== true;
}
