import { Injectable } from '@nestjs/common';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { AccountFields } from '../account-fields.service.js';
import type { AccountDto } from '../account.dto.js';
import { idempotencyOf } from '../commands/idempotency.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { AccountOpener } from '../opening/account-opener.js';
import { AccountOwners, CLIENT_PREFIX } from '../owners/account-owners.service.js';
import type { OpenAccountDto } from './account-operations.dto.js';

/** Accounts that operators open for others. */
@Injectable()
export class AccountOperationsService {
  constructor(
    private readonly accounts: AccountFields,
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
    // A repeat writes them once more: a process may have died before the first time.
    if (body.fields !== undefined) await this.accounts.write(accountId, body.fields);
    return { body: await this.accounts.forOperators(accountId), replayed };
  }
}

/** The account has no id yet: the act is about who gets it. */
function targetOf(owner: string): AuditTarget {
  return owner.startsWith(CLIENT_PREFIX)
    ? { type: 'client', id: owner.slice(CLIENT_PREFIX.length) }
    : { type: 'user', id: owner };
}
