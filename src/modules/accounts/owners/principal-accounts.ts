import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { Awaitable } from '../../../kit/awaitable.js';
import { growingCache } from '../../../kit/growing-cache.js';

const OWNERS_MAX = 20_000;

/** The default account of a principal's requests. */
@Injectable()
export class PrincipalAccounts {
  private readonly accountIds = growingCache<string, number>(OWNERS_MAX);

  constructor(private readonly core: CoreService) {}

  /**
   * The first trading account of `owner`, or null. It never changes once it exists, so only its absence is queried
   * again.
   */
  accountOf(owner: string): Awaitable<number | null> {
    return this.accountIds.get(owner) ?? this.read(owner);
  }

  private async read(owner: string): Promise<number | null> {
    const accounts = await this.core.accountsOf(owner);
    const first = accounts.find((account) => account.kind === 'trading');
    if (first === undefined) return null;
    this.accountIds.set(owner, first.accountId);
    return first.accountId;
  }
}
