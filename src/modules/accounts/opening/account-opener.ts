import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { CoreRequest } from '../../../core/core.types.js';
import { fingerprintOf } from '../../../kit/http/idempotency/idempotency-key.js';
import { RegistrationRoots } from '../../users/registration-roots.js';
import { resultOf } from '../commands/outcome.js';

/** Opens trading accounts, whoever asks for them. */
@Injectable()
export class AccountOpener {
  constructor(
    private readonly core: CoreService,
    private readonly roots: RegistrationRoots,
  ) {}

  /** One more account of `owner`, a principal's key such as `user:7`. Rejects as `CoreService.submit` does. */
  async open(
    owner: string,
    name: string,
    request: Omit<CoreRequest, 'commands'>,
  ): Promise<{ readonly accountId: number; readonly replayed: boolean }> {
    const root = await this.roots.above(owner);
    const { outcomes, replayed } = await this.core.submit({
      ...request,
      commands: [{ type: 'create_account', kind: 'trading', name, owner, ...root }],
    });
    return { accountId: resultOf(outcomes[0], 'account').accountId, replayed: replayed[0]! };
  }

  /**
   * The owner's first trading account, the one that requests mean when they name none; opened if there is none. The
   * command has an idempotency key, so that two processes that start together open one account. Rejects as `open` does.
   */
  async ensure(owner: string, name: string): Promise<number> {
    const accounts = await this.core.accountsOf(owner);
    const first = accounts.find((account) => account.kind === 'trading');
    if (first !== undefined) return first.accountId;
    const { accountId } = await this.open(owner, name, {
      idempotency: {
        owner: 'system:accounts',
        key: `first account of ${owner}`,
        fingerprint: fingerprintOf('COMMAND', 'create_account', { owner }),
      },
    });
    return accountId;
  }
}
