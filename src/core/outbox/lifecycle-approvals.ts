import type { EntityManager } from 'typeorm';
import type { ApprovalKind } from '../../kit/approvals/approval-kind.js';
import { approvalIdOf } from '../../kit/approvals/approval.entity.js';
import type { Approvals } from '../../kit/approvals/approvals.service.js';
import { CodedError } from '../../kit/coded-error.js';
import type { Lifecycle, LifecycleRow, Step } from './lifecycle.js';

/** How a second person decides about rows that wait in `pending_approval`; `payload` of the approval names the row. */
export function lifecycleApprovals<
  Row extends LifecycleRow<Status, string>,
  Status extends string,
  Changed extends keyof Row & string,
  Payload extends object,
>(
  lifecycle: Lifecycle<Row, Status, string, Changed>,
  of: {
    readonly idIn: (payload: Payload) => string;
    /** Throws where the row may not go on, whoever approves it. */
    readonly check: (row: Row, manager: EntityManager) => Promise<void>;
    readonly approval: (by: string | null) => Step<Row, Status, Changed>;
    readonly rejection: (by: string | null, reason: string) => Step<Row, Status, Changed>;
  },
): ApprovalKind<Payload> {
  return {
    hasOwnStates: true,
    lock: async (payload, manager) => {
      await lifecycle.lockWaiting(manager, of.idIn(payload));
    },
    approved: async ({ payload, decidedBy }, manager) => {
      const row = await lifecycle.lockWaiting(manager, of.idIn(payload));
      await of.check(row, manager);
      await lifecycle.stepLocked(manager, row, of.approval(decidedBy));
    },
    rejected: async ({ payload, decidedBy, reason }, manager) => {
      const row = await lifecycle.lockWaiting(manager, of.idIn(payload));
      await lifecycle.stepLocked(manager, row, of.rejection(decidedBy, reason!));
    },
    afterRejection: ({ payload }) => lifecycle.settle(of.idIn(payload)),
  };
}

/** A decision by the row's own routes, which have codes of their own: `late` where there is nothing to decide any more. */
export async function decideInSlot(
  approvals: Approvals,
  slot: string,
  decision: (approvalId: string) => Promise<unknown>,
  late: (message?: string) => Error,
): Promise<void> {
  const open = await approvals.openIn(slot);
  if (open === null) throw late();
  try {
    await decision(approvalIdOf(open));
  } catch (error) {
    const isLate = error instanceof CodedError && error.code === 'approval_not_pending';
    throw isLate ? late(error.message) : error;
  }
}
