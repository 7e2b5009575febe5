import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { SecretBox } from '../../../kit/vault/secret-box.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';

const DELIVERIES_AT_ONCE_MAX = 1_000;

/** Erases the webhooks of a closed owner, and what was or would have been sent. */
@Injectable()
export class WebhookErasure {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly box: SecretBox,
  ) {}

  /**
   * Endpoints of the owner, and of who acted on the owner's accounts; with their deliveries and the owner's events, those that
   * listeners of plugins have not taken up yet, too.
   */
  async eraseAllOf(owner: string): Promise<void> {
    await this.database.query('DELETE FROM listened_events WHERE account_owner = $1', [owner]);
    const endpoints = await this.database.query<{ readonly endpoint_id: string }[]>(
      'SELECT endpoint_id FROM webhook_endpoints WHERE account_owner = $1',
      [owner],
    );
    for (const { endpoint_id: endpointId } of endpoints) {
      while (await this.eraseDeliveries(endpointId, owner));
      await this.database.transaction((manager) => this.eraseEndpoint(manager, endpointId));
    }
  }

  /** Events by their publisher's keys, with their deliveries to anybody. */
  async eraseEvents(manager: EntityManager, keys: readonly string[]): Promise<void> {
    await manager.query('DELETE FROM listened_events WHERE key = ANY($1::text[])', [keys]);
    const [events] = await manager.query<[{ readonly event_id: string }[], number]>(
      'DELETE FROM webhook_events WHERE key = ANY($1::text[]) RETURNING event_id',
      [keys],
    );
    await manager.query(
      `WITH deliveries AS MATERIALIZED (
         SELECT delivery_id FROM webhook_deliveries WHERE event_id = ANY($1::bigint[])
         ORDER BY delivery_id FOR UPDATE
       ), attempts AS (
         DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT delivery_id FROM deliveries)
       )
       DELETE FROM webhook_deliveries WHERE delivery_id IN (SELECT delivery_id FROM deliveries)`,
      [events.map(({ event_id }) => event_id)],
    );
  }

  /** Answers whether more may be left. */
  private async eraseDeliveries(endpointId: string, owner: string): Promise<boolean> {
    const [{ erased }] = await this.database.query<[{ readonly erased: number }]>(
      `WITH deliveries AS MATERIALIZED (
         SELECT delivery_id, event_id FROM webhook_deliveries WHERE endpoint_id = $1
         ORDER BY delivery_id LIMIT ${DELIVERIES_AT_ONCE_MAX} FOR UPDATE
       ), attempts AS (
         DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT delivery_id FROM deliveries)
       ), removed AS (
         DELETE FROM webhook_deliveries WHERE delivery_id IN (SELECT delivery_id FROM deliveries)
       ), events AS (
         DELETE FROM webhook_events
         WHERE event_id IN (SELECT event_id FROM deliveries) AND account_owner = $2
       )
       SELECT count(*)::integer AS erased FROM deliveries`,
      [endpointId, owner],
    );
    return erased === DELIVERIES_AT_ONCE_MAX;
  }

  private async eraseEndpoint(manager: EntityManager, endpointId: string): Promise<void> {
    const endpoint = await manager.findOneBy(WebhookEndpointEntity, { endpointId });
    if (endpoint === null) return;
    const { sealedSecret, sealedPreviousSecret } = endpoint;
    await manager.delete(WebhookEndpointEntity, { endpointId });
    await this.box.discard(sealedSecret, manager);
    if (sealedPreviousSecret !== null) await this.box.discard(sealedPreviousSecret, manager);
  }
}
