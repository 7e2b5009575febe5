import { formatAmount } from '../../../domain/money/amount.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_FINANCE } from '../../../kit/security/operator-roles.js';
import type { Proposal } from '../../../kit/approvals/approvals.service.js';
import type { WalletTransferEntity } from './wallet-transfer.entity.js';
import { TRANSFER_IDS } from '../ids.js';

/** What is stored of the approval of a transfer over a chain. */
export interface TransferPayload {
  readonly transferId: string;
}

export const WALLET_TRANSFER = new ApprovalType<TransferPayload>('wallet_transfer', {
  roles: [OPERATOR_FINANCE],
});

/** What the approval of a transfer is, written down when its money has been put aside. */
export function transferProposal(
  transfer: Pick<WalletTransferEntity, 'transferId' | 'asset' | 'amount' | 'chain' | 'destinationAddress'>,
  owner: string | null,
  ownerName: string,
): Proposal<TransferPayload> {
  const { transferId, asset, amount, chain, destinationAddress } = transfer;
  return {
    kind: WALLET_TRANSFER,
    subject: { type: 'transfer', id: TRANSFER_IDS.format(Number(transferId)) },
    owner,
    slot: slotOfTransfer(transferId),
    summary: `Send ${formatAmount(amount)} ${asset} of ${ownerName} over ${chain ?? '?'} to ${destinationAddress ?? '?'}.`,
    payload: { transferId },
  };
}

export function slotOfTransfer(transferId: string): string {
  return `wallet_transfer:${TRANSFER_IDS.format(Number(transferId))}`;
}
