import { ApiProperty } from '@nestjs/swagger';

/** What a reset of the demo data did. */
export class DemoResetDto {
  /** Of demo accounts, in all markets. */
  @ApiProperty({ type: 'integer', example: 12 })
  orders_cancelled: number;

  /** Balances that were credited or debited, to be again what the demo data began with. */
  @ApiProperty({ type: 'integer', example: 4 })
  balances_adjusted: number;

  /** Demo markets that were halted, and are open again. */
  markets_reopened: string[];
}
