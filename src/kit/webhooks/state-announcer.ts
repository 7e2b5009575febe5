import type { DataSource, EntityManager } from 'typeorm';
import { BackgroundLoop } from '../jobs/background-loop.js';
import type { WebhookEvent } from './webhook-event-type.js';
import type { Webhooks } from './webhooks.js';

const LOOK_EVERY_MS = 500;
const STATES_PER_ROUND = 200;

/** A row of a history. */
export interface StateRow {
  readonly stateId: string;
}

/**
 * Publishes a history to webhooks. The history is a table with a row for each state that something entered, written in
 * the transaction of the change. The row itself records whether it was announced, so a writer, even a plain statement
 * or a script, need do nothing more, and no row is missed when rows commit out of the order of their numbers.
 *
 * The table has the columns `state_id` and `is_announced`, and an index over the unannounced rows.
 */
export abstract class StateAnnouncer<Row extends StateRow> {
  readonly duty = new BackgroundLoop({ name: this.constructor.name, everyMs: LOOK_EVERY_MS }, () =>
    this.announceNext(),
  );

  /** `table` is the name of the history's table. */
  protected constructor(
    private readonly table: string,
    private readonly dataSource: DataSource,
    private readonly webhooks: Webhooks,
  ) {}

  /**
   * The oldest unannounced rows that may be announced. They are locked, and rows locked by others are skipped: for a
   * moment two processes may believe that they lead.
   */
  protected abstract take(manager: EntityManager, limit: number): Promise<readonly Row[]>;

  /** The events for these rows; a row may have none. */
  protected abstract eventsOf(manager: EntityManager, rows: readonly Row[]): Promise<readonly WebhookEvent[]>;

  /** Announces a bounded number of rows, and returns whether more are left. */
  private announceNext(): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const rows = await this.take(manager, STATES_PER_ROUND);
      if (rows.length === 0) return false;
      await this.webhooks.publish(manager, ...(await this.eventsOf(manager, rows)));
      await manager.query(
        `UPDATE ${this.table} SET is_announced = true WHERE state_id = ANY ($1::bigint[])`,
        [rows.map(({ stateId }) => stateId)],
      );
      return rows.length === STATES_PER_ROUND;
    });
  }
}
