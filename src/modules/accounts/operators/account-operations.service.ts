import { Injectable } from '@nestjs/common';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CoreService } from '../../../core/core.service.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { type AccountDto, toAccountDto } from '../account.dto.js';
import { idempotencyOf } from '../commands/idempotency.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { AccountOpener } from '../opening/account-opener.js';
import { AccountOwners, CLIENT_PREFIX } from '../owners/account-owners.service.js';
import type { OpenAccountDto } from './account-operations.dto.js';

/** Accounts that operators open for others. */
@Injectable()
export class AccountOperationsService {
  constructor(
    private readonly core: CoreService,
    private readonly owners: AccountOwners,
    private readonly opener: AccountOpener,
    private readonly audit: AuditLog,
  ) {}

  /** Throws `not_found` if there is no such owner. */
  async openAccount(
    principal: Principal,
    body: OpenAccountDto,
    key: string | undefined,
  ): Promise<Replayable<AccountDto>> {
    const owner = await this.owners.find(body.owner);
    const { accountId, replayed } = await this.opener.open(owner, body.name, {
      idempotency: idempotencyOf(principal, key, '/admin/accounts', body),
      actor: actorOf(principal),
      audit: this.audit.entryFor({ target: targetOf(body.owner), details: { name: body.name } }),
    });
    return { body: toAccountDto((await this.core.account(accountId))!), replayed };
  }
}

/** The account has no id yet: the act is about who gets it. */
function targetOf(owner: string): AuditTarget {
  return owner.startsWith(CLIENT_PREFIX)
    ? { type: 'client', id: owner.slice(CLIENT_PREFIX.length) }
    : { type: 'user', id: owner };
}
