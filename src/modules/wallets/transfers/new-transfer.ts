import { ZERO } from '../../../domain/money/amount.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import type { TransferPlan, TransferSource } from './transfer-plan.js';
import type { WalletTransferEntity } from './wallet-transfer.entity.js';

/** What tells a repeat from a new transfer. */
export interface TransferIdentity {
  readonly clientTransferId: string | null;
  readonly requestHash: string | null;
  readonly fingerprint: string;
}

/** All that the database does not give a transfer by itself. */
export type NewTransfer = Omit<WalletTransferEntity, 'transferId' | 'createdAt' | 'updatedAt'>;

/** The row of a transfer as it begins, before the core is asked for its money. */
export function newTransferOf(
  principal: Principal,
  source: TransferSource,
  identity: TransferIdentity,
  { asset, amount, target }: TransferPlan,
): NewTransfer {
  const common = {
    ...identity,
    asset,
    amount,
    chain: null,
    feeAsset: asset,
    fee: ZERO,
    feeHeld: ZERO,
    sourceType: source.type,
    sourceAccountId: String(source.accountId),
    sourceWalletId: source.walletId,
    sourceAddress: null,
    destinationType: target.type,
    destinationAccountId: null,
    destinationWalletId: null,
    destinationAddress: null,
    txHash: null,
    confirmations: null,
    depositKey: null,
    requestedBy: personOf(principal),
    reason: null,
    acceptedAt: null,
  };
  if (target.type === 'address') {
    const { chain, address, feeAsset, feeHeld, needsApproval } = target;
    return {
      ...common,
      status: needsApproval ? 'pending_approval' : 'pending',
      dueCommand: 'hold',
      chain,
      feeAsset,
      fee: feeHeld,
      feeHeld,
      destinationAddress: address,
    };
  }
  return {
    ...common,
    status: 'pending',
    dueCommand: 'move',
    destinationAccountId: String(target.accountId),
    destinationWalletId: target.walletId,
  };
}
