/**
 * The one statement that brings the tables from one commit to a later one, cursor and rows together. It advances the
 * cursor first, and all other parts depend on that: if the cursor is elsewhere, nothing is written.
 */
import type { SqlStatement } from '../tables/statement.js';
import type { EffectWindow } from './effects.js';
import { unnested } from './pg-array.js';
import { CHANGED_ORDERS, EFFECTS, type Effect, filledColumns } from './tables.js';

/** Where the tables stand, and where they are to be brought. */
export interface CursorMove {
  readonly from: number;
  readonly to: number;
  /** The sums of the state's hash there; null where they are not known. */
  readonly stateParts: string | null;
}

/** The cursor's parameters come first, then one array for each column of each effect. */
const SCALARS = 4;

/**
 * Only the effects that have rows, since each part costs PostgreSQL the same whether it writes one row or none;
 * the few combinations that occur are each prepared once.
 *
 * Answers one row, `moved`: 1 if the cursor stood where it was thought to be. Where a changed order has no row to
 * change, the tables are not what the commits led to; the division by zero then undoes the whole statement.
 */
export function projectionStatement(
  { from, to, stateParts }: CursorMove,
  window: EffectWindow,
): SqlStatement {
  const used = EFFECTS.filter((effect) => window.countOf(effect) > 0);
  const mask = EFFECTS.reduce(
    (bits, effect, index) => (used.includes(effect) ? bits | (1 << index) : bits),
    0,
  );
  let text = STATEMENTS.get(mask);
  if (text === undefined) STATEMENTS.set(mask, (text = buildStatement(used)));
  const changed = CHANGED_ORDERS.reduce((sum, effect) => sum + window.countOf(effect), 0);
  const values: unknown[] = [from, to, stateParts, changed];
  for (const effect of used) values.push(...window.arraysOf(effect));
  return { name: `core-projection-${mask}`, text, values };
}

const STATEMENTS = new Map<number, string>();

function buildStatement(used: readonly Effect[]): string {
  let parameter = SCALARS + 1;
  const parts = used.map((effect, index) => {
    const columns = filledColumns(effect);
    const source = `(SELECT ${unnested(columns, parameter)} FROM cursor)`;
    parameter += columns.length;
    return `part_${index} AS (${writing(effect, source)})`;
  });
  const counts = used.flatMap(({ kind }, index) =>
    kind === 'change' ? [`(SELECT count(*) FROM part_${index})`] : [],
  );
  const changed = counts.length === 0 ? '0' : `(${counts.join(' + ')})`;
  return `
    WITH cursor AS (
      UPDATE core_projection SET sequence = $2::int8, state_parts = $3::text WHERE sequence = $1::int8 RETURNING 1
    )${parts.map((part) => `, ${part}`).join('')}
    SELECT moved, CASE WHEN moved = 1 AND ${changed} <> $4::int8 THEN 1 / (moved - 1) END AS mismatch
    FROM (SELECT count(*)::int4 AS moved FROM cursor) AS moves`;
}

function writing(effect: Effect, source: string): string {
  const { kind, table, keyLength } = effect;
  const names = filledColumns(effect).map(({ name }) => name);
  const key = names.slice(0, keyLength);
  const others = names.slice(keyLength);
  if (kind === 'change') {
    const set = others.map((name) => `${name} = source.${name}`).join(', ');
    const same = key.map((name) => `${table}.${name} = source.${name}`).join(' AND ');
    return `UPDATE ${table} SET ${set} FROM ${source} AS source WHERE ${same} RETURNING 1`;
  }
  const list = names.join(', ');
  const insert = `INSERT INTO ${table} (${list}) SELECT ${list} FROM ${source} AS source`;
  if (kind !== 'replace') return insert;
  const set = others.map((name) => `${name} = excluded.${name}`).join(', ');
  return `${insert} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set}`;
}
