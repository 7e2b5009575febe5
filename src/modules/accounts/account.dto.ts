import { ApiHideProperty, ApiProperty } from '@nestjs/swagger';
import type { AccountRecord } from '../../core/core.types.js';
import { type AccountRole, MEMBER_ROLES, type ReachedAccount } from './access/account-roles.js';
import type { AccountKind } from '../../domain/engine/types.js';
import type { Principal } from '../../kit/security/principal.js';
import type { FieldChanges } from '../../domain/fields.js';
import { AcceptsFields, ShowsFields } from '../../kit/fields/field-marks.js';
import { storedTable } from '../../kit/fields/stored-fields.js';
import { fieldsOf } from '../../kit/http/fields-of.js';
import { ACCOUNT_IDS } from './ids.js';

/** Where plugins keep what they add to accounts. */
export const FIELDS_OF_ACCOUNTS = storedTable('accounts');

/** As which the fields of an account are stored: its number. */
export function fieldsIdOf({ account_id: id }: { readonly account_id: string }): string {
  return String(ACCOUNT_IDS.parse(id));
}

/** One account of the ledger. */
@ShowsFields('accounts', 'operators')
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

/** An account, and what it is to the caller. */
@ShowsFields('accounts')
export class ReachedAccountDto extends AccountDto {
  /**
   * `owner` of one's own; on those of others what their owners let the caller be: a `viewer` reads, a `trader` trades,
   * too, and a `treasurer` reads and moves money.
   */
  @ApiProperty({ enum: ['owner', ...MEMBER_ROLES] })
  role: AccountRole;
  /** Whether it is the one that `me` means, and that requests use where they name none. */
  is_main: boolean;
}

/** The body of `PATCH /accounts/{account_id}`. */
@AcceptsFields('accounts')
export class ChangeAccountDto {
  /** Those that plugins have declared; null removes a value, what is not named stays. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

export function toReachedAccountDto(
  { account, role }: ReachedAccount,
  { accountId }: Principal,
): ReachedAccountDto {
  return { ...toAccountDto(account), role, is_main: account.accountId === accountId };
}

export function toAccountDto(account: AccountRecord): AccountDto {
  return {
    account_id: ACCOUNT_IDS.format(account.accountId),
    ...fieldsOf(account, 'kind', 'name', 'frozen'),
    created_at: new Date(account.createdAtMs).toISOString(),
  };
}
