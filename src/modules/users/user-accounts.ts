import type { ExportingOwner } from '../../kit/personal-data/personal-data.js';

/** The accounts of somebody, as they are exported. */
export interface ExportedAccounts extends Pick<ExportingOwner, 'accountIds' | 'tradingAccountIds'> {
  /** The one that requests mean when they name none. */
  readonly mainAccountId: number | null;
}

/** What users need of the accounts that they own; `owner` is a principal's key such as `user:7`. */
export abstract class UserAccounts {
  /** Opens the first trading account of the owner where there is none. Rejects as `CoreService.submit` does. */
  abstract ensure(owner: string, name: string): Promise<number>;

  abstract exportedOf(owner: string): Promise<ExportedAccounts>;

  /** Throws `account_not_empty` (409), with a list of what is left in any of them. */
  abstract requireEmpty(owner: string): Promise<void>;
}
