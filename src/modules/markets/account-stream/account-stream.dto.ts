import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { QueryInteger } from '../../../kit/http/validation/query.js';
import { StreamTicketQueryDto } from '../../../kit/security/stream-tickets.js';
import { AccountReferenceDto } from '../../accounts/access/account-reference.dto.js';
import { BalanceDto } from '../holdings/balance.dto.js';
import { FillDto } from '../orders/fill.dto.js';
import { OrderDto } from '../orders/order.dto.js';

const SEQUENCE_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Why an account is told as it is, and not what has changed: no offset was given, more has changed since it
 * than is told, or the account has never been there.
 */
export const SNAPSHOT_REASONS = ['subscribed', 'too_far_behind', 'unknown_offset'] as const;

export type SnapshotReason = (typeof SNAPSHOT_REASONS)[number];

/** What every event of an account says beside its type and its data. */
export class AccountEventEnvelopeDto {
  /** @example "acc_0000000000D" */
  account_id: string;
  /**
   * Counts the commits that changed the account, without gaps. A snapshot that is not complete yet has none, so that
   * nobody goes on from there.
   */
  @ApiPropertyOptional({ type: 'integer', example: 42 })
  sequence?: number;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** An account as it is. One with many live orders comes in parts, of which the last has the sequence. */
export class AccountSnapshotDto {
  @ApiProperty({ enum: SNAPSHOT_REASONS })
  reason: SnapshotReason;
  /** Live orders, oldest first. */
  orders: OrderDto[];
  /** All balances, in order of the assets; with the first part. */
  balances: BalanceDto[];
  /** Whether the snapshot is complete with this part. */
  is_last: boolean;
}

/** What has changed in an account: by one commit, or while the client was away. */
export class AccountUpdateDto {
  /** Of the event that this one follows. */
  @ApiProperty({ type: 'integer' })
  previous_sequence: number;
  /** Orders that are new or have changed, as they are now. */
  orders: OrderDto[];
  /** Every fill, oldest first. */
  fills: FillDto[];
  /** Balances that may have changed, as they are now. */
  balances: BalanceDto[];
}

/** Which account to follow, and from where. */
export class FollowAccountDto extends AccountReferenceDto {
  /**
   * The last sequence that the client has: what has changed since comes first. 0 asks for everything from the
   * account's beginning; without it a snapshot comes first.
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(SEQUENCE_MAX)
  offset?: number;
}

/** An account that is followed. */
export class FollowedAccountDto {
  account_id: string;
  /** Up to here everything has been sent; null while a client that reads slowly is still being told. */
  @ApiProperty({ type: 'integer', nullable: true })
  sequence: number | null;
}

/** The query of `GET /accounts/{account_id}/stream`. */
export class AccountStreamQueryDto extends StreamTicketQueryDto {
  @QueryInteger(
    0,
    SEQUENCE_MAX,
    'The last sequence that the client has, for clients that cannot send `Last-Event-ID`, which wins over it.',
  )
  offset?: number;
}
