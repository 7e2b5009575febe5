import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { StateAnnouncer, type StateRow } from '../../../kit/webhooks/state-announcer.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { KYC_EVENTS } from './kyc-events.js';
import { toKycDto } from './kyc.dto.js';

interface KycStateRow extends StateRow {
  readonly kycId: string;
  readonly changedAt: Date;
  /** Whether the case is still in this status, and the status differs from the last one announced. */
  readonly isNews: boolean;
}

/** Publishes each status of a KYC case to webhooks, except statuses that it passes through at once. */
@Injectable()
export class KycAnnouncer extends StateAnnouncer<KycStateRow> {
  constructor(@InjectDataSource() dataSource: DataSource, webhooks: Webhooks) {
    super('kyc_states', dataSource, webhooks);
  }

  protected take(manager: EntityManager, limit: number): Promise<KycStateRow[]> {
    return manager.query<KycStateRow[]>(
      `SELECT state.state_id AS "stateId", state.kyc_id AS "kycId", state.changed_at AS "changedAt",
         NOT EXISTS (
           SELECT FROM kyc_states later WHERE later.kyc_id = state.kyc_id AND later.state_id > state.state_id
         ) AND state.status IS DISTINCT FROM (
           SELECT announced.status FROM kyc_states announced WHERE announced.kyc_id = state.kyc_id AND announced.is_announced
           ORDER BY announced.state_id DESC LIMIT 1
         ) AS "isNews"
       FROM kyc_states state WHERE NOT state.is_announced
       ORDER BY state.state_id LIMIT $1 FOR UPDATE OF state SKIP LOCKED`,
      [limit],
    );
  }

  protected async eventsOf(manager: EntityManager, states: readonly KycStateRow[]): Promise<WebhookEvent[]> {
    const news = new Map(states.filter(({ isNews }) => isNews).map((state) => [state.kycId, state]));
    const cases = await manager.findBy(KycCaseEntity, { kycId: In([...news.keys()]) });
    return cases.map((kyc) => ({
      type: KYC_EVENTS[kyc.status],
      audience: { accountOwner: kyc.owner },
      at: news.get(kyc.kycId)!.changedAt,
      data: toKycDto(kyc),
    }));
  }
}
