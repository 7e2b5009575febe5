/**
 * What a journal row says to each account and market that it concerns: the rows of its effects, as `docs/journal.md`
 * has them, without what is of others. Of a trade an account gets its own side, of a transfer its own end.
 */
import { EFFECTS, type Effect } from '../projection/tables.js';
import type { EffectTable } from './effect-tables.js';

/** What one of those whose matter a row is may see of it. */
interface View {
  /** The column that tells whose matter it is: of an account by its number, of a market by its id. */
  readonly of: string;
  /** By the names that the statement has for them, its columns; all of the row unless some are named. */
  readonly columns?: Readonly<Record<string, string>>;
  /** What the statement says besides. */
  readonly role?: readonly [name: string, value: string];
}

/** Of a trade, what both sides and everybody else see. */
const OF_TRADE = [
  'book_sequence',
  'executed_at',
  'market_id',
  'price_ticks',
  'size_lots',
  'taker_side',
  'trade_id',
] as const;

const WHOLE_TO_ITS_ACCOUNT: readonly View[] = [{ of: 'account_id' }];

/**
 * By table; what is not here is no one's matter, such as callers' keys. The leaves of old rows are made of this: for
 * effects that there are, it must stay as it is.
 */
const VIEWS: Readonly<Record<string, readonly View[]>> = {
  orders: WHOLE_TO_ITS_ACCOUNT,
  matched_bets: WHOLE_TO_ITS_ACCOUNT,
  set_legs: WHOLE_TO_ITS_ACCOUNT,
  balances: WHOLE_TO_ITS_ACCOUNT,
  positions: WHOLE_TO_ITS_ACCOUNT,
  maker_protections: WHOLE_TO_ITS_ACCOUNT,
  market_books: [{ of: 'market_id' }],
  trades: [
    { of: 'market_id', columns: sameNames(OF_TRADE) },
    ...(['maker', 'taker'] as const).map((role) => ({
      of: `${role}_account_id`,
      columns: { ...sameNames(OF_TRADE), fee: `${role}_fee`, order_id: `${role}_order_id` },
      role: ['role', role] as const,
    })),
  ],
  transfers: (['debit', 'credit'] as const).map((side) => ({
    of: `${side}_account_id`,
    columns: {
      ...sameNames(['amount', 'asset', 'created_at', 'reason', 'reference', 'transfer_id']),
      balance_after: `${side}_balance_after`,
    },
    role: ['side', side] as const,
  })),
};

/** How a view writes the rows of one effect, as canonical JSON: a text before each of its columns, and one at the end. */
interface Form {
  readonly of: string;
  readonly before: readonly string[];
  readonly columns: readonly string[];
  readonly end: string;
}

const FORMS: ReadonlyMap<Effect, readonly Form[]> = new Map(
  EFFECTS.map((effect) => [effect, (VIEWS[effect.table] ?? []).map((view) => formOf(effect, view))]),
);

function formOf(effect: Effect, { of, columns, role }: View): Form {
  const shown = columns ?? sameNames(effect.columns.map(({ name }) => name));
  const members: { readonly name: string; readonly column?: string; readonly value?: string }[] =
    Object.entries(shown).map(([name, column]) => ({ name, column }));
  if (role !== undefined) members.push({ name: role[0], value: role[1] });
  members.sort((a, b) => (a.name < b.name ? -1 : 1));
  const form = { of, before: [] as string[], columns: [] as string[] };
  let text = `{"kind":${JSON.stringify(effect.kind)},"row":{`;
  members.forEach(({ name, column, value }, index) => {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (column === undefined) {
      text += JSON.stringify(value);
      return;
    }
    form.before.push(text);
    form.columns.push(column);
    text = '';
  });
  return { ...form, end: `${text}},"table":${JSON.stringify(effect.table)}}` };
}

/** Whose a statement is: the number of an account, or the id of a market. */
export type StatementOwner = number | string;

/** The statements of a row: of accounts first, in the order of their ids, and then of markets. */
export class RowStatements {
  readonly owners: readonly StatementOwner[];
  /** What is said of whom: a writer and a row of its table, one pair after the other. */
  private readonly changes = new Map<StatementOwner, number[]>();
  private readonly writers: ((row: number) => string)[] = [];

  constructor(tables: readonly EffectTable[]) {
    for (const table of tables) this.gather(table, FORMS.get(table.effect)!);
    const owners = [...this.changes.keys()];
    this.owners = [
      ...owners.filter((owner) => typeof owner === 'number').sort((a, b) => a - b),
      ...owners.filter((owner) => typeof owner === 'string').sort((a, b) => (a < b ? -1 : 1)),
    ];
  }

  /** A `Statement` as canonical JSON, made at each call: all of a large row's together are much. */
  textOf(owner: StatementOwner): string {
    const pairs = this.changes.get(owner)!;
    let changes = '';
    for (let place = 0; place < pairs.length; place += 2) {
      if (place > 0) changes += ',';
      changes += this.writers[pairs[place]!]!(pairs[place + 1]!);
    }
    return typeof owner === 'number'
      ? `{"account_id":${owner},"changes":[${changes}]}`
      : `{"changes":[${changes}],"market_id":${JSON.stringify(owner)}}`;
  }

  private gather(table: EffectTable, forms: readonly Form[]): void {
    const first = this.writers.length;
    this.writers.push(...forms.map((form) => writerOf(table, form)));
    const owners = forms.map(({ of }) => table.column(of) as readonly StatementOwner[]);
    for (let row = 0; row < table.count; row++)
      for (let form = 0; form < forms.length; form++)
        this.changesOf(owners[form]![row]!).push(first + form, row);
  }

  private changesOf(owner: StatementOwner): number[] {
    let changes = this.changes.get(owner);
    if (changes === undefined) {
      changes = [];
      this.changes.set(owner, changes);
    }
    return changes;
  }
}

/** What all rows have in common, such as the time of the commit, is a part of the text between the others. */
function writerOf(table: EffectTable, { before, columns, end }: Form): (row: number) => string {
  const parts: { readonly before: string; readonly values: readonly string[] }[] = [];
  let common = '';
  for (const [part, name] of columns.entries()) {
    const values = table.json(name);
    common += before[part]!;
    if (values.every((value) => value === values[0])) common += values[0]!;
    else {
      parts.push({ before: common, values });
      common = '';
    }
  }
  const last = common + end;
  return (row) => {
    let text = '';
    for (const { before, values } of parts) text += before + values[row]!;
    return text + last;
  };
}

function sameNames(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}
