import type { EntityManager } from 'typeorm';
import { formatAmount } from '../../../domain/money/amount.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_FINANCE } from '../../../kit/security/operator-roles.js';
import type { Proposal } from '../../../kit/approvals/approvals.service.js';
import { PayoutAccountEntity } from '../payout-accounts/payout-account.entity.js';
import { payoutIdOf } from './payout-commands.js';
import type { PayoutEntity } from './payout.entity.js';

/** The stored payload of a payout's approval. */
export interface PayoutPayload {
  readonly payoutId: string;
}

export const PAYOUT = new ApprovalType<PayoutPayload>('payout', { roles: [OPERATOR_FINANCE] });

/** What the approval of a payout is, written down when its money has been put aside. */
export async function payoutProposal(
  manager: EntityManager,
  payout: PayoutEntity,
  ownerName: string,
): Promise<Proposal<PayoutPayload>> {
  const { payoutId, owner, currency, amount, rail, payoutAccountId } = payout;
  const account = await manager.findOneBy(PayoutAccountEntity, { payoutAccountId });
  const id = payoutIdOf(payout);
  const money = `${formatAmount(amount)} ${currency}`;
  return {
    kind: PAYOUT,
    subject: { type: 'payout', id },
    owner,
    slot: slotOfPayout(payout),
    summary: `Pay ${money} of ${ownerName} to their bank account ending in ${account?.last4 ?? '?'}, by ${rail}.`,
    payload: { payoutId },
  };
}

export function slotOfPayout(payout: Pick<PayoutEntity, 'payoutId'>): string {
  return `payout:${payoutIdOf(payout)}`;
}
