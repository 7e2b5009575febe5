import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import type { AccountKind } from '../../../domain/engine/types.js';
import type { FieldValues } from '../../../domain/fields.js';
import { FiltersByFields, ShowsFields } from '../../../kit/fields/field-marks.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { QueryPrefix } from '../../../kit/http/prefix-search.js';
import { ACCOUNT_IDS } from '../ids.js';

/** How operators name an owner. */
export const OWNER_PATTERN = /^(client:)?[A-Za-z0-9._-]{1,64}$/;

const ACCOUNT_STANDINGS = ['active', 'frozen'] as const;
export type AccountStanding = (typeof ACCOUNT_STANDINGS)[number];

/** The query of `GET /admin/accounts`. */
@FiltersByFields('accounts', 'operators')
export class ListAllAccountsQueryDto extends PageQueryDto {
  /** @example "ali" */
  @QueryPrefix('How the name of the account begins, whatever the case; or all of its id.')
  q?: string;

  /** @example "alice" */
  @ApiPropertyOptional({
    description: 'Only accounts of this user, or of `client:<client_id>`.',
    pattern: OWNER_PATTERN.source,
  })
  @IsOptional()
  @Matches(OWNER_PATTERN, { message: '$property must be a username, or client:<client_id>' })
  owner?: string;

  @ApiPropertyOptional({ enum: ACCOUNT_STANDINGS })
  @IsOptional()
  @IsIn(ACCOUNT_STANDINGS)
  status?: AccountStanding;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldValues;
}

/** An account as operators see it. */
@ShowsFields('accounts', 'operators')
export class OperatorAccountDto {
  /** @example "acc_00000000005" */
  account_id: string;

  /** `trading` accounts place orders; `wallet` accounts keep what is in custody. */
  kind: AccountKind;

  /** @example "alice" */
  name: string;

  /**
   * A username, or `client:<client_id>`.
   * @example "alice"
   */
  owner: string;

  /** @example "active" */
  @ApiProperty({ enum: ACCOUNT_STANDINGS })
  status: AccountStanding;

  /** RFC 3339, UTC. */
  created_at: string;
}

/** The columns of the list as CSV. */
export const ACCOUNT_LIST_COLUMNS = [
  'account_id',
  'kind',
  'name',
  'owner',
  'status',
  'created_at',
] as const satisfies readonly CsvColumn<OperatorAccountDto>[];

/** An account as the list reads it. */
export interface ListedAccountRow {
  /** A bigint, as text. */
  readonly account_id: string;
  readonly kind: AccountKind;
  readonly name: string;
  /** Null for the house's own. */
  readonly owner: string | null;
  /** Of the user who owns it; null for clients. */
  readonly username: string | null;
  readonly frozen: boolean;
  readonly created_at: Date;
}

export function toOperatorAccountDto(account: ListedAccountRow): OperatorAccountDto {
  return {
    account_id: ACCOUNT_IDS.format(Number(account.account_id)),
    kind: account.kind,
    name: account.name,
    owner: account.username ?? account.owner!,
    status: standingOf(account),
    created_at: account.created_at.toISOString(),
  };
}

export function standingOf({ frozen }: ListedAccountRow): AccountStanding {
  return frozen ? 'frozen' : 'active';
}
