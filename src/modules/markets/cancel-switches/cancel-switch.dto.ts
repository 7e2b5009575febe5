import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, Max, Min } from 'class-validator';
import { AccountReferenceDto } from '../../accounts/access/account-reference.dto.js';

/** A day: who is silent for longer than that has no use for a switch. */
export const TIMEOUT_MS_MAX = 86_400_000;

/** When to cancel all orders of an account, unless it is said again before. */
export class CancelAfterDto extends AccountReferenceDto {
  /**
   * Milliseconds from now; 0 turns the switch off.
   * @example 60000
   */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: TIMEOUT_MS_MAX })
  @IsInt()
  @Min(0)
  @Max(TIMEOUT_MS_MAX)
  timeout_ms: number;
}

/** The dead man's switch of an account. */
export class CancelSwitchDto {
  account_id: string;
  /** When all orders of the account will be cancelled, RFC 3339, UTC; null while the switch is off. */
  @ApiProperty({ type: String, nullable: true, example: '2026-11-21T12:00:00.000Z' })
  triggers_at: string | null;
}

/** Whether to cancel all orders of an account when this connection is lost. */
export class CancelOnDisconnectDto extends AccountReferenceDto {
  @IsBoolean()
  enabled: boolean;
}

/** Whether the loss of this connection cancels the orders of an account. */
export class ConnectionSwitchDto {
  account_id: string;
  enabled: boolean;
}
