import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { amountOf, formatAmount } from '../../../domain/money/amount.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { entryIdOf } from '../holdings/entry.dto.js';

/** The body of `POST /admin/accounts/{account_id}/deposits`. */
export class DepositDto {
  /** @example "USD" */
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  asset: string;

  /**
   * Above zero, with no more decimals than the asset has.
   * @example "1000.00"
   */
  @IsPlainDecimal({ positive: true })
  amount: string;

  /**
   * Where the money comes from, in the operator's own words; shown in the account's entries.
   * @example "wire 2026-11-01/17"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  reference: string;
}

/** Money that has arrived in an account. */
export class DepositedDto {
  /** The account's side of the transfer. */
  entry_id: string;
  account_id: string;
  /** @example "USD" */
  asset: string;
  /** @example "1000" */
  amount: string;
  /** @example "wire 2026-11-01/17" */
  reference: string;
  /** Its place in the ledger's one global sequence. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
}

/** The body of `POST /admin/accounts/{account_id}/adjustments`. */
export class AdjustmentDto {
  /** @example "USD" */
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  asset: string;

  /**
   * Above zero, with no more decimals than the asset has.
   * @example "12.50"
   */
  @IsPlainDecimal({ positive: true })
  amount: string;

  /**
   * `credit` puts money into the account, `debit` takes available money out of it.
   * @example "credit"
   */
  @ApiProperty({ enum: ['credit', 'debit'] })
  @IsIn(['credit', 'debit'])
  direction: 'credit' | 'debit';

  /**
   * Why, for the operators' own records.
   * @example "Fee taken twice on 2026-11-01"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  reason: string;

  /**
   * Shown in the account's entries, and of one adjustment of the account alone: with the same body it is a repeat.
   * @example "case 4711"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  reference: string;
}

/** Money that an operator has put into an account or taken out of it. */
export class AdjustedDto {
  /** The account's side of the transfer. */
  entry_id: string;
  account_id: string;
  /** @example "USD" */
  asset: string;
  /** @example "12.5" */
  amount: string;
  /** @example "credit" */
  @ApiProperty({ enum: ['credit', 'debit'] })
  direction: 'credit' | 'debit';
  /** @example "Fee taken twice on 2026-11-01" */
  reason: string;
  /** @example "case 4711" */
  reference: string;
  /** Its place in the ledger's one global sequence. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
}

export function toAdjustedDto(transferId: number, accountId: number, body: AdjustmentDto): AdjustedDto {
  return {
    entry_id: entryIdOf(transferId, body.direction),
    account_id: ACCOUNT_IDS.format(accountId),
    asset: body.asset,
    amount: formatAmount(amountOf(body.amount)),
    direction: body.direction,
    reason: body.reason,
    reference: body.reference,
    ledger_sequence: transferId,
  };
}

export function toDepositedDto(transferId: number, accountId: number, deposit: DepositDto): DepositedDto {
  return {
    entry_id: entryIdOf(transferId, 'credit'),
    account_id: ACCOUNT_IDS.format(accountId),
    asset: deposit.asset,
    amount: formatAmount(amountOf(deposit.amount)),
    reference: deposit.reference,
    ledger_sequence: transferId,
  };
}
