import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { ApiProperty } from '@nestjs/swagger';
import type { LedgerTransfer, TransferReason } from '../../../domain/engine/types.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { ENTRY_IDS, TRADE_IDS } from '../names/ids.js';

export type Direction = 'debit' | 'credit';

/** Reasons whose reference is the trade that moved the money. */
const TRADE_REASONS: ReadonlySet<TransferReason> = new Set([
  'trade',
  'fee',
  'rebate',
  'event_open',
  'event_close',
]);

/** One side of a ledger transfer, as the account on that side sees it. Never changed once written. */
export class EntryDto {
  /** @example "ent_0000000003N" */
  entry_id: string;
  /** @example "USD" */
  asset: string;
  /**
   * Always above zero; `direction` says which way it went.
   * @example "15000"
   */
  amount: string;
  /**
   * `credit` came in, `debit` went out.
   * @example "debit"
   */
  direction: Direction;
  /** @example "trade" */
  reason: TransferReason;
  /** What caused it: a trade's id, a market's, or the reference that came with a deposit or transfer. */
  reference: string;
  /**
   * Available and held together, after this entry.
   * @example "9985000"
   */
  balance_after: string;
  /** Its place in the ledger's one global sequence. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** The columns of the list as CSV. */
export const ENTRY_COLUMNS = [
  'entry_id',
  'ledger_sequence',
  'asset',
  'amount',
  'direction',
  'reason',
  'reference',
  'balance_after',
  'created_at',
] as const satisfies readonly CsvColumn<EntryDto>[];

/** The transfer as one of its two accounts sees it. */
export function toEntryDto(transfer: LedgerTransfer, accountId: number): EntryDto {
  const isCredit = transfer.creditAccountId === accountId;
  return {
    entry_id: entryIdOf(transfer.transferId, isCredit ? 'credit' : 'debit'),
    asset: transfer.asset,
    amount: formatAmount(transfer.amount),
    direction: isCredit ? 'credit' : 'debit',
    reason: transfer.reason,
    reference: TRADE_REASONS.has(transfer.reason)
      ? TRADE_IDS.format(Number(transfer.reference))
      : transfer.reference,
    balance_after: formatAmount(isCredit ? transfer.creditBalanceAfter : transfer.debitBalanceAfter),
    ledger_sequence: transfer.transferId,
    created_at: new Date(transfer.createdAtMs).toISOString(),
  };
}

/** A transfer has one place in the ledger and two entries: doubling it gives each side an id of its own. */
export function entryIdOf(transferId: number, direction: Direction): string {
  return ENTRY_IDS.format(transferId * 2 + (direction === 'credit' ? 1 : 0));
}
