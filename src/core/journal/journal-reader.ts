/** Reads the journal in order: for its verification, and as the outbox of those who follow the core. */
import type pg from 'pg';
import type { Command } from '../../domain/engine/commands.js';
import { decodeActors, decodeCommands, type JournalContent } from './journal.js';
import { unpack } from './packing.js';

export interface JournalEntry extends JournalContent {
  /** Of the term that wrote it. */
  readonly epoch: number;
  readonly previousHash: string;
  readonly hash: string;
}

/** The unpacked content of an entry differs from the packed one. */
export class DamagedEntry extends Error {
  constructor(
    readonly sequence: number,
    options: ErrorOptions,
  ) {
    super(`the journal's entry ${sequence} cannot be unpacked`, options);
  }
}

interface Row {
  first_sequence: string;
  last_sequence: string;
  epoch: string;
  engine_version: number;
  time_ms: number;
  commands: string | null;
  packed_commands: Buffer | null;
  actors: string | null;
  effects: Buffer | null;
  state_hash: string;
  previous_hash: string;
  hash: string;
}

/** The next entries after a sequence and up to another, oldest first. Throws `DamagedEntry`. */
export async function readJournal(
  client: pg.ClientBase | pg.Pool,
  afterSequence: number,
  limit: number,
  untilSequence = Number.MAX_SAFE_INTEGER,
): Promise<JournalEntry[]> {
  const { rows } = await client.query<Row>(
    `SELECT first_sequence, last_sequence, epoch, engine_version, (extract(epoch FROM committed_at) * 1000)::float8 AS time_ms,
       commands, packed_commands, actors, effects, state_hash, previous_hash, hash
     FROM journal WHERE last_sequence > $1 AND last_sequence <= $3 ORDER BY last_sequence LIMIT $2`,
    [afterSequence, limit, untilSequence],
  );
  return rows.map((row) => ({
    firstSequence: Number(row.first_sequence),
    lastSequence: Number(row.last_sequence),
    epoch: Number(row.epoch),
    engineVersion: row.engine_version,
    timeMs: row.time_ms,
    commands: row.commands ?? unpacked(row, row.packed_commands!).toString(),
    actors: row.actors,
    effects: row.effects && unpacked(row, row.effects),
    stateHash: row.state_hash,
    previousHash: row.previous_hash,
    hash: row.hash,
  }));
}

/** What an entry did to the tables, and its place in the chain, without its commands. */
export type EntryEffects = Omit<JournalEntry, 'epoch' | 'commands' | 'actors'> & {
  /** Of its commit, where this process has just made that. */
  readonly trace?: string;
};

/**
 * What the next entries after a sequence and up to another did, oldest first, of those that begin by `beginsBy`. Throws
 * `DamagedEntry`.
 */
export async function readEffects(
  client: pg.ClientBase,
  afterSequence: number,
  limit: number,
  untilSequence = Number.MAX_SAFE_INTEGER,
  beginsBy = Number.MAX_SAFE_INTEGER,
): Promise<EntryEffects[]> {
  const { rows } = await client.query<Omit<Row, 'epoch' | 'commands' | 'packed_commands' | 'actors'>>(
    `SELECT first_sequence, last_sequence, engine_version, (extract(epoch FROM committed_at) * 1000)::float8 AS time_ms,
       effects, state_hash, previous_hash, hash
     FROM journal WHERE last_sequence > $1 AND last_sequence <= $3 AND first_sequence <= $4
     ORDER BY last_sequence LIMIT $2`,
    [afterSequence, limit, untilSequence, beginsBy],
  );
  return rows.map((row) => ({
    firstSequence: Number(row.first_sequence),
    lastSequence: Number(row.last_sequence),
    engineVersion: row.engine_version,
    timeMs: row.time_ms,
    effects: row.effects && unpacked(row, row.effects),
    stateHash: row.state_hash,
    previousHash: row.previous_hash,
    hash: row.hash,
  }));
}

function unpacked({ last_sequence }: Pick<Row, 'last_sequence'>, stored: Buffer): Buffer {
  try {
    return unpack(stored);
  } catch (error) {
    throw new DamagedEntry(Number(last_sequence), { cause: error });
  }
}

export function commandsOf(entry: JournalEntry): Command[] {
  return decodeCommands(entry.commands);
}

/**
 * The senders of an entry's commands, one for each; null for the service itself, and in old entries without senders.
 */
export function actorsOf(entry: JournalEntry): (string | null)[] {
  return decodeActors(entry.actors, commandsOf(entry).length);
}
