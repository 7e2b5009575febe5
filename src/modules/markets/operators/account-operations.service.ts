import { Injectable } from '@nestjs/common';
import type { AuditTarget } from '../../../platform/audit/audit-entry.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { CoreService } from '../../../core/core.service.js';
import { ApiError } from '../../../platform/http/errors.js';
import { actorOf, type Principal } from '../../../platform/security/principal.js';
import { OAuthClientsService } from '../../auth/clients/oauth-clients.service.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { type AccountDto, toAccountDto } from '../accounts/account.dto.js';
import { idempotencyOf } from '../../core-access/idempotency.js';
import { resultOf } from '../../core-access/outcome.js';
import type { Replayable } from '../../../platform/http/idempotency/replay.js';
import type { OpenAccountDto } from './account-operations.dto.js';

const CLIENT_PREFIX = 'client:';

/** Accounts that operators open for others. */
@Injectable()
export class AccountOperationsService {
  constructor(
    private readonly core: CoreService,
    private readonly users: UsersService,
    private readonly clients: OAuthClientsService,
    private readonly audit: AuditLog,
  ) {}

  /** Throws `not_found` if there is no such owner. */
  async openAccount(
    principal: Principal,
    body: OpenAccountDto,
    key: string | undefined,
  ): Promise<Replayable<AccountDto>> {
    const owner = await this.ownerOf(body.owner);
    const { outcomes, replayed } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'trading', name: body.name, owner }],
      idempotency: idempotencyOf(principal, key, '/admin/accounts', body),
      actor: actorOf(principal),
      audit: this.audit.entryFor({ target: targetOf(body.owner), details: { name: body.name } }),
    });
    const account = await this.core.account(resultOf(outcomes[0], 'account').accountId);
    return { body: toAccountDto(account!), replayed: replayed[0]! };
  }

  private async ownerOf(text: string): Promise<string> {
    if (text.startsWith(CLIENT_PREFIX)) {
      const client = await this.clients.find(text.slice(CLIENT_PREFIX.length));
      if (client !== null) return client.accountOwner;
    } else {
      const user = await this.users.findByUsername(text);
      if (user !== null) return principalKeyOf(user);
    }
    throw new ApiError(
      'not_found',
      'There is no such owner. Name a user, or a client as client:<client_id>.',
    );
  }
}

/** The account has no id yet: the act is about who gets it. */
function targetOf(owner: string): AuditTarget {
  return owner.startsWith(CLIENT_PREFIX)
    ? { type: 'client', id: owner.slice(CLIENT_PREFIX.length) }
    : { type: 'user', id: owner };
}
