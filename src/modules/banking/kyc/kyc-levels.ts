import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { KycPersonEntity } from './kyc-case.entity.js';

/** Whose keys the commands are in the core. */
const KEYS_OWNER = 'kyc';
const OWNERS_AT_ONCE_MAX = 100;
const ACCOUNTS_AT_ONCE_MAX = 100;

interface AccountRow {
  readonly account_id: string;
}

interface NewAccountRow extends AccountRow {
  readonly owner: string;
}

/**
 * Sets the KYC level of each owner on all of the owner's accounts in the core. The person's row is committed first;
 * then the core gets one command for each account and change, under a key made from both. If the process dies in
 * between, the sweep sends the rest, also for accounts that are opened later.
 */
@Injectable()
export class KycLevels {
  private readonly logger = new Logger('KycLevels');
  /** Accounts up to this one have been looked at; ids only grow. */
  private lastAccountId = '0';

  constructor(
    private readonly core: CoreService,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Tells the core now; where it cannot be asked, the sweep will. */
  async applyOrLeave(owner: string): Promise<void> {
    try {
      await this.apply(owner);
    } catch (error) {
      this.logger.warn({ err: error, owner, msg: 'a KYC level waits for the core' });
    }
  }

  /** Does what is left to do; tells for how many owners. */
  async sweep(): Promise<number> {
    const owners = new Set([...(await this.ownersDue()), ...(await this.ownersOfNewAccounts())]);
    for (const owner of owners) await this.applyOrLeave(owner);
    return owners.size;
  }

  /**
   * Gives all accounts of the owner the level that the person has. The person stays locked meanwhile, so
   * that no older level can arrive after a newer one.
   */
  private async apply(owner: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const person = await manager.findOne(KycPersonEntity, {
        where: { owner },
        lock: { mode: 'pessimistic_write' },
      });
      if (person === null) return;
      for (;;) {
        const accounts = await this.accountsWithAnother(manager, person);
        await Promise.all(accounts.map(({ account_id }) => this.setLevel(account_id, person)));
        if (accounts.length < ACCOUNTS_AT_ONCE_MAX) break;
      }
      await manager.update(KycPersonEntity, { owner }, { appliedChanges: person.levelChanges });
    });
  }

  private accountsWithAnother(
    manager: EntityManager,
    { owner, level }: KycPersonEntity,
  ): Promise<AccountRow[]> {
    return manager.query<AccountRow[]>(
      `SELECT account_id FROM accounts WHERE owner = $1 AND kyc_level <> $2
       ORDER BY account_id LIMIT ${ACCOUNTS_AT_ONCE_MAX}`,
      [owner, level],
    );
  }

  private async setLevel(accountId: string, { level, levelChanges }: KycPersonEntity): Promise<void> {
    const { outcomes, replayed } = await this.core.submit({
      commands: [{ type: 'set_kyc_level', accountId: Number(accountId), level }],
      idempotency: {
        owner: KEYS_OWNER,
        key: `${accountId}:${levelChanges}`,
        fingerprint: String(level),
        keptForGood: true,
      },
    });
    resultOf(outcomes[0], 'done');
    // The command was already applied, but the account has another level: something else has set it.
    if (replayed[0]) throw new Error(`account ${accountId} does not keep the KYC level of its owner`);
  }

  private async ownersDue(): Promise<readonly string[]> {
    const rows = await this.dataSource.query<{ readonly owner: string }[]>(
      `SELECT owner FROM kyc_persons WHERE applied_changes <> level_changes LIMIT ${OWNERS_AT_ONCE_MAX}`,
    );
    return rows.map(({ owner }) => owner);
  }

  /** Owners who have opened accounts since the last look; at the first look, all whose accounts are behind. */
  private async ownersOfNewAccounts(): Promise<readonly string[]> {
    const [newest] = await this.dataSource.query<[{ readonly account_id: string }]>(
      'SELECT coalesce(max(account_id), 0) AS account_id FROM accounts',
    );
    const rows = await this.dataSource.query<NewAccountRow[]>(
      `SELECT accounts.account_id, owner FROM accounts JOIN kyc_persons USING (owner)
       WHERE account_id > $1 AND account_id <= $2 AND kyc_level <> level
       ORDER BY account_id LIMIT ${OWNERS_AT_ONCE_MAX}`,
      [this.lastAccountId, newest.account_id],
    );
    const isAll = rows.length < OWNERS_AT_ONCE_MAX;
    this.lastAccountId = isAll ? newest.account_id : rows.at(-1)!.account_id;
    return rows.map(({ owner }) => owner);
  }
}
