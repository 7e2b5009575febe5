import type { EntityManager } from 'typeorm';
import { notifyUser } from '../../users/notices/notify-user.js';
import { PayoutAccountEntity } from '../payout-accounts/payout-account.entity.js';
import { toPayoutDto } from './payout.dto.js';
import type { PayoutEntity } from './payout.entity.js';

/** Notifies the owner of a payout that is accepted. */
export async function notifyOfPayout(manager: EntityManager, payout: PayoutEntity): Promise<void> {
  const { payoutAccountId, owner } = payout;
  const { last4 } = await manager.findOneByOrFail(PayoutAccountEntity, { payoutAccountId });
  const { payout_id: id, amount, currency } = toPayoutDto(payout);
  await notifyUser(manager, owner, 'payout_created', {
    payout: id,
    amount: `${amount} ${currency}`,
    to_account: { last4 },
  });
}
