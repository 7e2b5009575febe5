import { type DataSource, type EntityManager, type FindOptionsWhere, In, type ObjectLiteral } from 'typeorm';
import { snakeCase } from '../../kit/snake-case.js';
import { StateAnnouncer, type StateRow } from '../../kit/webhooks/state-announcer.js';
import type { WebhookEvent } from '../../kit/webhooks/webhook-event-type.js';
import type { Webhooks } from '../../kit/webhooks/webhooks.js';
import type { LifecycleTerms } from './lifecycle.js';

/** A state that a row came into. */
export interface ReachedState<Row, Status extends string> extends StateRow {
  readonly status: Status;
  readonly changedAt: Date;
  /** The row as it is now. */
  readonly row: Row;
}

type StoredState<Status extends string> = StateRow & {
  readonly id: string;
  readonly status: Status;
  readonly changedAt: Date;
};

/** Publishes each state of a row to webhooks, once its money has moved accordingly. */
export abstract class LifecycleAnnouncer<
  Row extends ObjectLiteral,
  Status extends string,
> extends StateAnnouncer<StoredState<Status>> {
  protected constructor(
    private readonly terms: LifecycleTerms<Row, Status, string>,
    dataSource: DataSource,
    webhooks: Webhooks,
  ) {
    super(terms.history, dataSource, webhooks);
  }

  /** The events for these states; a state may have none. */
  protected abstract eventsFor(
    manager: EntityManager,
    states: readonly ReachedState<Row, Status>[],
  ): WebhookEvent[] | Promise<WebhookEvent[]>;

  /** The row as it stood in a state, from which it may have gone on since. */
  protected asOf<Data extends { readonly status: Status }>(
    state: ReachedState<Row, Status>,
    data: Data,
  ): Data {
    const { status, changedAt } = state;
    if (data.status === status) return data;
    const reasons = Object.fromEntries(
      this.terms.reasons.map((name) => [name, (state as ObjectLiteral)[name] as string | null]),
    );
    return { ...data, status, ...reasons, updated_at: changedAt.toISOString() };
  }

  protected take(manager: EntityManager, limit: number): Promise<StoredState<Status>[]> {
    const { table, history, reasons, idColumn } = this.terms;
    const id = snakeCase(idColumn);
    return manager.query<StoredState<Status>[]>(
      `SELECT state.state_id AS "stateId", state.${id} AS id, state.status, state.changed_at AS "changedAt",
         ${reasons.map((name) => `state.${snakeCase(name)} AS "${name}"`).join(', ')}
       FROM ${history} state JOIN ${table} changed ON changed.${id} = state.${id}
       WHERE NOT state.is_announced AND changed.accepted_at IS NOT NULL AND changed.due_command IS NULL
       ORDER BY state.state_id LIMIT $1 FOR UPDATE OF state SKIP LOCKED`,
      [limit],
    );
  }

  protected async eventsOf(
    manager: EntityManager,
    states: readonly StoredState<Status>[],
  ): Promise<WebhookEvent[]> {
    const { entity, idColumn } = this.terms;
    const where = { [idColumn]: In(states.map(({ id }) => id)) } as FindOptionsWhere<Row>;
    const rows = await manager.findBy(entity, where);
    const byId = new Map(rows.map((row) => [row[idColumn] as string, row]));
    return this.eventsFor(
      manager,
      states.map((state) => ({ ...state, row: byId.get(state.id)! })),
    );
  }
}
