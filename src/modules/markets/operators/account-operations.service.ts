import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { AccountRecord } from '../../../core/core.types.js';
import { parseId } from '../../../domain/ids.js';
import { ApiError } from '../../../platform/http/errors.js';
import type { Principal } from '../../../platform/security/principal.js';
import { OAuthClientsService } from '../../auth/clients/oauth-clients.service.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { accountNotFound } from '../../../core/access/account-access.service.js';
import { type AccountDto, toAccountDto } from '../accounts/account.dto.js';
import { idempotencyOf } from '../../../core/http/idempotency.js';
import { resultOf } from '../../../core/http/outcome.js';
import type { Replayable } from '../../../platform/http/idempotency/replay.js';
import {
  type DepositDto,
  type DepositedDto,
  type OpenAccountDto,
  toDepositedDto,
} from './account-operations.dto.js';

/** Where deposits by operators come from: an account of the outside world of their own. */
const OPERATOR_RAIL = 'operator';

const CLIENT_PREFIX = 'client:';

/** What operators do to accounts, whoever owns them. */
@Injectable()
export class AccountOperationsService {
  constructor(
    private readonly core: CoreService,
    private readonly users: UsersService,
    private readonly clients: OAuthClientsService,
  ) {}

  /** Throws `not_found` where there is no such owner. */
  async openAccount(
    principal: Principal,
    body: OpenAccountDto,
    key: string | undefined,
  ): Promise<Replayable<AccountDto>> {
    const owner = await this.ownerOf(body.owner);
    const { outcomes, replayed } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'trading', name: body.name, owner }],
      idempotency: idempotencyOf(principal, key, '/admin/accounts', body),
    });
    const account = await this.core.account(resultOf(outcomes[0], 'account').accountId);
    return { body: toAccountDto(account!), replayed: replayed[0]! };
  }

  /** Throws `account_not_found`, `asset_not_found`, `invalid_amount`, `amount_too_precise`. */
  async deposit(
    principal: Principal,
    account: string,
    body: DepositDto,
    key: string | undefined,
  ): Promise<Replayable<DepositedDto>> {
    const { accountId } = await this.customerAccount(account);
    const { outcomes, replayed } = await this.core.submit({
      commands: [
        {
          type: 'move_money',
          debit: { rail: OPERATOR_RAIL },
          credit: { accountId },
          asset: body.asset,
          amount: body.amount,
          reason: 'deposit',
          reference: body.reference,
        },
      ],
      idempotency: idempotencyOf(principal, key, `/admin/accounts/${account}/deposits`, body),
    });
    const { transferId } = resultOf(outcomes[0], 'transfer');
    return { body: toDepositedDto(transferId, accountId, body), replayed: replayed[0]! };
  }

  /** The house's own accounts (fees, pools, the outside world) answer to no deposit: their sums mean something. */
  private async customerAccount(text: string): Promise<AccountRecord> {
    const accountId = parseId('acc', text);
    const account = accountId === undefined ? undefined : await this.core.account(accountId);
    if (account === undefined || account.owner === null) throw accountNotFound();
    return account;
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
