/** The effects of a journal row as tables with named columns, as `docs/journal.md` describes them. */
import { InvariantError } from '../../domain/invariant.js';
import { decodeColumns, type EffectColumns } from '../projection/effects.js';
import { EFFECTS, type Effect } from '../projection/tables.js';
import type { Value } from '../tables/values.js';

const PLACES: ReadonlyMap<Effect, ReadonlyMap<string, number>> = new Map(
  EFFECTS.map((effect) => [effect, new Map(effect.columns.map(({ name }, place) => [name, place]))]),
);

/** What one effect did to its table, column by column. */
export class EffectTable {
  private readonly texts = new Map<string, readonly string[]>();

  constructor(private readonly content: EffectColumns) {}

  get effect(): Effect {
    return this.content.effect;
  }

  /** How many rows it has. */
  get count(): number {
    return this.content.count;
  }

  has(name: string): boolean {
    return PLACES.get(this.effect)!.has(name);
  }

  /** The values of a column, row by row: times are milliseconds, what a `number` might not hold is a `bigint`. */
  column(name: string): readonly Value[] {
    const place = PLACES.get(this.effect)!.get(name);
    if (place === undefined)
      throw new InvariantError(`an effect on ${this.effect.table} has no column ${name}`);
    return this.content.columns[place]!;
  }

  /** The same as JSON: whole numbers beyond the safe ones are text. Each value is written once, whoever asks. */
  json(name: string): readonly string[] {
    let texts = this.texts.get(name);
    if (texts === undefined) {
      texts = jsonOf(this.column(name));
      this.texts.set(name, texts);
    }
    return texts;
  }
}

/** Always the same for the same row of the journal: the tree's leaves are made of it. `effects` is null in rows from before they were kept. */
export function tablesOf(row: { readonly effects: Buffer | null; readonly timeMs: number }): EffectTable[] {
  return row.effects === null
    ? []
    : decodeColumns(row.effects, row.timeMs).map((content) => new EffectTable(content));
}

/** Neighbours are often the same. */
function jsonOf(values: readonly Value[]): string[] {
  let previous: Value | undefined;
  let text = '';
  return values.map((value) => {
    if (value === previous) return text;
    previous = value;
    text = jsonOfValue(value);
    return text;
  });
}

function jsonOfValue(value: Value): string {
  switch (typeof value) {
    case 'bigint':
      return `"${value}"`;
    case 'string':
      return JSON.stringify(value);
    default:
      return String(value);
  }
}
