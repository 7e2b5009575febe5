/**
 * Replays the journal's entries through the engine, and compares the hash chain, the effects and the state's hash at
 * each: what anybody can do who has the entries, without a database.
 */
import { Engine, ENGINE_VERSION } from '../../domain/engine/engine.js';
import { StateHash } from '../../domain/engine/state-hash.js';
import type { EngineState } from '../../domain/engine/state.js';
import type { Changes } from '../../domain/engine/changes.js';
import { encodeEffects } from '../projection/effects.js';
import { countRows, effectRowsOf } from '../projection/tables.js';
import type { Checkpoint } from './checkpoint.js';
import { chainFault } from './journal-chain.js';
import { actorsOf, commandsOf, type JournalEntry } from './journal-reader.js';

export class JournalReplay {
  private readonly engine: Engine;
  private readonly hash: StateHash;
  private place: Pick<Checkpoint, 'sequence' | 'journalHash'>;
  /** How many were taken, and how many commands they had. */
  entries = 0;
  commands = 0;

  constructor({ state, sequence, journalHash }: Checkpoint) {
    this.engine = new Engine(state);
    this.hash = StateHash.of(state);
    this.place = { sequence, journalHash };
  }

  /** Of the last entry that was taken. */
  get sequence(): number {
    return this.place.sequence;
  }

  /** The chain's hash at that entry. */
  get journalHash(): string {
    return this.place.journalHash;
  }

  get state(): EngineState {
    return this.engine.state;
  }

  get stateHash(): string {
    return this.hash.total(this.sequence);
  }

  /** The sums that the state's hash is made of. */
  get stateParts(): ReturnType<StateHash['parts']> {
    return this.hash.parts();
  }

  /** Takes the next entry; returns why it is not what the engine makes of it, or null. Nothing can follow a fault. */
  take(entry: JournalEntry): string | null {
    if (entry.engineVersion !== ENGINE_VERSION) {
      return `written by engine ${entry.engineVersion}, this is engine ${ENGINE_VERSION}; start from a checkpoint`;
    }
    const fault = chainFault({ sequence: this.sequence, hash: this.journalHash }, entry);
    if (fault !== null) return fault;
    try {
      return this.replay(entry);
    } catch (error) {
      return `its commands cannot be replayed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private replay(entry: JournalEntry): string | null {
    const { engine, hash } = this;
    const commands = commandsOf(entry);
    if (actorsOf(entry).length !== commands.length) return 'its actors are not as many as its commands';
    const changes = engine.beginBatch(entry.timeMs);
    for (const command of commands) {
      const outcome = engine.apply(command);
      if (!outcome.ok) return `its ${command.type} is refused on replay: ${outcome.refusal.code}`;
    }
    engine.checkBatch();
    hash.update(changes);
    if (engine.state.sequence !== entry.lastSequence) {
      return `its commands lead to sequence ${engine.state.sequence}, not ${entry.lastSequence}`;
    }
    if (hash.total(entry.lastSequence) !== entry.stateHash) return 'its commands lead to another state hash';
    if (entry.effects !== null && !hasEffects(entry.effects, changes, entry.timeMs))
      return 'its effects are not what its commands do';
    for (const order of changes.orders) order.stored = true;
    for (const market of changes.markets) market.rowChanged = false;
    this.place = { sequence: entry.lastSequence, journalHash: entry.hash };
    this.entries++;
    this.commands += commands.length;
    return null;
  }
}

/**
 * Whether the bytes equal those of the replay's changes. Callers' keys and the numbers of account streams, which come
 * last, do not concern the engine; the row's hash covers them.
 */
function hasEffects(effects: Buffer, changes: Changes, timeMs: number): boolean {
  const replayed = effectRowsOf(changes, [], []);
  const expected = encodeEffects(replayed, countRows(replayed), timeMs);
  const body = expected.subarray(0, expected.length - 1);
  return effects.subarray(0, body.length).equals(body);
}
