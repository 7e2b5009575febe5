import type { Command } from '../../../domain/engine/commands.js';
import { formatAmount } from '../../../domain/money/amount.js';
import type { PayoutDueCommand, PayoutEntity } from './payout.entity.js';
import { PAYOUT_IDS } from '../ids.js';

/** A payout's public id; also who owns its hold in the core. */
export function payoutIdOf({ payoutId }: Pick<PayoutEntity, 'payoutId'>): string {
  return PAYOUT_IDS.format(Number(payoutId));
}

/** What its rail calls a payout: letters, digits and a hyphen, which all banks take. */
export function paymentIdOf(payout: Pick<PayoutEntity, 'payoutId'>): string {
  return payoutIdOf(payout).replace('_', '-');
}

/** The reverse of `paymentIdOf`; undefined for what it has not made. */
export function payoutNumberOf(paymentId: string): number | undefined {
  return PAYOUT_IDS.parse(paymentId.replace('-', '_'));
}

/**
 * The commands for the core, sent in one request so that no other command comes between them. `feesAccountId` is the
 * house's, required if a fee is paid.
 */
export function commandsFor(
  due: PayoutDueCommand,
  payout: PayoutEntity,
  feesAccountId: number | undefined,
): readonly Command[] {
  const { rail, currency, amount, fee } = payout;
  const accountId = Number(payout.accountId);
  const ownerId = payoutIdOf(payout);
  const hold = { ownerKind: 'payout', ownerId } as const;
  switch (due) {
    case 'hold':
      return [
        { type: 'place_hold', ...hold, accountId, asset: currency, amount: formatAmount(amount + fee) },
      ];
    case 'release':
      return [{ type: 'release_hold', ...hold }];
    case 'pay': {
      const pay: Command = {
        type: 'pay_from_hold',
        ...hold,
        credit: { rail },
        amount: formatAmount(amount),
        reason: 'payout',
      };
      if (feesAccountId === undefined) return [pay];
      // The rest of the hold is the fee, which this has just released.
      return [
        pay,
        {
          type: 'move_money',
          debit: { accountId },
          credit: { accountId: feesAccountId },
          asset: currency,
          amount: formatAmount(fee),
          reason: 'transfer',
          reference: `${ownerId} fee`,
        },
      ];
    }
    case 'reverse':
      return [
        {
          type: 'move_money',
          debit: { rail },
          credit: { accountId },
          asset: currency,
          amount: formatAmount(amount),
          reason: 'reversal',
          reference: ownerId,
        },
      ];
  }
}
