import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { LifecycleAnnouncer, type ReachedState } from '../../../core/outbox/lifecycle-announcer.js';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { PAYOUT_EVENTS } from './payout-events.js';
import { PAYOUT_TERMS } from './payout-lifecycle.service.js';
import { toPayoutDto } from './payout.dto.js';
import type { PayoutEntity } from './payout.entity.js';

/** Publishes each status of a payout to webhooks, once its money has moved accordingly. */
@Injectable()
export class PayoutAnnouncer extends LifecycleAnnouncer<PayoutEntity, PayoutStatus> {
  constructor(@InjectDataSource() dataSource: DataSource, webhooks: Webhooks) {
    super(PAYOUT_TERMS, dataSource, webhooks);
  }

  protected eventsFor(
    _manager: EntityManager,
    states: readonly ReachedState<PayoutEntity, PayoutStatus>[],
  ): WebhookEvent[] {
    return states.map((state) => ({
      type: PAYOUT_EVENTS[state.status],
      audience: { accountOwner: state.row.owner },
      at: state.changedAt,
      data: this.asOf(state, toPayoutDto(state.row)),
    }));
  }
}
