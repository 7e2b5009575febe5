/**
 * A checkpoint is the whole state at one journal row, from which a replay can start: if an engine of another version
 * wrote the rows before it, or if these are archived. It is written and read in pages, so its size is not limited by
 * strings or memory.
 */
import { hash } from 'node:crypto';
import type pg from 'pg';
import { ENGINE_VERSION } from '../../domain/engine/engine.js';
import { StateHash } from '../../domain/engine/state-hash.js';
import { EngineState } from '../../domain/engine/state.js';
import {
  PageHash,
  statePageOf,
  StateBuilder,
  STATE_PARTS,
  type StatePage,
  type StatePart,
} from '../state/state-pages.js';
import type { StateRows } from '../state/state-rows.js';
import { GENESIS_HASH } from './journal.js';

export interface Checkpoint {
  readonly sequence: number;
  /** The hash of the journal row that led here. */
  readonly journalHash: string;
  readonly state: EngineState;
}

/** Before the first row. */
export function genesis(): Checkpoint {
  return { sequence: 0, journalHash: GENESIS_HASH, state: new EngineState() };
}

export interface CheckpointPlace {
  readonly sequence: number;
  readonly timeMs: number;
  readonly journalHash: string;
}

/** Call inside a transaction. `pages` must be the whole state, every account included. */
export async function saveCheckpoint(
  client: pg.ClientBase,
  { sequence, timeMs, journalHash }: CheckpointPlace,
  pages: Iterable<StatePage> | AsyncIterable<StatePage>,
): Promise<void> {
  const known = await client.query(
    'SELECT 1 FROM journal_checkpoints WHERE sequence = $1 AND engine_version = $2',
    [sequence, ENGINE_VERSION],
  );
  if (known.rows.length > 0) return;
  const state = new PageHash();
  let pagesHash = GENESIS_HASH;
  let count = 0;
  for await (const page of pages) {
    const rows = JSON.stringify(page.rows);
    state.add(page);
    pagesHash = chain(pagesHash, page.part, rows);
    await client.query(
      'INSERT INTO journal_checkpoint_pages (sequence, engine_version, page, part, rows) VALUES ($1, $2, $3, $4, $5)',
      [sequence, ENGINE_VERSION, count++, page.part, rows],
    );
  }
  await client.query(
    `INSERT INTO journal_checkpoints (sequence, engine_version, time_ms, pages, pages_hash, state_hash, journal_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [sequence, ENGINE_VERSION, timeMs, count, pagesHash, state.hash.total(sequence), journalHash],
  );
}

interface Row {
  sequence: string;
  /** All rows as one JSON text: how checkpoints were kept once. */
  state: string | null;
  time_ms: number | null;
  pages: number | null;
  pages_hash: string | null;
  state_hash: string;
  journal_hash: string;
}

/**
 * The newest checkpoint from which this engine can continue.
 * @throws if it differs from what was saved
 */
export async function newestCheckpoint(client: pg.ClientBase): Promise<Checkpoint | null> {
  const { rows } = await client.query<Row>(
    `SELECT sequence, state, time_ms::float8, pages, pages_hash, state_hash, journal_hash FROM journal_checkpoints
     WHERE engine_version = $1 ORDER BY sequence DESC LIMIT 1`,
    [ENGINE_VERSION],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const sequence = Number(row.sequence);
  const state = row.state === null ? await stateInPages(client, row) : stateInText(row.state);
  if (StateHash.of(state).total(sequence) !== row.state_hash) throw damaged(sequence);
  return { sequence, journalHash: row.journal_hash, state };
}

async function stateInPages(client: pg.ClientBase, row: Row): Promise<EngineState> {
  const builder = new StateBuilder(Number(row.sequence), row.time_ms!);
  let pagesHash = GENESIS_HASH;
  for (let page = 0; page < row.pages!; page++) {
    const { rows } = await client.query<{ part: StatePart; rows: string }>(
      `SELECT part, rows FROM journal_checkpoint_pages WHERE sequence = $1 AND engine_version = $2 AND page = $3`,
      [row.sequence, ENGINE_VERSION, page],
    );
    const [kept] = rows;
    if (kept === undefined) throw damaged(Number(row.sequence));
    pagesHash = chain(pagesHash, kept.part, kept.rows);
    builder.add(statePageOf(kept.part, JSON.parse(kept.rows) as unknown[]));
  }
  if (pagesHash !== row.pages_hash) throw damaged(Number(row.sequence));
  return builder.finish();
}

function stateInText(text: string): EngineState {
  const rows = JSON.parse(text) as Partial<StateRows> & Pick<StateRows, 'sequence' | 'timeMs'>;
  const builder = new StateBuilder(rows.sequence, rows.timeMs);
  for (const part of STATE_PARTS) builder.add(statePageOf(part, rows[part] ?? []));
  return builder.finish();
}

function chain(before: string, part: StatePart, rows: string): string {
  return hash('sha256', `${before}\n${part}\n${rows}`);
}

function damaged(sequence: number): Error {
  return new Error(
    `the checkpoint at sequence ${sequence} is not what was saved; delete it to start elsewhere`,
  );
}
