import type { EntityManager, EntityTarget, FindOneOptions, Repository } from 'typeorm';
import type { Approvals, Proposal } from '../../kit/approvals/approvals.service.js';
import { withHistory } from '../../kit/database/with-history.js';
import { snakeCase } from '../../kit/snake-case.js';
import type { SingleWriter } from '../requests/single-writer.js';
import { unavailable } from '../requests/failures.js';
import { Outbox, type OutboxRow, type OutboxSettings } from './outbox.js';

/** A row that goes through states; it waits for a second person in `pending_approval`, and goes on from there as `pending`. */
export interface LifecycleRow<Status extends string, Due extends string> extends OutboxRow<Due> {
  status: Status;
}

/**
 * For each state the states that may follow it, with the command that is due then; `keep` leaves the money where it is.
 * A step that is not listed does not exist.
 */
export type Steps<Status extends string, Due extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Status, Due | 'keep'>>>>
>;

export interface LifecycleTerms<Row, Status extends string, Due extends string> extends OutboxSettings<
  Row,
  Due
> {
  readonly entity: EntityTarget<Row>;
  readonly table: string;
  /**
   * The table with a row for each state that a row came into: its id, `status`, `changed_by`, the reasons, and for
   * `StateAnnouncer` `state_id`, `changed_at` and `is_announced`.
   */
  readonly history: string;
  /** The columns that say why a row is in its state, in both tables; null unless the step says so. */
  readonly reasons: readonly (keyof Row & string)[];
  readonly steps: Steps<Status, Due>;
  /** The state in which the core's acceptance of a first command leaves a row, where that is not the one that it has. */
  readonly acceptedAs?: Readonly<Partial<Record<Due, Status>>>;
}

/** A step to another state, as it goes into the history, and what else it changes in the row. */
export type Step<Row, Status extends string, Changed extends keyof Row = never> = Readonly<
  {
    to: Status;
    /** The person, see `personOf`; null where the service itself does it. */
    by: string | null;
  } & Partial<Pick<Row, Changed>>
>;

type Taken<Row extends OutboxRow<string>> = Pick<Row, 'dueCommand' | 'updatedAt'>;

/** The previous step's command may still be due; it is carried out, and the step tried again, this often. */
const TRIES_MAX = 3;

/**
 * Takes rows through their states, whose money follows by the outbox. A step changes the row, adds to the history and
 * says what is due in one statement, and starts only after the core has all commands of the step before. So of steps at
 * once one is taken, and a process that dies leaves a step that is either not taken or followed by its money.
 */
export abstract class Lifecycle<
  Row extends LifecycleRow<Status, Due>,
  Status extends string,
  Due extends string,
  Changed extends keyof Row & string = never,
> extends Outbox<Row, Due> {
  private readonly idName: string;

  protected constructor(
    core: SingleWriter,
    rows: Repository<Row>,
    protected readonly approvals: Approvals,
    private readonly terms: LifecycleTerms<Row, Status, Due>,
  ) {
    super(core, rows, terms);
    this.idName = snakeCase(terms.idColumn);
  }

  /** For a row that is not there, or that the core has not accepted. */
  protected abstract notFound(): Error;

  /** For a step that does not exist. */
  protected abstract impossible(row: Row, to: Status): Error;

  /** For a decision about a row that waits for none: with `approval_not_pending`. */
  protected abstract notWaiting(row: Row): Error;

  /** Whose money it is; null for the house's. Asked before the transaction that accepts the row. */
  protected abstract ownerOf(row: Row): string | null | Promise<string | null>;

  /** What a second person is to approve. */
  protected abstract proposalOf(
    manager: EntityManager,
    row: Row,
    owner: string | null,
    ownerName: string,
  ): Proposal | Promise<Proposal>;

  /** Runs in the transaction that accepts a row. */
  protected afterAcceptance?(manager: EntityManager, row: Row): Promise<void>;

  /** Adds to the history what `change` inserts or updates; it returns the history's columns. */
  recorded(change: string): string {
    const { history, reasons } = this.terms;
    const columns = [this.idName, 'status', 'changed_by', ...reasons.map(snakeCase)];
    return withHistory({ table: history, columns }, change);
  }

  /**
   * Takes the step that `decide` returns for the locked row (it may throw), and moves its money; null changes nothing.
   * Returns the row afterwards. Throws `notFound`, `impossible`, and `temporarily_unavailable` (503) while the core lacks
   * commands of the step before.
   */
  async take(
    id: string,
    decide: (
      row: Row,
      manager: EntityManager,
    ) => Step<Row, Status, Changed> | null | Promise<Step<Row, Status, Changed> | null>,
  ): Promise<Row> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      const { row, isReady } = await this.rows.manager.transaction(async (manager) => {
        const locked = await this.lock(manager, id);
        if (locked.dueCommand !== null) return { row: locked, isReady: false };
        const step = await decide(locked, manager);
        return { row: step === null ? locked : await this.stepLocked(manager, locked, step), isReady: true };
      });
      if (isReady) {
        if (row.dueCommand !== null) await this.settle(id);
        return row;
      }
      await this.carryOut(row);
    }
    throw unavailable(`The ${this.terms.owner} is being changed; try again in a moment.`);
  }

  /** Takes a step of a locked row in the caller's transaction, who settles it afterwards. Throws `impossible`. */
  async stepLocked(manager: EntityManager, row: Row, step: Step<Row, Status, Changed>): Promise<Row> {
    const taken = await this.step(manager, this.numberOf(row), step);
    if (taken === undefined) throw this.impossible(row, step.to);
    const { to: status, by: _by, ...changes } = step;
    return Object.assign(row, { ...this.noReasons(), ...changes, status, ...taken });
  }

  /**
   * Takes a step from whichever state it may be taken; afterwards the caller settles the row. Undefined where the row is in
   * none of these states, or the command of the step before is still due.
   */
  async step(
    manager: EntityManager,
    id: string,
    { to, by, ...changes }: Step<Row, Status, Changed>,
  ): Promise<Taken<Row> | undefined> {
    const { table, reasons, steps } = this.terms;
    const before = (Object.keys(steps) as Status[]).filter((from) => steps[from][to] !== undefined);
    const moving = before.filter((from) => steps[from][to] !== 'keep');
    const due = moving.map((from) => `WHEN '${from}' THEN '${steps[from][to]!}'`).join(' ');
    const values: unknown[] = [id, before, to, by];
    const assigned = Object.entries<unknown>({ ...this.noReasons(), ...changes })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `, ${snakeCase(name)} = $${values.push(value)}`);
    const [taken] = await manager.query<Taken<Row>[]>(
      this.recorded(
        `UPDATE ${table} SET status = $3::text, due_command = ${due === '' ? 'NULL' : `CASE status ${due} END`},
           updated_at = clock_timestamp()${assigned.join('')}
         WHERE ${this.idName} = $1::bigint AND status = ANY ($2::text[])
           AND due_command IS NULL AND accepted_at IS NOT NULL
         RETURNING ${this.idName}, status, $4::text AS changed_by, ${reasons.map(snakeCase).join(', ')},
           due_command AS "dueCommand", updated_at AS "updatedAt"`,
      ),
      values,
    );
    return taken && { dueCommand: taken.dueCommand, updatedAt: taken.updatedAt };
  }

  /** Locks a row until the transaction ends. Throws `notFound`. */
  async lock(manager: EntityManager, id: string): Promise<Row> {
    const row = await manager.findOne(this.terms.entity, {
      where: { [this.terms.idColumn]: id },
      lock: { mode: 'pessimistic_write' },
    } as FindOneOptions<Row>);
    if (row?.acceptedAt == null) throw this.notFound();
    return row;
  }

  /** As `lock`, of a row that waits for a second person. Throws also `notWaiting`. */
  async lockWaiting(manager: EntityManager, id: string): Promise<Row> {
    const row = await this.lock(manager, id);
    if (row.status !== 'pending_approval' || row.dueCommand !== null) throw this.notWaiting(row);
    return row;
  }

  /** A row that needs a second person is followed by its approval from here on. */
  protected async accept(row: Row, due: Due): Promise<Row> {
    const { table, reasons, acceptedAs } = this.terms;
    const id = this.numberOf(row);
    // Looked up before the transaction: code that holds a connection must not wait for another one.
    const owner = await this.ownerOf(row);
    const accepted = await this.rows.manager.transaction(async (manager) => {
      const [changed] = await manager.query<Pick<Row, 'status' | 'acceptedAt' | 'updatedAt'>[]>(
        this.recorded(
          `UPDATE ${table} SET status = coalesce($3::text, status), due_command = NULL, accepted_at = now(), updated_at = now()
           WHERE ${this.idName} = $1::bigint AND due_command = $2::text
           RETURNING ${this.idName}, status, requested_by AS changed_by,
             ${reasons.map((name) => `NULL AS ${snakeCase(name)}`).join(', ')},
             accepted_at AS "acceptedAt", updated_at AS "updatedAt"`,
        ),
        [id, due, acceptedAs?.[due] ?? null],
      );
      if (changed === undefined) return undefined;
      await this.afterAcceptance?.(manager, row);
      if (changed.status === 'pending_approval') {
        const name = owner === null ? 'the house' : await this.approvals.nameOf(owner, manager);
        await this.approvals.follow(
          manager,
          await this.proposalOf(manager, row, owner, name),
          row.requestedBy!,
        );
      }
      const { status, acceptedAt, updatedAt } = changed;
      return { status, acceptedAt, updatedAt, dueCommand: null };
    });
    // Where somebody else was faster, the row may have gone on since.
    return accepted === undefined ? this.find(id) : this.rows.create({ ...row, ...accepted } as never as Row);
  }

  private noReasons(): Record<string, null> {
    return Object.fromEntries(this.terms.reasons.map((name) => [name, null]));
  }
}
