import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { PageQueryDto } from '../../../platform/http/pagination.js';
import { toTransferDto, TransferDto } from './transfer.dto.js';
import type { WalletTransferEntity } from './wallet-transfer.entity.js';
import { HELD_BECAUSE, type HeldBecause } from '../../users/withdrawal-gate.js';

/** The states of transfers that have not ended. */
export const OPEN_STATUSES = ['pending_approval', 'pending', 'broadcasting', 'confirming'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

/** The query of `GET /admin/transfers`. */
export class ListOpenTransfersQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: OPEN_STATUSES, default: 'pending_approval' })
  @IsOptional()
  @IsIn(OPEN_STATUSES)
  status: OpenStatus = 'pending_approval';
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

/** A transfer over a chain as operators see it. */
export class OperatorTransferDto extends TransferDto {
  /**
   * The person who asked for it, and who cannot approve it.
   * @example "user:7"
   */
  @ApiProperty()
  requested_by: string;

  /**
   * Why it does not leave, while that is so: it waits until the account is unfrozen or its owner unlocked, or
   * until an operator rejects it.
   */
  @ApiProperty({ enum: HELD_BECAUSE, nullable: true })
  held: HeldBecause | null;
}

export function toOperatorTransferDto(
  transfer: WalletTransferEntity,
  held?: HeldBecause,
): OperatorTransferDto {
  const isWaiting = transfer.status === 'pending_approval' || transfer.status === 'pending';
  return {
    ...toTransferDto(transfer, transfer.sourceWalletId),
    requested_by: transfer.requestedBy!,
    held: isWaiting ? (held ?? null) : null,
  };
}
