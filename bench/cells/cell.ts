/**
 * A cell: state in memory and a durable journal. A turn applies a batch in memory, commits it as one journal row and
 * only then sends its messages. A crash loses the memory; the journal is replayed, and every row must reproduce its
 * state hash.
 */
import type { Changes } from '../../src/domain/engine/changes.js';
import type { Outcome } from '../../src/domain/engine/commands.js';
import type { Hold } from '../../src/domain/engine/state.js';
import type { LedgerTransfer } from '../../src/domain/engine/types.js';
import { type CellCommand, CellState } from './cell-state.js';
import { type CreditMessage, transferKey, type VerdictMessage } from './transfer-protocol.js';

/** What a committed batch did, as the engine tells it. */
export interface Committed {
  /** Answers to other cells, which may be sent now. */
  readonly messages: readonly VerdictMessage[];
  readonly transfers: readonly LedgerTransfer[];
  readonly newHolds: readonly Hold[];
  readonly endedHolds: readonly Hold[];
}

/** Applied but not yet durable. */
interface Batch {
  readonly timeMs: number;
  readonly changes: Changes;
  readonly commands: CellCommand[];
  readonly messages: VerdictMessage[];
}

interface JournalRow {
  readonly timeMs: number;
  readonly commands: readonly CellCommand[];
  readonly stateHash: string;
}

/** Time spent and commands applied; the overhead of transfers between cells is counted separately. */
export class Work {
  ownMs = 0;
  ownCommands = 0;
  transferMs = 0;
  transferCommands = 0;
  /** Checking, hashing and writing rows, for both. */
  sealMs = 0;
}

export class Cell {
  readonly work = new Work();
  private readonly journal: string[] = [];
  private memory: CellState | null;
  private batch: Batch | null = null;
  /** When each open transfer was last sent, by its key. A crash forgets it, so they are sent again. */
  private readonly sentAtMs = new Map<string, number>();

  constructor(readonly name: string) {
    this.memory = new CellState(name);
  }

  get isUp(): boolean {
    return this.memory !== null;
  }

  /** @throws where the cell is down. */
  get state(): CellState {
    if (this.memory === null) throw new Error(`${this.name} is down`);
    return this.memory;
  }

  /** Applies commands in memory; results are sent only after `commit`. */
  apply(commands: readonly CellCommand[], timeMs: number): (Outcome | null)[] {
    const changes = this.state.beginBatch(timeMs);
    const batch: Batch = { timeMs, changes, commands: [], messages: [] };
    this.batch = batch;
    return commands.map((command) => {
      const startedAt = performance.now();
      const { outcome, isChange, message } = this.state.apply(command);
      this.count(command, performance.now() - startedAt);
      if (isChange) batch.commands.push(command);
      if (message !== null) batch.messages.push(message);
      return outcome;
    });
  }

  /** Makes the batch durable. */
  commit(): Committed {
    if (this.batch === null) throw new Error('nothing has been applied');
    const startedAt = performance.now();
    const { timeMs, changes, commands, messages } = this.batch;
    this.batch = null;
    const row: JournalRow = { timeMs, commands, stateHash: this.state.seal(changes) };
    if (commands.length > 0) this.journal.push(JSON.stringify(row));
    this.work.sealMs += performance.now() - startedAt;
    const { transfers, newHolds, endedHolds } = changes;
    return { messages, transfers, newHolds, endedHolds };
  }

  /** The open transfers that were not sent yet, or so long ago that they are sent again. */
  dueCredits(timeMs: number, retryAfterMs: number): CreditMessage[] {
    const startedAt = performance.now();
    const due: CreditMessage[] = [];
    for (const transfer of this.state.outgoing.open()) {
      const key = transferKey(this.name, transfer.to, transfer.number);
      if (timeMs - (this.sentAtMs.get(key) ?? -Infinity) < retryAfterMs) continue;
      this.sentAtMs.set(key, timeMs);
      due.push(this.state.outgoing.creditFor(transfer));
    }
    this.work.transferMs += performance.now() - startedAt;
    return due;
  }

  crash(): void {
    this.memory = null;
    this.batch = null;
    this.sentAtMs.clear();
  }

  /** Replays the journal and answers how many commands that were. @throws where a row comes to another state. */
  recover(): number {
    const memory = new CellState(this.name);
    let commands = 0;
    for (const line of this.journal) {
      const row = JSON.parse(line) as JournalRow;
      const changes = memory.beginBatch(row.timeMs);
      for (const command of row.commands) memory.apply(command);
      if (memory.seal(changes) !== row.stateHash) throw new Error(`${this.name} replays to another state`);
      commands += row.commands.length;
    }
    this.memory = memory;
    return commands;
  }

  private count({ kind }: CellCommand, ms: number): void {
    if (kind === 'engine') {
      this.work.ownMs += ms;
      this.work.ownCommands++;
    } else {
      this.work.transferMs += ms;
      this.work.transferCommands++;
    }
  }
}
