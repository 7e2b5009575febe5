import pg from 'pg';
import type { FieldValues } from '../../domain/fields.js';
import type { Fielded } from '../http/fielded.js';

interface FieldedTableOptions {
  readonly on: Fielded;
  readonly table: string;
  /** SQL of the fields as `jsonb`, such as `fields::jsonb`. */
  readonly fields: string;
  /** Columns before the field in its index, which each list selects by. */
  readonly before?: readonly string[];
  /** Columns after it: the order of the list. */
  readonly after: readonly string[];
  /** Which rows of the table are of such things; all where left out. */
  readonly where?: string;
}

/** Where the fields of one kind of thing are stored; its group declares it. */
export class FieldedTable {
  readonly on: Fielded;
  readonly table: string;
  private readonly options: FieldedTableOptions;

  constructor(options: FieldedTableOptions) {
    ({ on: this.on, table: this.table } = options);
    this.options = options;
  }

  /** SQL of a field as text, the same in its index and in conditions. Names of fields are words. */
  private textOf(name: string, alias = ''): string {
    return `(${alias}${this.options.fields} ->> '${name}')`;
  }

  indexName(field: string): string {
    return `field_${this.on}_${field}`;
  }

  createIndex(field: string): string {
    const { before = [], after, where = 'true' } = this.options;
    const columns = [...before, this.textOf(field), ...after].join(', ');
    return `CREATE INDEX CONCURRENTLY ${this.indexName(field)} ON ${this.table} (${columns}) WHERE ${where}`;
  }

  /** The same as one text, for statements with parameters of their own: that an id is of a thing with these values. */
  isAmong(id: string, fields: FieldValues | undefined): string {
    if (fields === undefined) return 'TRUE';
    const conditions = Object.entries(fields).map(
      ([name, value]) => `${this.textOf(name)} = ${pg.escapeLiteral(String(value))}`,
    );
    const { where = 'true' } = this.options;
    return `${id} IN (SELECT id FROM ${this.table} WHERE ${where} AND ${conditions.join(' AND ')})`;
  }

  /** That the rows under an alias, with its dot, have these values. */
  condition(
    fields: FieldValues,
    alias: string,
  ): { readonly conditions: string; readonly parameters: Record<string, string> } {
    const names = Object.keys(fields);
    return {
      conditions: names.map((name) => `${this.textOf(name, alias)} = :field_${name}`).join(' AND '),
      parameters: Object.fromEntries(names.map((name) => [`field_${name}`, String(fields[name])])),
    };
  }
}

/** Those that groups declare. */
export class FieldedTables {
  constructor(private readonly all: readonly FieldedTable[]) {}

  of(thing: FieldedTable['on']): FieldedTable | undefined {
    return this.all.find(({ on }) => on === thing);
  }
}
