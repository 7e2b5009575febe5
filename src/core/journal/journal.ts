/**
 * The journal: one row a commit, with the commands that were applied, in order, what they did to the tables,
 * and the hash of the state they led to. Each row's own hash covers its content and the row before it.
 */
import { createHash } from 'node:crypto';
import type { Command } from '../../domain/engine/commands.js';
import { invariant } from '../../domain/invariant.js';

export const GENESIS_HASH = '0'.repeat(64);

export interface JournalContent {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly engineVersion: number;
  readonly timeMs: number;
  /** JSON of the commands. */
  readonly commands: string;
  /** The senders, from `encodeActors`; null if there are none. */
  readonly actors: string | null;
  /** What the commands did to the tables, from `encodeEffects`; null in rows from before effects were kept. */
  readonly effects: Buffer | null;
  readonly stateHash: string;
}

/** A row with its place in the chain, and with the sums of the state's hash for who loads that state. */
export interface JournalRow extends JournalContent {
  readonly effects: Buffer;
  readonly stateParts: string;
  readonly previousHash: string;
  readonly hash: string;
  /** Of its commit, in memory alone; undefined where that is not traced. */
  trace?: string | undefined;
}

export function journalHash(previousHash: string, content: JournalContent): string {
  const { firstSequence, lastSequence, engineVersion, timeMs, commands, actors, effects, stateHash } =
    content;
  const hash = createHash('sha256');
  hash.update(
    `${previousHash}\n${firstSequence}\n${lastSequence}\n${engineVersion}\n${timeMs}\n${stateHash}\n${commands}`,
  );
  // JSON has no line feeds, so they separate the parts unambiguously.
  if (actors !== null) hash.update(`\n${actors}`);
  if (effects !== null) hash.update('\n').update(effects);
  return hash.digest('hex');
}

export function encodeCommands(commands: readonly Command[]): string {
  return JSON.stringify(commands);
}

export function decodeCommands(text: string): Command[] {
  return JSON.parse(text) as Command[];
}

/**
 * The senders of a batch's commands in order: one entry for each run of commands of the same sender. The engine ignores
 * them.
 */
export class ActorRuns {
  private readonly runs: [actor: string | null, commands: number][] = [];
  private count = 0;

  /** `actor` is null where the service itself sent the command. */
  add(actor: string | null): void {
    this.count++;
    const last = this.runs.at(-1);
    if (last?.[0] === actor) last[1]++;
    else this.runs.push([actor, 1]);
  }

  /** JSON such as `[["client:demo",3],[null,1]]`; null where all of the `commands` were the service's own. */
  encode(commands: number): string | null {
    invariant(this.count === commands, 'each command of a batch has a sender', this.count, commands);
    return this.runs.some(([actor]) => actor !== null) ? JSON.stringify(this.runs) : null;
  }
}

/** The sender of each command, in their order; null where the service itself sent it, or where it is not known. */
export function decodeActors(text: string | null, commands: number): (string | null)[] {
  if (text === null) return Array.from({ length: commands }, () => null);
  const runs = JSON.parse(text) as [string | null, number][];
  return runs.flatMap(([actor, count]) => Array.from({ length: count }, () => actor));
}
