import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { ApiQueryChoices, QueryText } from '../../../kit/http/validation/query.js';
import { TRANSFER_COLUMNS } from './transfer-columns.js';
import { toTransferDto, TransferDto } from './transfer.dto.js';
import { TRANSFER_STATUSES, type WalletTransferEntity } from './wallet-transfer.entity.js';
import { HELD_BECAUSE, type HeldBecause } from '../../users/withdrawal-gate.js';

const STATUS = `(?:${TRANSFER_STATUSES.join('|')})`;
const STATUS_LIST = new RegExp(`^${STATUS}(?:,${STATUS}){0,${TRANSFER_STATUSES.length - 1}}$`);

/** The query of `GET /admin/transfers`. */
export class ListAllTransfersQueryDto extends PeriodQueryDto {
  /** @example "acc_00000000005" */
  @QueryText(64, 'Only what left this account, or that of a wallet, and what arrived in it.')
  account_id?: string;

  /** @example "USD" */
  @QueryText(16, 'Only transfers of this asset.')
  asset?: string;

  @ApiQueryChoices(TRANSFER_STATUSES, 'Only transfers in one of these states, separated by commas.')
  @IsOptional()
  @IsString()
  @Matches(STATUS_LIST, {
    message: `$property must be one or more of ${TRANSFER_STATUSES.join(', ')}, separated by commas`,
  })
  status?: string;
}

/** The body of `POST /admin/transfers/{transfer_id}/reject`. */
export class RejectTransferDto {
  /**
   * Told to who asked for the transfer.
   * @example "The destination is on a list of sanctions."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  reason: string;
}

/** A transfer as operators see it: as its source does, or where money came from outside, as its destination. */
export class OperatorTransferDto extends TransferDto {
  /**
   * The person who asked for it, and who cannot approve it; null where money came from outside.
   * @example "user:7"
   */
  @ApiProperty({ type: String, nullable: true })
  requested_by: string | null;

  /**
   * Why it does not leave, while that is so: it waits until the account is unfrozen or its owner unlocked, or
   * until an operator rejects it.
   */
  @ApiProperty({ enum: HELD_BECAUSE, nullable: true })
  held: HeldBecause | null;
}

/** The columns of the list as CSV. */
export const OPERATOR_TRANSFER_COLUMNS = [
  ...TRANSFER_COLUMNS,
  'requested_by',
  'held',
] as const satisfies readonly CsvColumn<OperatorTransferDto>[];

export function toOperatorTransferDto(
  transfer: WalletTransferEntity,
  held?: HeldBecause,
): OperatorTransferDto {
  const isWaiting = transfer.status === 'pending_approval' || transfer.status === 'pending';
  return {
    ...toTransferDto(
      transfer,
      transfer.sourceType === 'address' ? transfer.destinationWalletId : transfer.sourceWalletId,
    ),
    requested_by: transfer.requestedBy,
    held: isWaiting ? (held ?? null) : null,
  };
}
