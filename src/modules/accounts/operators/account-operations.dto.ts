import { ApiHideProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import type { FieldChanges } from '../../../domain/fields.js';
import { AcceptsFields } from '../../../kit/fields/field-marks.js';
import { OWNER_PATTERN } from './account-list.dto.js';

/** The body of `POST /admin/accounts`. */
@AcceptsFields('accounts', 'operators')
export class OpenAccountDto {
  /**
   * For people; need not be unique.
   * @example "Alice's second account"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  name: string;

  /**
   * Who owns it: a username, or `client:<client_id>`.
   * @example "alice"
   */
  @Matches(OWNER_PATTERN, { message: '$property must be a username, or client:<client_id>' })
  owner: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** The body of `PATCH /admin/accounts/{account_id}`. */
@AcceptsFields('accounts', 'operators')
export class ChangeAnyAccountDto {
  /** Those that plugins have declared; null removes a value, what is not named stays. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

const REASON_LENGTH_MAX = 500;

/** The body of `POST /admin/accounts/{account_id}/freeze`. */
export class FreezeAccountDto {
  /**
   * Why, for the audit log.
   * @example "The bank recalls the deposit of 2026-11-01."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(REASON_LENGTH_MAX)
  reason: string;
}

/** The body of `POST /admin/accounts/{account_id}/unfreeze`. */
export class UnfreezeAccountDto {
  /**
   * Why, for the audit log.
   * @example "The recall was withdrawn."
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(REASON_LENGTH_MAX)
  reason?: string;
}
