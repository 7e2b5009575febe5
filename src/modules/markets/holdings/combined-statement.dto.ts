import { ApiProperty } from '@nestjs/swagger';
import { type Amount, amount } from '../../../domain/money/amount.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { STATEMENT_COLUMNS, StatementDto, StatementLineDto, toBalanceLine } from './statement.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** A line of the statement of several accounts: of one of them, or of all together. */
export class CombinedStatementLineDto extends StatementLineDto {
  /**
   * Null for what all accounts have together.
   * @example "acc_00000000005"
   */
  @ApiProperty({ type: String, nullable: true })
  account_id: string | null;
  /**
   * Of a movement: whether it stays among these accounts, so that it has two lines, which cancel out. Null for balances.
   */
  @ApiProperty({ type: Boolean, nullable: true })
  is_internal: boolean | null;
}

/** The columns of the statement of several accounts as CSV. */
export const COMBINED_STATEMENT_COLUMNS = [
  'account_id',
  ...STATEMENT_COLUMNS,
  'is_internal',
] as const satisfies readonly CsvColumn<CombinedStatementLineDto>[];

/** A page of the statement of several accounts. */
export class CombinedStatementDto implements Omit<StatementDto, 'account_id'> {
  /** Null where the period has no beginning. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  from: string | null;
  /** Null where the period ends with the request. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  to: string | null;
  /**
   * Opening balances on the first page, first of each account and then of all together; movements of all accounts, oldest
   * first; and closing balances on the last page, as at the beginning.
   */
  data: CombinedStatementLineDto[];
  /** Null on the last page. */
  @ApiProperty({ type: String, nullable: true })
  next_cursor: string | null;
}

/** What an account had of an asset at an end of the period. */
export interface AccountBalance {
  readonly accountId: number;
  readonly asset: string;
  readonly balance: Amount;
}

/** The balances of each account, in the order given, and then those of all together. */
export function toBalanceLines(
  kind: 'opening' | 'closing',
  balances: readonly AccountBalance[],
  edge: { readonly sequence: number; readonly at: string | undefined },
): CombinedStatementLineDto[] {
  const totals = new Map<string, bigint>();
  for (const { asset, balance } of balances) totals.set(asset, (totals.get(asset) ?? 0n) + balance);
  const assets = [...totals.keys()].sort();
  return [
    ...balances.map(({ accountId, asset, balance }) => ({
      ...toBalanceLine(kind, asset, balance, edge),
      account_id: ACCOUNT_IDS.format(accountId),
      is_internal: null,
    })),
    ...assets.map((asset) => ({
      ...toBalanceLine(kind, asset, amount(totals.get(asset)!), edge),
      account_id: null,
      is_internal: null,
    })),
  ];
}
