import { Logger } from '@nestjs/common';
import {
  IsNull,
  LessThan,
  MoreThan,
  Not,
  type FindOptionsOrder,
  type FindOptionsWhere,
  type QueryDeepPartialEntity,
  type Repository,
} from 'typeorm';
import type { Command, Outcome, Refusal } from '../../domain/engine/commands.js';
import { CodedError } from '../../kit/coded-error.js';
import type { BackgroundRun } from '../../kit/jobs/background-loop.js';
import { LeaderLoop } from '../../kit/jobs/leader-loop.js';
import type { SingleWriter } from '../requests/single-writer.js';
import { outcomeUnknown } from '../requests/failures.js';

/** A command without effect: it uses up the key of commands that must never run again. */
const NOTHING: Command = { type: 'advance_time' };

const SWEEP_EVERY_MS = 10_000;
/** The process that has just committed a row is about to send its commands itself. */
const SWEPT_AFTER_MS = 5_000;
const SWEPT_AT_ONCE_MAX = 100;

/** A row that says which commands the core must still be sent. */
export interface OutboxRow<Due extends string> {
  dueCommand: Due | null;
  /** The person (see `personOf`) in whose name the first commands run; null for the service itself. */
  requestedBy: string | null;
  /** When the first commands had run; the row is invisible before. */
  acceptedAt: Date | null;
  updatedAt: Date;
}

export interface OutboxSettings<Row, Due extends string> {
  /** Whose keys the commands are in the core, where they are kept for good: never change it. */
  readonly owner: string;
  /** The column that numbers the rows. */
  readonly idColumn: keyof Row & string;
  /** The commands that a row begins with: where the core refuses one, there is no such row. */
  readonly first: readonly Due[];
  /** Tells a caller that the row is committed, and how to find out what became of it. */
  readonly laterMessage: string;
}

/** What became of a row: it is as the core has answered, or it is gone without a trace. */
export type Verdict<Row> =
  | { readonly accepted: true; readonly row: Row }
  | { readonly accepted: false; readonly refusal: Refusal };

/**
 * Sends the core the commands that rows of a module have due. A row and its commands are two transactions:
 *
 * 1. The module commits the row, with its `due_command`.
 * 2. The core runs the commands, once, under a key made of the row's id.
 * 3. The outcome is recorded in the row, and its `due_command` is cleared.
 *
 * Where a process dies in between, `sweep` goes on from the row. Every step can be repeated, by several processes
 * at once: the core answers a known key as before, and an outcome is recorded only where its command is still due.
 *
 * A row whose first commands are refused is deleted. Before that, a command of no effect uses up their key, so
 * that nobody who read the row earlier can still run them. A later command follows from what the core has
 * accepted, so a refusal is a fault there and the row stays due.
 */
export abstract class Outbox<Row extends OutboxRow<Due>, Due extends string> extends LeaderLoop {
  private readonly logger: Logger;

  protected constructor(
    protected readonly core: SingleWriter,
    protected readonly rows: Repository<Row>,
    private readonly settings: OutboxSettings<Row, Due>,
  ) {
    super(core, { name: new.target.name, everyMs: SWEEP_EVERY_MS });
    this.logger = new Logger(this.constructor.name);
  }

  /** The row's id in the keys of its commands: never change it. */
  protected abstract idOf(row: Row): string;

  /** What the core is sent as one unit, always the same for the same row. */
  protected abstract commandsFor(row: Row, due: Due): readonly Command[] | Promise<readonly Command[]>;

  /**
   * Records, in one transaction, that the first commands have run, where `due` is still due. Answers the row as
   * it is then.
   */
  protected abstract accept(row: Row, due: Due): Promise<Row>;

  /**
   * Does what the row has due. Throws what the core throws: `temporarily_unavailable` or `outcome_unknown`,
   * after either of which the sweep tries again.
   */
  async carryOut(row: Row): Promise<Verdict<Row>> {
    const { dueCommand } = row;
    if (dueCommand === null) return { accepted: true, row };
    if (this.settings.first.includes(dueCommand)) return this.begin(row, dueCommand);
    return { accepted: true, row: await this.finish(row, dueCommand) };
  }

  /**
   * As `carryOut`, for a waiting caller. The sweep will complete a committed row, so the caller must not be told that
   * nothing was done: `temporarily_unavailable` becomes `outcome_unknown`.
   */
  async carryOutForCaller(row: Row): Promise<Verdict<Row>> {
    try {
      return await this.carryOut(row);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'temporarily_unavailable') throw error;
      throw outcomeUnknown(this.settings.laterMessage, error);
    }
  }

  /** Does what follows from a committed change; where the core cannot be asked now, the sweep will. */
  async settle(id: string): Promise<void> {
    await this.carryOutOrLog(await this.find(id));
  }

  /** Goes on with what was committed longer ago than `olderThanMs`, oldest first. Answers how many rows it was. */
  async sweep(olderThanMs: number): Promise<number> {
    const { idColumn } = this.settings;
    let swept = 0;
    let after = '0';
    for (;;) {
      const due = await this.rows.find({
        where: {
          dueCommand: Not(IsNull()),
          [idColumn]: MoreThan(after),
          updatedAt: LessThan(new Date(Date.now() - olderThanMs)),
        } as FindOptionsWhere<Row>,
        order: { [idColumn]: 'ASC' } as FindOptionsOrder<Row>,
        take: SWEPT_AT_ONCE_MAX,
      });
      for (const row of due) await this.carryOutOrLog(row);
      swept += due.length;
      if (due.length < SWEPT_AT_ONCE_MAX) break;
      after = this.numberOf(due.at(-1)!);
    }
    if (swept > 0) this.logger.log({ swept, msg: 'unfinished rows were swept' });
    return swept;
  }

  protected async work({ isFirst }: BackgroundRun): Promise<boolean> {
    await this.sweep(isFirst ? 0 : SWEPT_AFTER_MS);
    return false;
  }

  protected find(id: string): Promise<Row> {
    return this.rows.findOneByOrFail({ [this.settings.idColumn]: id } as FindOptionsWhere<Row>);
  }

  /** One that fails must not keep the others from their turn. */
  private async carryOutOrLog(row: Row): Promise<void> {
    const { dueCommand } = row;
    const id = this.idOf(row);
    try {
      const verdict = await this.carryOut(row);
      if (!verdict.accepted) this.logger.log({ id, code: verdict.refusal.code, msg: 'the core has refused' });
    } catch (error) {
      this.logger.warn({ err: error, id, dueCommand, msg: 'a command waits for the core' });
    }
  }

  /** Runs the first commands: all of them, or the row never was. */
  private async begin(row: Row, due: Due): Promise<Verdict<Row>> {
    const commands = await this.commandsFor(row, due);
    const outcomes = await this.submit(row, due, due, commands, row.requestedBy);
    const refusal = refusalIn(outcomes);
    if (refusal === undefined) return { accepted: true, row: await this.accept(row, due) };
    // With the code `idempotency_key_reused` somebody else has withdrawn them.
    if (
      refusal.code !== 'idempotency_key_reused' &&
      !(await this.withdraw(row, due, appliedOf(commands, outcomes)))
    ) {
      return this.begin(row, due);
    }
    await this.rows.delete(this.stillDue(row, due));
    return { accepted: false, refusal };
  }

  /**
   * Makes sure that nothing of refused commands stays or ever happens. False where another attempt under the
   * same key has been accepted meanwhile.
   */
  private async withdraw(row: Row, due: Due, applied: readonly Command[]): Promise<boolean> {
    if (applied.length > 0) {
      // The key of a request is used up once any of its commands was applied.
      await this.submit(row, 'withdraw', due, applied.map(releaseOf));
      return true;
    }
    const [taken] = await this.submit(row, due, 'nothing', [NOTHING]);
    return taken!.ok;
  }

  private async finish(row: Row, due: Due): Promise<Row> {
    const outcomes = await this.submit(row, due, due, await this.commandsFor(row, due));
    const refusal = refusalIn(outcomes);
    if (refusal !== undefined) {
      throw new Error(`the core refused to ${due} ${this.settings.owner} ${this.idOf(row)}: ${refusal.code}`);
    }
    await this.rows.update(this.stillDue(row, due), {
      dueCommand: null,
      acceptedAt: () => 'coalesce(accepted_at, now())',
    } as QueryDeepPartialEntity<Row>);
    return this.find(this.numberOf(row));
  }

  private async submit(
    row: Row,
    purpose: string,
    fingerprint: string,
    commands: readonly Command[],
    actor: string | null = null,
  ): Promise<readonly Outcome[]> {
    const { owner } = this.settings;
    const { outcomes } = await this.core.submit({
      commands,
      ...(actor !== null && { actor }),
      idempotency: { owner, key: `${this.idOf(row)}:${purpose}`, fingerprint, keptForGood: true },
    });
    return outcomes;
  }

  protected numberOf(row: Row): string {
    return row[this.settings.idColumn] as string;
  }

  private stillDue(row: Row, due: Due): FindOptionsWhere<Row> {
    return {
      [this.settings.idColumn]: this.numberOf(row),
      dueCommand: due,
    } as FindOptionsWhere<Row>;
  }
}

function refusalIn(outcomes: readonly Outcome[]): Refusal | undefined {
  return outcomes.find((outcome) => !outcome.ok)?.refusal;
}

function appliedOf(commands: readonly Command[], outcomes: readonly Outcome[]): readonly Command[] {
  return commands.filter((_, place) => outcomes[place]!.ok);
}

function releaseOf(command: Command): Command {
  if (command.type !== 'place_hold') throw new Error(`${command.type} cannot be taken back`);
  const { ownerKind, ownerId } = command;
  return { type: 'release_hold', ownerKind, ownerId };
}
