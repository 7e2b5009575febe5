import type { Statements } from '../database/transaction.js';
import { DurableConsumer } from './durable-consumer.js';

/** An event as a webhook would tell it. */
export interface ListenedEvent {
  /** Such as `payout.paid`. */
  readonly type: string;
  readonly at: Date;
  /** What `/openapi.json` describes under `webhooks`. */
  readonly data: object;
  /** Whose accounts it is about; null where it is about nobody's. */
  readonly accountOwner: string | null;
}

/**
 * Listens to events of the service and of plugins, whether or not there are webhooks. It begins with what happens after its
 * first start. What happens while its plugin is away is kept for it as long as deliveries of webhooks are.
 */
export abstract class DurableListener extends DurableConsumer {
  /** The names of their types, of those that webhooks can have. */
  abstract readonly types: readonly string[];

  /** Some in a row, never none. Events are in order where one was published after another was committed. */
  abstract events(events: readonly ListenedEvent[], transaction: Statements): Promise<void>;
}
