/** Reads the journal in order: for its verification, and as the outbox of those who follow the core. */
import type pg from 'pg';
import type { Command } from '../../domain/engine/commands.js';
import { decodeActors, decodeCommands, type JournalContent } from './journal.js';

export interface JournalEntry extends JournalContent {
  readonly previousHash: string;
  readonly hash: string;
}

interface Row {
  first_sequence: string;
  last_sequence: string;
  engine_version: number;
  time_ms: number;
  commands: string;
  actors: string | null;
  state_hash: string;
  previous_hash: string;
  hash: string;
}

/** The next entries after a sequence, oldest first. */
export async function readJournal(
  client: pg.ClientBase | pg.Pool,
  afterSequence: number,
  limit: number,
): Promise<JournalEntry[]> {
  const { rows } = await client.query<Row>(
    `SELECT first_sequence, last_sequence, engine_version, (extract(epoch FROM committed_at) * 1000)::float8 AS time_ms,
       commands, actors, state_hash, previous_hash, hash
     FROM journal WHERE last_sequence > $1 ORDER BY last_sequence LIMIT $2`,
    [afterSequence, limit],
  );
  return rows.map((row) => ({
    firstSequence: Number(row.first_sequence),
    lastSequence: Number(row.last_sequence),
    engineVersion: row.engine_version,
    timeMs: row.time_ms,
    commands: row.commands,
    actors: row.actors,
    stateHash: row.state_hash,
    previousHash: row.previous_hash,
    hash: row.hash,
  }));
}

export function commandsOf(entry: JournalEntry): Command[] {
  return decodeCommands(entry.commands);
}

/** Who sent the commands of an entry, one for each; null where the service did, or where it was not kept yet. */
export function actorsOf(entry: JournalEntry): (string | null)[] {
  return decodeActors(entry.actors, commandsOf(entry).length);
}
