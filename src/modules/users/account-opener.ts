import { errorOf } from '../core-access/refusals.js';
import { Injectable } from '@nestjs/common';
import { CoreService } from '../../core/core.service.js';
import { fingerprintOf } from '../../kit/http/idempotency/idempotency-key.js';
import { RegistrationRoots } from './registration-roots.js';

/** Gives a principal the one account that its requests mean when they name none. */
@Injectable()
export class AccountOpener {
  constructor(
    private readonly core: CoreService,
    private readonly roots: RegistrationRoots,
  ) {}

  /**
   * The owner's first trading account, opened if there is none. `owner` is a principal's key such as `user:7`. The
   * command has an idempotency key, so that two processes that start together open one account. Rejects as
   * `CoreService.submit` does.
   */
  async ensure(owner: string, name: string): Promise<number> {
    const accounts = await this.core.accountsOf(owner);
    const first = accounts.find((account) => account.kind === 'trading');
    return first?.accountId ?? (await this.open(owner, name));
  }

  private async open(owner: string, name: string): Promise<number> {
    const root = await this.roots.above(owner);
    const command = { type: 'create_account', kind: 'trading', name, owner, ...root } as const;
    const { outcomes } = await this.core.submit({
      commands: [command],
      idempotency: {
        owner: 'system:accounts',
        key: `first account of ${owner}`,
        fingerprint: fingerprintOf('COMMAND', 'create_account', { owner }),
      },
    });
    const outcome = outcomes[0];
    if (outcome?.ok && outcome.result.type === 'account') return outcome.result.accountId;
    if (outcome && !outcome.ok) throw errorOf(outcome.refusal);
    throw new Error(`the core answered create_account with ${JSON.stringify(outcome)}`);
  }
}
