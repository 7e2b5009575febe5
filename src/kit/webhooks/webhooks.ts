import type { EntityManager } from 'typeorm';
import type { Transaction } from '../database/transaction.js';
import type { WebhookEvent, WebhookEventType } from './webhook-event-type.js';

/** A principal with endpoints that subscribe to some event type. */
export interface Listener {
  /** See `Principal.key`. */
  readonly principal: string;
  /** See `Principal.accountOwner`. */
  readonly accountOwner: string;
  /** The earliest time from which it subscribes. */
  readonly since: Date;
}

/**
 * Publishes events to webhooks. An event is published in the transaction of the change, so that both are committed or
 * neither. It is then delivered at least once to every endpoint that subscribes to it, in no particular order; and exactly
 * once, in order, to each `DurableListener`.
 */
export abstract class Webhooks {
  /** Publishes events in the caller's transaction; cheap where nobody subscribes. */
  abstract publish(transaction: Transaction, ...events: readonly WebhookEvent[]): Promise<void>;

  /** Since when a `DurableListener` has wanted any of these types, of everybody; null where none does. */
  abstract listenedSince(
    manager: EntityManager,
    types: readonly WebhookEventType<object>[],
  ): Promise<Date | null>;

  /** The subscribers of any of these types, for publishers that cannot afford to publish everything. */
  abstract listenersOf(
    manager: EntityManager,
    types: readonly WebhookEventType<object>[],
  ): Promise<readonly Listener[]>;
}
