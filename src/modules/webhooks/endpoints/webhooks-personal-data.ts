import { Injectable } from '@nestjs/common';
import { everyItem, everyItemOf } from '../../../kit/personal-data/pages.js';
import { type ExportingOwner, PersonalDataRegistry } from '../../../kit/personal-data/personal-data.js';
import { WebhookErasure } from '../delivery/webhook-erasure.js';
import { WebhooksService } from './webhooks.service.js';

/** Exports webhooks, and erases them with their deliveries. */
@Injectable()
export class WebhooksPersonalData {
  constructor(
    data: PersonalDataRegistry,
    private readonly webhooks: WebhooksService,
    erasure: WebhookErasure,
  ) {
    data.exports(
      {
        name: 'webhooks',
        holds: 'your webhooks, without their secrets',
        rows: ({ principal }) => everyItem((page) => webhooks.list(principal, page)),
      },
      {
        name: 'webhook_deliveries',
        holds: 'what was delivered to them, as long as it is kept',
        rows: (owner) =>
          everyItemOf('webhook_id', this.idsOf(owner), (id, page) =>
            webhooks.listDeliveries(owner.principal, id, page),
          ),
      },
    );
    data.erases({ name: 'webhooks', due: 'closing', erase: ({ key }) => erasure.eraseAllOf(key) });
  }

  private async *idsOf({ principal }: ExportingOwner): AsyncGenerator<string> {
    for await (const { webhook_id: id } of everyItem((page) => this.webhooks.list(principal, page))) yield id;
  }
}
