import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CoreService } from '../../../core/core.service.js';

const OWNERS_MAX = 20_000;

/** The account that a principal's requests mean when they name none. */
@Injectable()
export class PrincipalAccounts {
  private readonly accountIds = new LRUCache<string, number>({ max: OWNERS_MAX });

  constructor(private readonly core: CoreService) {}

  /**
   * The first trading account of `owner`, null while it has none. The first account stays the first
   * for good, so only its absence is asked for again.
   */
  async accountOf(owner: string): Promise<number | null> {
    const known = this.accountIds.get(owner);
    if (known !== undefined) return known;
    const accounts = await this.core.accountsOf(owner);
    const first = accounts.find((account) => account.kind === 'trading');
    if (first === undefined) return null;
    this.accountIds.set(owner, first.accountId);
    return first.accountId;
  }
}
