/**
 * What the core's statements mean to the simulated store. It knows these and no others: a statement that is new or has
 * changed must be taught here first, and until then every run fails with its text.
 */
import pg from 'pg';
import { EFFECTS, filledColumns, keyOf } from '../../../src/core/projection/tables.js';
import { ACCOUNT_COLUMNS } from '../../../src/core/tables/reference-tables.js';
import { BALANCE_COLUMNS, KEY_ANSWER, POSITION_COLUMNS } from '../../../src/core/tables/core-tables.js';
import type { Value } from '../../../src/core/tables/values.js';
import {
  type Change,
  isUnsettled,
  lastChangeOf,
  read,
  referenceTable,
  type Row,
  type Tables,
  stored,
  valuesOf,
} from './store-rows.js';

export const ONLY_ROW = 'only';

export interface Result {
  readonly rows: readonly object[];
  /** Left out, that of `rows`. */
  readonly rowCount?: number;
  readonly changes?: readonly Change[];
}

export interface Clock {
  readonly wallMs: number;
}

/** Whose row it locks before it runs; none where it changes no row that others change. */
export type RowLock = 'core_leader' | 'core_projection';

export interface Plan {
  readonly lock?: RowLock;
  /** `tables` are what the statement sees, after it has its lock. */
  readonly run: (tables: Tables, clock: Clock, pid: number) => Result;
}

type Values = readonly unknown[];
type Make = (values: Values, text: string, match: readonly string[]) => Plan;

export function databaseError(severity: 'ERROR' | 'FATAL', code: string, message: string): Error {
  const error = new pg.DatabaseError(message, message.length, 'error');
  return Object.assign(error, { severity, code });
}

const leaderIn = (tables: Tables): Row => tables.of('core_leader').get(ONLY_ROW)!;
const cursorIn = (tables: Tables): Row => tables.of('core_projection').get(ONLY_ROW)!;
const leaderRow = (row: Row): Change => ({ table: 'core_leader', key: ONLY_ROW, row });
const answer = (row: object): Result => ({ rows: [row] });

/**
 * Whether the conditions of a statement hold for a row: they are read from its text, so that one which is missing there
 * is missing here.
 */
function holds(text: string, row: Row, values: Values): boolean {
  const [, conditions = ''] = /WHERE ((?:\w+ = \$\d+(?:::\w+)?(?: AND )?)+)/.exec(text) ?? [];
  return [...conditions.matchAll(/(\w+) = \$(\d+)/g)].every(
    ([, column, number]) => row[column!] === values[Number(number) - 1],
  );
}

/** One row, or none where the condition of an UPDATE does not hold. */
const updated = (row: Row | null): Result =>
  row === null ? { rows: [] } : { rows: [row], changes: [leaderRow(row)] };

const TAKE_OVER: Make = ([holder, leaseMs]) => ({
  lock: 'core_leader',
  run: (tables, { wallMs }, pid) => {
    const before = leaderIn(tables);
    const lease_until = wallMs + (leaseMs as number);
    const epoch = (before.epoch as number) + 1;
    return updated({ ...before, epoch, backend_pid: pid, holder: holder as string, lease_until });
  },
});

const RENEW: Make = (values, text) => ({
  lock: 'core_leader',
  run: (tables, { wallMs }) => {
    const before = leaderIn(tables);
    const lease_until = wallMs + (values[1] as number);
    return updated(holds(text, before, values) ? { ...before, lease_until } : null);
  },
});

const END_TERM: Make = (values, text) => ({
  lock: 'core_leader',
  run: (tables) => {
    const before = leaderIn(tables);
    return updated(holds(text, before, values) ? { ...before, epoch: (before.epoch as number) + 1 } : null);
  },
});

/** The numbers of the parameters are those of `commitStatement`. */
const COMMIT_BATCH: Make = (values, text) => ({
  lock: 'core_leader',
  run: (tables, { wallMs }) => {
    const parameter = (number: number): Value & Buffer => values[number - 1] as Value & Buffer;
    const before = leaderIn(tables);
    const isFenced = holds(text, before, values);
    if (!isFenced && text.includes('FROM fence\n      )')) return answer({ fenced: 0 });
    const lease_until = wallMs + (values[10] as number);
    const entry: Row = {
      epoch: parameter(1),
      last_sequence: parameter(2),
      first_sequence: parameter(3),
      engine_version: parameter(4),
      time_ms: parameter(5),
      commands: parameter(6),
      packed_commands: parameter(15),
      actors: parameter(13),
      effects: parameter(14),
      state_hash: parameter(7),
      previous_hash: parameter(8),
      hash: parameter(12),
    };
    const key = String(entry.last_sequence);
    if (tables.of('journal').has(key)) throw duplicate('journal', key);
    return {
      rows: [{ fenced: isFenced ? 1 : 0 }],
      changes: [
        leaderRow({ ...before, last_sequence: parameter(2), state_parts: parameter(9), lease_until }),
        { table: 'journal', key, row: entry },
      ],
    };
  },
});

function duplicate(table: string, key: string): Error {
  return databaseError('ERROR', '23505', `duplicate key in ${table}: ${key}`);
}

/** The numbers of the parameters are those of `projectionStatement`. */
const PROJECT: Make = (values, text, [mask]) => ({
  lock: 'core_projection',
  run: (tables) => {
    const [, to, stateParts, changedCount, ...arrays] = values;
    if (!holds(text, cursorIn(tables), values)) return answer({ moved: 0 });
    const row = { ...cursorIn(tables), sequence: to as number, state_parts: stateParts as string | null };
    const changes: Change[] = [{ table: 'core_projection', key: ONLY_ROW, row }];
    let place = 0;
    let changed = 0;
    for (const effect of EFFECTS.filter((_, index) => (Number(mask) & (1 << index)) !== 0)) {
      const columns = filledColumns(effect).map(({ kind }) => valuesOf(kind, arrays[place++] as Buffer));
      for (let index = 0; index < columns[0]!.length; index++) {
        const values = columns.map((column) => column[index]!);
        const written = writtenBy(effect, values, tables);
        if (effect.kind === 'change' && written !== null) changed++;
        if (written !== null) changes.push(written);
      }
    }
    if (changed !== changedCount) throw databaseError('ERROR', '22012', 'division by zero');
    return { rows: [{ moved: 1 }], changes };
  },
});

/** Null where the row that it changes is not there. */
function writtenBy(effect: (typeof EFFECTS)[number], values: Value[], tables: Tables): Change | null {
  const { kind, table, keyLength } = effect;
  const key =
    keyLength === 0
      ? values.map((value) => String(value)).join('\n')
      : keyOf({ keyLength } as (typeof EFFECTS)[number], values);
  const row = Object.fromEntries(filledColumns(effect).map(({ name }, index) => [name, values[index]!]));
  const before = tables.of(table).get(key);
  if (kind === 'change') return before === undefined ? null : { table, key, row: { ...before, ...row } };
  if (kind !== 'replace' && before !== undefined) throw duplicate(table, key);
  return { table, key, row };
}

const BEGIN_CARRYING: Make = () => ({
  lock: 'core_projection',
  run: (tables) => {
    const before = cursorIn(tables);
    const row = { ...before, carried_after: before.carried_after ?? before.sequence! };
    return { rows: [row], changes: [{ table: 'core_projection', key: ONLY_ROW, row }] };
  },
});

const LOOK_UP: Make = ([owners, keys, accountIds, , timeMs]) => ({
  run: (tables) => {
    const wanted = (accountIds as number[]).filter((id) => tables.of('accounts').has(String(id)));
    const isWanted = ({ account_id }: Row): boolean => wanted.includes(account_id as number);
    const hits = (owners as string[]).flatMap((owner, index) => {
      const row = tables.of('command_keys').get(`${owner}\n${(keys as string[])[index]!}`);
      const isOver =
        row != null && row.expires_at !== null && (row.expires_at as number) <= (timeMs as number);
      return row === undefined || isOver ? [] : [read(KEY_ANSWER, row)];
    });
    const among = (table: string): Row[] => [...tables.of(table).values()].filter(isWanted);
    return answer({
      hits,
      accounts: among('accounts').map((row) => read(ACCOUNT_COLUMNS, row)),
      balances: among('balances').map((row) => read(BALANCE_COLUMNS, row)),
      positions: among('positions')
        .filter((row) => isUnsettled(tables, row))
        .map((row) => read(POSITION_COLUMNS, row)),
    });
  },
});

const LAST_CHANGES: Make = ([accountIds]) => ({
  run: (tables) => ({
    rows: (accountIds as number[]).map((account_id) => ({
      account_id,
      sequence: lastChangeOf(tables, account_id),
    })),
  }),
});

const INSERT: Make = ([json], _text, [table]) => ({
  run: (tables) => {
    const rows = JSON.parse(json as string) as Record<string, unknown>[];
    const rowCount = rows.length;
    if (table === 'settlement_chunks') return { rows: [], rowCount };
    const { columns, keyLength } = referenceTable(table!);
    const changes = rows.map((given): Change => {
      const row = Object.fromEntries(columns.map(({ name, kind }) => [name, stored(kind, given[name])]));
      const key = columns
        .slice(0, keyLength)
        .map(({ name }) => String(row[name]))
        .join('\n');
      if (keyLength > 0 && tables.of(table!).has(key)) throw duplicate(table!, key);
      return { table: table!, key, row };
    });
    return { rows: [], rowCount, changes };
  },
});

const UPDATE: Make = (values, text, [table]) => ({
  run: (tables) => {
    const { columns, keyLength } = referenceTable(table!);
    const [, assigned = ''] = /SET (.*) WHERE/s.exec(text) ?? [];
    const key = values.slice(0, keyLength).map(String).join('\n');
    const row: Record<string, Value | Buffer> = { ...tables.of(table!).get(key) };
    for (const [, name, number] of assigned.matchAll(/(\w+) = \$(\d+)/g))
      row[name!] = stored(columns.find((column) => column.name === name)!.kind, values[Number(number) - 1]);
    const rowCount = tables.of(table!).has(key) ? 1 : 0;
    return { rows: [], rowCount, changes: [{ table: table!, key, row }] };
  },
});

const DELETE: Make = (values, _text, [table]) => ({
  run: (tables) => {
    const key = values.map(String).join('\n');
    const rowCount = tables.of(table!).has(key) ? 1 : 0;
    return { rows: [], rowCount, changes: [{ table: table!, key, row: null }] };
  },
});

const reading =
  (run: (tables: Tables, values: Values, text: string) => readonly object[]): Make =>
  (values, text) => ({ run: (tables) => ({ rows: run(tables, values, text) }) });

const entriesAfter = (tables: Tables, after: unknown, limit: unknown): Row[] =>
  [...tables.of('journal').values()]
    .filter(({ last_sequence }) => (last_sequence as number) > (after as number))
    .sort((a, b) => (a.last_sequence as number) - (b.last_sequence as number))
    .slice(0, limit as number);

const tablesPlace = reading((tables) => {
  const { sequence, state_parts } = cursorIn(tables);
  const time = tables.of('journal').get(String(sequence))?.time_ms ?? null;
  return [{ sequence: String(sequence), state_parts, time }];
});

/** By the names of prepared statements, else by the beginning of the text. */
const STATEMENTS: readonly (readonly [RegExp, Make])[] = [
  [/^core-commit$/, COMMIT_BATCH],
  [/^core-projection-(\d+)$/, PROJECT],
  [/^core-look-up$/, LOOK_UP],
  [/^core-account-changes$/, LAST_CHANGES],
  [/^UPDATE core_projection SET carried_after/, BEGIN_CARRYING],
  [/^UPDATE core_leader\s+SET epoch = epoch \+ 1, backend_pid/, TAKE_OVER],
  [/^UPDATE core_leader SET lease_until/, RENEW],
  [/^UPDATE core_leader SET epoch = epoch \+ 1 WHERE epoch = \$1$/, END_TERM],
  [/^INSERT INTO (\w+) .*jsonb_populate_recordset/s, INSERT],
  [/^UPDATE (\w+) SET/, UPDATE],
  [/^DELETE FROM (\w+) WHERE/, DELETE],
  [/^SELECT 1$/, reading(() => [{}])],
  [/FROM pg_settings/, reading(() => [])],
  [/FROM pg_inherits/, reading(() => [{ name: 'journal_0', end: '1000000000' }])],
  [/^SELECT (?:sequence|carried_after) FROM core_projection$/, reading((tables) => [cursorIn(tables)])],
  [/FROM core_projection p$/, tablesPlace],
  [
    /^SELECT 1 FROM journal_commits WHERE/,
    reading((tables, values, text) =>
      [...tables.of('journal').values()].filter((entry) => holds(text, entry, values)),
    ),
  ],
  [
    /^SELECT hash, engine_version FROM journal WHERE/,
    reading((tables, [sequence]) => {
      const entry = tables.of('journal').get(String(sequence));
      return entry === undefined ? [] : [entry];
    }),
  ],
  [
    /^SELECT last_sequence, .* effects\s+FROM journal/s,
    reading((tables, [after, limit]) => entriesAfter(tables, after, limit)),
  ],
  [
    /^SELECT first_sequence, .*FROM journal/s,
    reading((tables, [after, limit]) => entriesAfter(tables, after, limit)),
  ],
];

export function planOf(text: string, name: string | undefined, values: Values): Plan {
  const known = name ?? text.trim();
  for (const [pattern, make] of STATEMENTS) {
    const match = pattern.exec(known);
    if (match !== null) return make(values, text.trim(), match.slice(1));
  }
  throw new Error(`the simulated store does not know the statement: ${known}`);
}
