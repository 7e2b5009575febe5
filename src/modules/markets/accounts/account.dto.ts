import type { AccountRecord } from '../../../core/core.types.js';
import type { AccountKind } from '../../../domain/engine/types.js';
import { formatId } from '../../../domain/ids.js';

/** One account of the ledger. */
export class AccountDto {
  /** @example "acc_00000000005" */
  account_id: string;
  /** `trading` accounts place orders; `wallet` accounts keep what is in custody. */
  kind: AccountKind;
  /** @example "demo" */
  name: string;
  /** A frozen account can be read, its orders cancelled and money put into it; nothing else. */
  frozen: boolean;
  /** RFC 3339, UTC. */
  created_at: string;
}

export function toAccountDto(account: AccountRecord): AccountDto {
  return {
    account_id: formatId('acc', account.accountId),
    kind: account.kind,
    name: account.name,
    frozen: account.frozen,
    created_at: new Date(account.createdAtMs).toISOString(),
  };
}
