import { Injectable } from '@nestjs/common';
import { everyItem, everyItemOf } from '../../../kit/personal-data/pages.js';
import type {
  ExportingOwner,
  PersonalErasure,
  PersonalSection,
} from '../../../kit/personal-data/personal-data.js';
import { WebhookErasure } from '../delivery/webhook-erasure.js';
import { WebhooksService } from './webhooks.service.js';

/** Exports webhooks, and erases them with their deliveries. */
@Injectable()
export class WebhooksPersonalData {
  readonly sections: readonly PersonalSection[];
  readonly erasures: readonly PersonalErasure[];

  constructor(
    private readonly webhooks: WebhooksService,
    erasure: WebhookErasure,
  ) {
    this.sections = [
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
    ];
    this.erasures = [{ name: 'webhooks', due: 'closing', erase: ({ key }) => erasure.eraseAllOf(key) }];
  }

  private async *idsOf({ principal }: ExportingOwner): AsyncGenerator<string> {
    for await (const { webhook_id: id } of everyItem((page) => this.webhooks.list(principal, page))) yield id;
  }
}
