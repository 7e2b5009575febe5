import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { StateAnnouncer } from '../../../kit/webhooks/state-announcer.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { PAYOUT_EVENTS } from './payout-events.js';
import { PayoutStateEntity } from './payout-state.entity.js';
import { type PayoutDto, toPayoutDto } from './payout.dto.js';
import { PayoutEntity } from './payout.entity.js';

/** Publishes each status of a payout to webhooks, once its money has moved accordingly. */
@Injectable()
export class PayoutAnnouncer extends StateAnnouncer<PayoutStateEntity> {
  constructor(@InjectDataSource() dataSource: DataSource, webhooks: Webhooks) {
    super('payout_states', dataSource, webhooks);
  }

  protected take(manager: EntityManager, limit: number): Promise<PayoutStateEntity[]> {
    return manager
      .createQueryBuilder(PayoutStateEntity, 'state')
      .innerJoin(PayoutEntity, 'payout', 'payout.payout_id = state.payout_id')
      .where('NOT state.is_announced AND payout.due_command IS NULL')
      .orderBy('state.state_id')
      .limit(limit)
      .setLock('pessimistic_write', undefined, ['state'])
      .setOnLocked('skip_locked')
      .getMany();
  }

  protected async eventsOf(
    manager: EntityManager,
    states: readonly PayoutStateEntity[],
  ): Promise<WebhookEvent[]> {
    const ids = states.map(({ payoutId }) => payoutId);
    const payouts = await manager.findBy(PayoutEntity, { payoutId: In(ids) });
    const byId = new Map(payouts.map((payout) => [payout.payoutId, payout]));
    return states.map((state) => {
      const payout = byId.get(state.payoutId)!;
      return {
        type: PAYOUT_EVENTS[state.status],
        audience: { accountOwner: payout.owner },
        at: state.changedAt,
        data: asOf(state, toPayoutDto(payout)),
      };
    });
  }
}

/** The payout as it stood in a state, from which it may have gone on since. */
function asOf({ status, code, message, changedAt }: PayoutStateEntity, payout: PayoutDto): PayoutDto {
  if (payout.status === status) return payout;
  return { ...payout, status, code, message, updated_at: changedAt.toISOString() };
}
