import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import type { PayoutAccountEntity } from './payout-account.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PAYOUT_ACCOUNT_IDS } from '../ids.js';

const TYPES = ['iban', 'ach'] as const;

/** The body of `POST /payout-accounts`: an IBAN for euros, or a US account for dollars. */
export class CreatePayoutAccountDto {
  /** `iban` is paid by SEPA in EUR, `ach` by ACH in USD. */
  @ApiProperty({ enum: TYPES, example: 'iban' })
  @IsIn(TYPES)
  type: (typeof TYPES)[number];

  /**
   * Whose account it is, in any script that can be written with the letters of banks.
   * @example "Alice Example"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(140)
  holder_name: string;

  /**
   * With `iban`: structure, length and check digits must be right; spaces of any kind do not matter.
   * @example "DE89 3704 0044 0532 0130 00"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(50)
  iban?: string;

  /**
   * With `iban`, and optional there: the bank, 8 or 11 characters.
   * @example "COBADEFFXXX"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(11)
  bic?: string;

  /** With `ach`: the ABA routing number of nine digits, such as `021000021`. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(9)
  routing_number?: string;

  /** With `ach`: 4 to 17 digits. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(17)
  account_number?: string;

  /** With `ach`. */
  @ApiPropertyOptional({ enum: ['checking', 'savings'] })
  @IsOptional()
  @IsIn(['checking', 'savings'])
  account_type?: 'checking' | 'savings';

  /**
   * That of the account's type.
   * @example "EUR"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  currency: string;
}

/** A bank account that payouts may go to. Its number is never answered in full. */
export class PayoutAccountDto {
  /** @example "pac_0000000001A" */
  payout_account_id: string;
  @ApiProperty({ enum: TYPES })
  type: (typeof TYPES)[number];
  /** @example "Alice Example" */
  holder_name: string;
  /**
   * The end of the IBAN or of the account number.
   * @example "3000"
   */
  last4: string;
  /** @example "COBADEFFXXX" */
  bic: string | null;
  /** @example "EUR" */
  currency: string;
  /** A deleted account takes no new payouts. */
  status: 'active' | 'deleted';
  /**
   * Whether the holder is named as in the KYC record; `unchecked` while nothing is approved. With
   * `PAYOUT_HOLDER_NAME_CHECK=approve` each payout to another holder waits for an operator, with `refuse` only
   * a match takes payouts.
   */
  holder_name_check: HolderNameCheck;
  /** RFC 3339, UTC. */
  created_at: string;
}

export type HolderNameCheck = 'match' | 'mismatch' | 'unchecked';

export function toPayoutAccountDto(
  account: PayoutAccountEntity,
  holderName: string,
  check: HolderNameCheck,
): PayoutAccountDto {
  return {
    payout_account_id: PAYOUT_ACCOUNT_IDS.format(Number(account.payoutAccountId)),
    type: account.type,
    holder_name: holderName,
    ...fieldsOf(account, 'last4', 'bic', 'currency', 'status'),
    holder_name_check: check,
    created_at: account.createdAt.toISOString(),
  };
}
