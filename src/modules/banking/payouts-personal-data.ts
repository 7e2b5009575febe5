import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { everyItem } from '../../kit/personal-data/pages.js';
import type { DataOwner, PersonalErasure, PersonalSection } from '../../kit/personal-data/personal-data.js';
import { SecretBox } from '../../kit/vault/secret-box.js';
import { PayoutAccountsService } from './payout-accounts/payout-accounts.service.js';
import { PayoutsService } from './payouts/payouts.service.js';

/**
 * Exports bank accounts as the API shows them, and payouts. Whom money was paid to is kept as long as KYC records are;
 * then the accounts and the owners' own words are erased, and amounts, times and states stay.
 */
@Injectable()
export class PayoutsPersonalData {
  readonly sections: readonly PersonalSection[];
  readonly erasures: readonly PersonalErasure[];

  constructor(
    accounts: PayoutAccountsService,
    payouts: PayoutsService,
    private readonly box: SecretBox,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    this.sections = [
      {
        name: 'payout_accounts',
        holds: 'your bank accounts; of their numbers the last four digits',
        rows: ({ principal }) => everyItem((page) => accounts.list(principal, page)),
      },
      {
        name: 'payouts',
        holds: 'every payout to them',
        rows: ({ principal }) => everyItem((page) => payouts.list(principal, page)),
      },
    ];
    this.erasures = [
      {
        name: 'payouts',
        due: 'retention',
        erase: (owner) => this.dataSource.transaction((manager) => this.erase(manager, owner)),
      },
    ];
  }

  /** Rejects while a payout is on its way, which may come back and needs its account. */
  private async erase(manager: EntityManager, { key }: DataOwner): Promise<void> {
    const open = await manager.query<unknown[]>(
      `SELECT FROM payouts WHERE owner = $1
         AND status IN ('pending_approval', 'pending', 'processing', 'in_transit') LIMIT 1`,
      [key],
    );
    if (open.length > 0) throw new Error(`${key} has payouts that are under way`);
    const accounts = await manager.query<{ readonly sealed_payee: Buffer }[]>(
      `SELECT sealed_payee FROM payout_accounts WHERE owner = $1 AND sealed_payee <> '' FOR UPDATE`,
      [key],
    );
    for (const { sealed_payee: sealed } of accounts) await this.box.discard(sealed, manager);
    await manager.query(
      `UPDATE payout_accounts SET status = 'deleted', deleted_at = coalesce(deleted_at, now()),
         sealed_payee = '', fingerprint = '', last4 = '', bic = NULL
       WHERE owner = $1`,
      [key],
    );
    await manager.query('UPDATE payouts SET reference = NULL WHERE owner = $1 AND reference IS NOT NULL', [
      key,
    ]);
  }
}
