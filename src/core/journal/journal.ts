/**
 * The journal: one row a commit, with the commands that were applied, in order, and the hash of the
 * state they led to. Each row's own hash covers its content and the row before it.
 */
import { hash } from 'node:crypto';
import type { Command } from '../../domain/engine/commands.js';

export const GENESIS_HASH = '0'.repeat(64);

export interface JournalContent {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly engineVersion: number;
  readonly timeMs: number;
  /** JSON of the commands. */
  readonly commands: string;
  readonly stateHash: string;
}

export function journalHash(previousHash: string, content: JournalContent): string {
  const { firstSequence, lastSequence, engineVersion, timeMs, commands, stateHash } = content;
  return hash(
    'sha256',
    `${previousHash}\n${firstSequence}\n${lastSequence}\n${engineVersion}\n${timeMs}\n${stateHash}\n${commands}`,
  );
}

export function encodeCommands(commands: readonly Command[]): string {
  return JSON.stringify(commands);
}

export function decodeCommands(text: string): Command[] {
  return JSON.parse(text) as Command[];
}
