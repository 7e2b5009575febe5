/**
 * A checkpoint is the whole state at one journal row, from which a replay can start: where an engine
 * of another version wrote what came before, or where that was archived.
 */
import type pg from 'pg';
import { ENGINE_VERSION } from '../../domain/engine/engine.js';
import type { StateHash } from '../../domain/engine/state-hash.js';
import type { EngineState } from '../../domain/engine/state.js';
import { rowsOf, type StateRows } from '../state/state-rows.js';
import { GENESIS_HASH } from './journal.js';

export interface Checkpoint {
  readonly sequence: number;
  /** The hash of the journal row that led here. */
  readonly journalHash: string;
  /** Null for the empty state before the first row. */
  readonly state: StateRows | null;
}

export const GENESIS: Checkpoint = { sequence: 0, journalHash: GENESIS_HASH, state: null };

/** `state` must have all its accounts loaded. */
export async function saveCheckpoint(
  client: pg.ClientBase,
  state: EngineState,
  journalHash: string,
  hash: StateHash,
): Promise<void> {
  await client.query(
    `INSERT INTO journal_checkpoints (sequence, engine_version, state, state_hash, journal_hash)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [state.sequence, ENGINE_VERSION, JSON.stringify(rowsOf(state)), hash.total(state.sequence), journalHash],
  );
}

/** The newest one that this engine can go on from. */
export async function newestCheckpoint(client: pg.ClientBase): Promise<Checkpoint | null> {
  const { rows } = await client.query<{ sequence: string; state: string; journal_hash: string }>(
    `SELECT sequence, state, journal_hash FROM journal_checkpoints
     WHERE engine_version = $1 ORDER BY sequence DESC LIMIT 1`,
    [ENGINE_VERSION],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    sequence: Number(row.sequence),
    journalHash: row.journal_hash,
    state: JSON.parse(row.state) as StateRows,
  };
}
