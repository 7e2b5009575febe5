import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import type { FieldChanges } from '../../domain/fields.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { StoredFields } from '../../kit/fields/stored-fields.js';
import { isInPerson, type Principal } from '../../kit/security/principal.js';
import { loginRequired } from '../users/user-access.js';
import { AccountAccessService } from './access/account-access.service.js';
import {
  type AccountDto,
  fieldsIdOf,
  type ReachedAccountDto,
  toAccountDto,
  toReachedAccountDto,
} from './account.dto.js';
import { ACCOUNT_IDS } from './ids.js';

/** What plugins keep with accounts. The ledger knows nothing of it. */
@Injectable()
export class AccountFields {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly fields: StoredFields,
    private readonly audit: AuditLog,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** For an operator whose act is audited as a whole. */
  write(accountId: number, fields: FieldChanges): Promise<void> {
    return this.fields.change(this.dataSource.manager, 'accounts', `${accountId}`, fields, 'operators');
  }

  /**
   * For the owner of a trading account. Throws `forbidden` (403) for what is no session, and `account_not_found` (404)
   * for what is no account of the caller's own.
   */
  async change(
    principal: Principal,
    account: string,
    fields: FieldChanges | undefined,
  ): Promise<ReachedAccountDto> {
    if (!isInPerson(principal)) throw loginRequired();
    const accountId = await this.access.ownTradingAccountId(principal, account);
    await this.fields.change(this.dataSource.manager, 'accounts', `${accountId}`, fields, 'owner');
    const reached = { account: (await this.core.account(accountId))!, role: 'owner' } as const;
    const [shown] = await this.shown([toReachedAccountDto(reached, principal)]);
    return shown!;
  }

  /** For operators, with the names of what is changed in the audit log. Throws `account_not_found` (404). */
  async changeAny(account: string, fields: FieldChanges = {}): Promise<AccountDto> {
    const { accountId } = await this.access.customerAccount(account);
    const target = { type: 'account', id: ACCOUNT_IDS.format(accountId) } as const;
    await this.dataSource.transaction(async (manager) => {
      await this.fields.change(manager, 'accounts', `${accountId}`, fields, 'operators');
      await this.audit.record(manager, { target, details: { changed: Object.keys(fields) } });
    });
    return this.forOperators(accountId);
  }

  /** As operators see it. */
  async forOperators(accountId: number): Promise<AccountDto> {
    const answer = toAccountDto((await this.core.account(accountId))!);
    return (await this.fields.shownWith('accounts', [answer], fieldsIdOf, 'operators'))[0]!;
  }

  /** As those who have a role on them see them. */
  shown<Answer extends AccountDto>(answers: readonly Answer[]): Promise<Answer[]> {
    return this.fields.shownWith('accounts', answers, fieldsIdOf);
  }
}
