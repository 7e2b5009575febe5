import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, LessThanOrEqual, type FindOptionsWhere } from 'typeorm';
import { type DisabledReason, WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { giveUpPending, webhookIdOf } from './webhook-endpoints.service.js';
import { WEBHOOK_DISABLED } from './webhook-own-events.js';
import { WebhookTiming } from './webhook-timing.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';

/** Disables endpoints that no longer answer or whose credential is gone, and notifies their owners' other endpoints. */
@Injectable()
export class EndpointDisabling {
  private readonly logger = new Logger('Webhooks');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly webhooks: Webhooks,
    private readonly timing: WebhookTiming,
  ) {}

  /** The receiver answered that it wants no more deliveries. */
  async disableGone(endpointId: string): Promise<void> {
    await this.disable({ endpointId }, 'gone');
  }

  /** A delivery to it was given up; it stays enabled if others succeeded lately. */
  async disableFailing(endpointId: string): Promise<void> {
    const since = new Date(this.timing.now().getTime() - this.timing.failingAtMostMs);
    await this.disable({ endpointId, failingSince: LessThanOrEqual(since) }, 'failing');
  }

  /** The credential that made it is gone. */
  async disableUncredentialed(endpointId: string): Promise<void> {
    await this.disable({ endpointId }, 'credential');
  }

  private async disable(
    which: FindOptionsWhere<WebhookEndpointEntity>,
    reason: Exclude<DisabledReason, 'owner'>,
  ): Promise<void> {
    await this.dataSource.transaction(async (manager: EntityManager) => {
      const endpoint = await manager.findOne(WebhookEndpointEntity, {
        where: { ...which, disabledAt: IsNull(), deletedAt: IsNull() },
        lock: { mode: 'pessimistic_write' },
      });
      if (endpoint === null) return;
      const { endpointId, owner, accountOwner, url } = endpoint;
      const now = this.timing.now();
      endpoint.disabledAt = now;
      endpoint.disabledReason = reason;
      endpoint.updatedAt = now;
      await manager.save(endpoint);
      await giveUpPending(manager, [endpointId], now);
      await this.webhooks.publish(manager, {
        type: WEBHOOK_DISABLED,
        data: { webhook_id: webhookIdOf(endpointId), url, reason },
        audience: { principals: [owner, accountOwner] },
        at: now,
      });
      this.logger.log({ webhookId: webhookIdOf(endpointId), reason, msg: 'a webhook was disabled' });
    });
  }
}
