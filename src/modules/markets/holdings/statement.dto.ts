import { ApiProperty } from '@nestjs/swagger';
import type { TransferReason } from '../../../domain/engine/types.js';
import { type Amount, formatAmount } from '../../../domain/money/amount.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { type Direction, type EntryDto, toEntryDto } from './entry.dto.js';
import type { LedgerTransfer } from '../../../domain/engine/types.js';

export const STATEMENT_LINE_KINDS = ['opening', 'movement', 'closing'] as const;
export type StatementLineKind = (typeof STATEMENT_LINE_KINDS)[number];

/** A line of a statement: what there was of an asset at the beginning or the end, or what came in or went out between. */
export class StatementLineDto {
  @ApiProperty({ enum: STATEMENT_LINE_KINDS })
  kind: StatementLineKind;
  /** @example "USD" */
  asset: string;
  /**
   * Available and held together: at the beginning, after the movement, or at the end.
   * @example "9985000"
   */
  balance: string;
  /**
   * Of a movement: always above zero; `direction` says which way it went.
   * @example "15000"
   */
  @ApiProperty({ type: String, nullable: true })
  amount: string | null;
  /** Of a movement: `credit` came in, `debit` went out. */
  @ApiProperty({ type: String, enum: ['debit', 'credit', null], nullable: true })
  direction: Direction | null;
  /** Of a movement. */
  @ApiProperty({ type: String, nullable: true })
  reason: TransferReason | null;
  /** Of a movement: what caused it, as in the list of entries. */
  @ApiProperty({ type: String, nullable: true })
  reference: string | null;
  /** Of a movement: the ledger entry. */
  @ApiProperty({ type: String, nullable: true })
  entry_id: string | null;
  /** The place in the global ledger sequence up to which the balance counts everything. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
  /** When it was moved; the ends of the period for what there was then, null where the period is open. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  at: string | null;
}

/** The columns of a statement as CSV. */
export const STATEMENT_COLUMNS = [
  'kind',
  'at',
  'asset',
  'direction',
  'amount',
  'balance',
  'reason',
  'reference',
  'entry_id',
  'ledger_sequence',
] as const satisfies readonly CsvColumn<StatementLineDto>[];

/** A page of a statement. */
export class StatementDto {
  /** @example "acc_00000000005" */
  account_id: string;
  /** Null where the period has no beginning. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  from: string | null;
  /** Null where the period ends with the request. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  to: string | null;
  /** Opening balances on the first page, movements oldest first, and closing balances on the last. */
  data: StatementLineDto[];
  /** Null on the last page. */
  @ApiProperty({ type: String, nullable: true })
  next_cursor: string | null;
}

export function toBalanceLine(
  kind: 'opening' | 'closing',
  asset: string,
  balance: Amount,
  { sequence, at }: { readonly sequence: number; readonly at: string | undefined },
): StatementLineDto {
  return {
    kind,
    asset,
    balance: formatAmount(balance),
    amount: null,
    direction: null,
    reason: null,
    reference: null,
    entry_id: null,
    ledger_sequence: sequence,
    at: at ?? null,
  };
}

export function toMovementLine(transfer: LedgerTransfer, accountId: number): StatementLineDto {
  const { asset, amount, direction, reason, reference, ...entry }: EntryDto = toEntryDto(transfer, accountId);
  return {
    kind: 'movement',
    asset,
    balance: entry.balance_after,
    amount,
    direction,
    reason,
    reference,
    entry_id: entry.entry_id,
    ledger_sequence: entry.ledger_sequence,
    at: entry.created_at,
  };
}
