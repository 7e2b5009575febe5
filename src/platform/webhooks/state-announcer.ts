import type { DataSource, EntityManager } from 'typeorm';
import type { JobLeader } from '../jobs/job-leader.js';
import { Rounds } from '../jobs/rounds.js';
import type { WebhookEvent } from './webhook-event-type.js';
import type { Webhooks } from './webhooks.js';

const LOOK_EVERY_MS = 500;
const STATES_PER_ROUND = 200;

/** A row of a history. */
export interface StateRow {
  readonly stateId: string;
}

/**
 * Tells webhooks what a history has to tell: a table with a row for each state that something came into,
 * written in the transaction of the change. The row says itself whether it was announced, so whoever writes
 * one, be it a plain statement or a script, has nothing more to do, and rows that commit in another order
 * than they are numbered in are all found.
 *
 * The table has the columns `state_id` and `is_announced`, and an index over what is not announced.
 */
export abstract class StateAnnouncer<Row extends StateRow> {
  /** `table` is that of the history. */
  protected constructor(
    private readonly table: string,
    private readonly dataSource: DataSource,
    private readonly webhooks: Webhooks,
    leader: JobLeader,
  ) {
    leader.assume(
      new Rounds({ name: this.constructor.name, everyMs: LOOK_EVERY_MS }, () => this.announceNext()),
    );
  }

  /**
   * The oldest that are not announced and may be. They are locked, and such as are locked by others are
   * passed over: for a moment two processes may believe that they lead.
   */
  protected abstract take(manager: EntityManager, limit: number): Promise<readonly Row[]>;

  /** What there is to tell of them; of some there may be nothing. */
  protected abstract eventsOf(manager: EntityManager, rows: readonly Row[]): Promise<readonly WebhookEvent[]>;

  /** Tells of a bounded number, and answers whether more are left. */
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
