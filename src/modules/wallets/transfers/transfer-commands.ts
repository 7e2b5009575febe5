import type { Command } from '../../../domain/engine/commands.js';
import { formatAmount } from '../../../domain/money/amount.js';
import type { DueCommand, WalletTransferEntity } from './wallet-transfer.entity.js';
import { TRANSFER_IDS } from '../ids.js';

/** The part of a transfer that determines its commands. */
export type CommandedTransfer = Pick<
  WalletTransferEntity,
  | 'transferId'
  | 'chain'
  | 'asset'
  | 'amount'
  | 'feeAsset'
  | 'fee'
  | 'feeHeld'
  | 'sourceAccountId'
  | 'destinationAccountId'
>;

/**
 * The due commands, always the same for the same transfer. A chain transfer has two holds, of the amount and of the
 * fee, or one if both are in the same asset.
 */
export function commandsFor(due: DueCommand, transfer: CommandedTransfer): readonly Command[] {
  return COMMANDS[due](transfer);
}

const COMMANDS: Record<DueCommand, (transfer: CommandedTransfer) => Command[]> = {
  move: (transfer) => [
    {
      type: 'move_money',
      debit: { accountId: Number(transfer.sourceAccountId) },
      credit: { accountId: Number(transfer.destinationAccountId) },
      asset: transfer.asset,
      amount: formatAmount(transfer.amount),
      reason: 'transfer',
      reference: referenceOf(transfer),
    },
  ],
  credit: (transfer) => [
    {
      type: 'move_money',
      debit: { rail: transfer.chain! },
      credit: { accountId: Number(transfer.destinationAccountId) },
      asset: transfer.asset,
      amount: formatAmount(transfer.amount),
      reason: 'deposit',
      reference: referenceOf(transfer),
    },
  ],
  hold: (transfer) => {
    const { asset, amount, feeAsset, feeHeld } = transfer;
    if (isOneHold(transfer)) return [holdOf(transfer, holdId(transfer), asset, amount + feeHeld)];
    const ofAmount = holdOf(transfer, holdId(transfer), asset, amount);
    return feeHeld === 0n ? [ofAmount] : [ofAmount, holdOf(transfer, feeHoldId(transfer), feeAsset, feeHeld)];
  },
  pay: (transfer) => {
    if (isOneHold(transfer)) return [payTo(transfer, holdId(transfer), transfer.amount + transfer.fee)];
    return [payTo(transfer, holdId(transfer), null), ...settleFee(transfer)];
  },
  release: (transfer) => {
    if (isOneHold(transfer)) {
      const { fee } = transfer;
      return [fee > 0n ? payTo(transfer, holdId(transfer), fee) : releaseOf(holdId(transfer))];
    }
    return [releaseOf(holdId(transfer)), ...settleFee(transfer)];
  },
};

/** The id under which the ledger's entries name the transfer. */
export function referenceOf({ transferId }: Pick<WalletTransferEntity, 'transferId'>): string {
  return TRANSFER_IDS.format(Number(transferId));
}

function isOneHold({ asset, feeAsset }: CommandedTransfer): boolean {
  return asset === feeAsset;
}

function holdId(transfer: CommandedTransfer): string {
  return referenceOf(transfer);
}

function feeHoldId(transfer: CommandedTransfer): string {
  return `${referenceOf(transfer)}:gas`;
}

function settleFee(transfer: CommandedTransfer): Command[] {
  if (transfer.feeHeld === 0n) return [];
  const ownerId = feeHoldId(transfer);
  return [transfer.fee > 0n ? payTo(transfer, ownerId, transfer.fee) : releaseOf(ownerId)];
}

function holdOf(transfer: CommandedTransfer, ownerId: string, asset: string, units: bigint): Command {
  return {
    type: 'place_hold',
    ownerKind: 'transfer',
    ownerId,
    accountId: Number(transfer.sourceAccountId),
    asset,
    amount: formatAmount(units),
  };
}

/** With `units` null the whole hold is paid; any unpaid rest is released. */
function payTo({ chain }: CommandedTransfer, ownerId: string, units: bigint | null): Command {
  return {
    type: 'pay_from_hold',
    ownerKind: 'transfer',
    ownerId,
    credit: { rail: chain! },
    amount: units === null ? null : formatAmount(units),
    reason: 'withdrawal',
  };
}

function releaseOf(ownerId: string): Command {
  return { type: 'release_hold', ownerKind: 'transfer', ownerId };
}
