import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { JobLeader } from '../../../platform/jobs/job-leader.js';
import { StateAnnouncer } from '../../../platform/webhooks/state-announcer.js';
import type { WebhookEvent } from '../../../platform/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../platform/webhooks/webhooks.js';
import { PAYOUT_EVENTS } from './payout-events.js';
import { PayoutStateEntity } from './payout-state.entity.js';
import { toPayoutDto } from './payout.dto.js';
import { PayoutEntity } from './payout.entity.js';

/** Tells webhooks of each status that a payout comes into, once its money is where the status says. */
@Injectable()
export class PayoutAnnouncer extends StateAnnouncer<PayoutStateEntity> {
  constructor(@InjectDataSource() dataSource: DataSource, webhooks: Webhooks, leader: JobLeader) {
    super('payout_states', dataSource, webhooks, leader);
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
      // It may have gone on since: what is told is how it stood then.
      const { status, code, message, changedAt } = state;
      return {
        type: PAYOUT_EVENTS[status],
        audience: { accountOwner: payout.owner },
        at: changedAt,
        data: { ...toPayoutDto(payout), status, code, message, updated_at: changedAt.toISOString() },
      };
    });
  }
}
