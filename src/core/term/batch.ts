/** Applies one batch to the working state: what is due, then requests, previews and quotes in their order. */
import type { AuditEntry } from '../../kit/audit/audit-entry.js';
import type { Changes } from '../../domain/engine/changes.js';
import type { Command, Outcome } from '../../domain/engine/commands.js';
import { isRefusal } from '../../domain/engine/context.js';
import type { Engine } from '../../domain/engine/engine.js';
import type { PreviewableCommand } from '../../domain/engine/preview.js';
import type { Limits } from '../../domain/engine/state.js';
import type { BatchKeys } from '../keys/command-keys.js';
import type { CoreAnswer, CoreRequest } from '../requests/requests.js';
import type { DueScope } from './due-work.js';
import { ActorRuns } from '../journal/journal.js';
import { type BatchSettlements, withHolders } from './settlements.js';
import type { Work, WorkAnswer } from '../requests/work.js';

/** A batch that has been applied to the working state. */
export interface AppliedBatch {
  /** In the order of the works. */
  readonly answers: readonly WorkAnswer[];
  readonly changes: Changes;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly timeMs: number;
  /** Those that changed something. */
  readonly commands: readonly Command[];
  readonly actors: string | null;
  /** Acts of operators that it carries out. */
  readonly audit: readonly AuditEntry[];
  /** The keys that it makes. */
  readonly keys: BatchKeys;
}

export type WantedLimits = Partial<Omit<Limits, 'digest'>>;

export interface BatchOptions {
  readonly keys: BatchKeys;
  readonly timeMs: number;
  /** Null where nothing is due, or has to wait. */
  readonly due: DueScope | null;
  readonly settlements: BatchSettlements;
  /** Where they differ from those in force, the batch sets them. */
  readonly limits?: WantedLimits;
}

export function applyBatch(engine: Engine, works: readonly Work[], options: BatchOptions): AppliedBatch {
  return new Batch(engine, options).apply(works);
}

class Batch {
  private readonly changes: Changes;
  private readonly firstSequence: number;
  /** Those that changed something, and who sent them. */
  private readonly commands: Command[] = [];
  private readonly actors = new ActorRuns();
  private readonly audit: AuditEntry[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly options: BatchOptions,
  ) {
    this.changes = engine.beginBatch(options.timeMs);
    this.firstSequence = engine.state.sequence + 1;
  }

  apply(works: readonly Work[]): AppliedBatch {
    const { engine } = this;
    const { keys, timeMs, due } = this.options;
    this.configureLimits();
    if (due !== null) for (const command of this.dueCommands(due)) this.run(command, null);
    const answers = works.map((work): WorkAnswer => {
      switch (work.kind) {
        case 'request':
          return this.answer(work.request);
        case 'preview':
          return this.preview(work.command);
        case 'quote':
          return engine.priceQuote(work.request);
      }
    });
    engine.checkBatch();
    return {
      answers,
      changes: this.changes,
      firstSequence: this.firstSequence,
      lastSequence: engine.state.sequence,
      timeMs,
      commands: this.commands,
      actors: this.actors.encode(this.commands.length),
      audit: this.audit,
      keys,
    };
  }

  private run(asked: Command, actor: string | null): Outcome {
    const command = withHolders(asked, this.options.settlements);
    if (isRefusal(command)) return { ok: false, refusal: command };
    const outcome = this.engine.apply(command);
    if (outcome.ok) {
      this.commands.push(command);
      this.actors.add(actor);
    }
    return outcome;
  }

  private preview(command: PreviewableCommand): WorkAnswer {
    const repeated = this.options.keys.refusalOfRepeat(command);
    if (repeated !== null) return repeated;
    const asked = withHolders(command, this.options.settlements);
    return isRefusal(asked) ? asked : this.engine.preview(asked);
  }

  private dueCommands({ alone, limit, except }: DueScope): Command[] {
    const { continued } = this.options.settlements;
    const commands = this.engine.dueCommands(this.options.timeMs).map((command): Command => {
      if (command.type !== 'advance_time') return command;
      return {
        ...command,
        ...(limit !== null && { limit }),
        ...(except.size > 0 && { except: [...except].sort() }),
      };
    });
    // Behind stops that wait, before what falls due: as `nextDueMarket` tells.
    if (continued !== null) commands.splice(commands[0]?.type === 'run_triggers' ? 1 : 0, 0, continued);
    return alone ? commands.slice(0, 1) : commands;
  }

  /** Settings reach the engine by a command, so that a replay finds the limits that were in force. */
  private configureLimits(): void {
    const { limits: wanted } = this.options;
    if (wanted === undefined) return;
    const { limits } = this.engine.state;
    const names = Object.keys(wanted) as (keyof WantedLimits)[];
    if (names.every((name) => wanted[name] === limits[name])) return;
    const { openOrdersMax, openStopsMax } = limits;
    this.run({ type: 'configure_limits', openOrdersMax, openStopsMax, ...wanted }, null);
  }

  private answer(request: CoreRequest): CoreAnswer {
    const { keys } = this.options;
    const replay = keys.replayOfRequest(request);
    if (replay !== undefined) return replay;
    const replayed: boolean[] = [];
    const outcomes = request.commands.map((command) => {
      const earlier = keys.replayOfCommand(command);
      replayed.push(earlier?.ok ?? false);
      if (earlier !== undefined) return earlier;
      const outcome = this.run(command, request.actor ?? null);
      keys.rememberCommand(command, outcome);
      return outcome;
    });
    const isApplied = outcomes.some(({ ok }, index) => ok && replayed[index] === false);
    if (isApplied && request.audit !== undefined) this.audit.push(request.audit);
    keys.rememberRequest(request, outcomes);
    return { outcomes, replayed };
  }
}
