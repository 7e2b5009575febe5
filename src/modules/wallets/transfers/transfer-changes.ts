import type { EntityManager } from 'typeorm';
import { withHistory } from '../../../kit/database/with-history.js';
import { TRANSFER_HISTORY } from './transfer-history.js';
import type { DueCommand, TransferStatus } from './wallet-transfer.entity.js';

/** A transition between states, and the resulting command for the core. */
export interface TransferChange {
  readonly transferId: string;
  /** From which it may be taken; from any other one nothing happens. */
  readonly from: readonly TransferStatus[];
  readonly to: TransferStatus;
  readonly dueCommand?: DueCommand;
  /** The person, see `personOf`; left out where the service itself does it. */
  readonly by?: string;
  readonly reason?: string;
  readonly txHash?: string;
  readonly confirmations?: number;
  /** What the chain has taken, in units of 10^-18; left out where that is as before. */
  readonly fee?: bigint;
}

/**
 * Makes the transition and adds it to the history, in one statement: of two concurrent attempts, one fails. Returns
 * false if the transfer is in none of the states, or the previous command is still due.
 */
export async function change(manager: EntityManager, step: TransferChange): Promise<boolean> {
  const rows = await manager.query<unknown[]>(
    withHistory(
      TRANSFER_HISTORY,
      `UPDATE wallet_transfers SET
         status = $3::text, due_command = $4::text, reason = coalesce($6::text, reason),
         tx_hash = coalesce($7::text, tx_hash), confirmations = coalesce($8::integer, confirmations),
         fee = coalesce($9::numeric, fee), updated_at = now()
       WHERE transfer_id = $1::bigint AND status = ANY ($2::text[])
         AND due_command IS NULL AND accepted_at IS NOT NULL
       RETURNING transfer_id, status, $5::text AS changed_by, $6::text AS reason`,
    ),
    [
      step.transferId,
      step.from,
      step.to,
      step.dueCommand ?? null,
      step.by ?? null,
      step.reason ?? null,
      step.txHash ?? null,
      step.confirmations ?? null,
      step.fee?.toString() ?? null,
    ],
  );
  return rows.length > 0;
}
