import { ApiProperty } from '@nestjs/swagger';
import type { FullCheck, LedgerCheckResult } from '../../../core/ledger-check/ledger-check.js';
import { QueryBoolean } from '../../../kit/http/validation/query.js';

export class LedgerCheckQueryDto {
  /** `true` also sums all history again, as a job: ask again to see how far it is. */
  @QueryBoolean('`true` also sums all history again, as a job: ask again to see how far it is.')
  full?: boolean;
}

/** The books of one asset, as decimals. */
export class AssetCheckDto {
  /** @example "USD" */
  asset: string;
  /**
   * Sum over all accounts, the outside world included: zero in books that balance.
   * @example "0"
   */
  total: string;
  /**
   * What the service owes to those who use it.
   * @example "20000000"
   */
  inside: string;
  /** What balances hold. */
  held: string;
  /** Sum of the live holds of orders, payouts and transfers: equals `held` in books that balance. */
  live_holds: string;
  /**
   * What trades have brought in: all fees less all rebates. Never negative in books that balance.
   * @example "1250.5"
   */
  fees: string;
}

/** The job that sums all history. */
export class FullLedgerCheckDto {
  status: 'running' | 'done' | 'failed';
  /**
   * From 0 to 1.
   * @example 0.5
   */
  progress: number;
  /** The last ledger sequence that it covers. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
  /** Null until it is done. */
  balanced: boolean | null;
  problems: string[];
}

export class LedgerCheckDto {
  /** @example true */
  balanced: boolean;
  assets: AssetCheckDto[];
  /** What does not add up, in words; empty in books that balance. */
  problems: string[];
  /** The ledger sequence at which all this was read. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
  /** Covers balances, positions, orders in queue order, markets, last prices and sequences. */
  state_hash: string;
  /** Only with `full=true`. */
  full?: FullLedgerCheckDto;
}

export function toLedgerCheckDto(result: LedgerCheckResult, full: FullCheck | undefined): LedgerCheckDto {
  return {
    balanced: result.balanced,
    assets: result.assets.map(({ asset, total, inside, held, liveHolds, fees }) => ({
      asset,
      total,
      inside,
      held,
      live_holds: liveHolds,
      fees,
    })),
    problems: [...result.problems],
    sequence: result.sequence,
    state_hash: result.stateHash,
    ...(full && { full: { ...full, problems: [...full.problems] } }),
  };
}
