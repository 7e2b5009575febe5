import type { Amount } from '../../domain/money/amount.js';
import { readOnly } from '../../kit/database/columns.js';
import type { Column, ColumnList, StoredColumn, ValueKind } from './values.js';
import { type CamelCase, camelCase } from './camel-case.js';

type NullOf<V> = Extract<V, null>;

/** What the driver's text becomes in an entity. */
type EntityValue<C extends Column<never>> = C['kind'] extends 'numeric'
  ? Amount | NullOf<ReturnType<C['read']>>
  : C['kind'] extends 'time'
    ? Date | NullOf<ReturnType<C['read']>>
    : C['kind'] extends 'bigint'
      ? number
      : ReturnType<C['read']>;

export type EntityOf<C extends ColumnList> = {
  readonly [Each in C[number] as CamelCase<Each['name']>]: EntityValue<Each>;
};

type Decorate = (options: {
  readonly name: string;
  readonly nullable: boolean;
  readonly select?: boolean;
}) => PropertyDecorator;

const DECORATORS: Readonly<Record<ValueKind, Decorate>> = {
  integer: readOnly.integer,
  bigint: readOnly.integer,
  numeric: readOnly.amount,
  text: readOnly.text,
  time: readOnly.time,
  bool: readOnly.boolean,
};

/** What an entity of a table of the core extends: it has the table's columns, in camel case, for reading alone. */
export function coreEntity<const C extends ColumnList>(
  columns: C,
  ...key: readonly C[number]['name'][]
): abstract new () => EntityOf<C> {
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class -- its members are declared by the columns
  abstract class CoreEntity {}
  const inOrder = [...columns].sort((a, b) => placeIn(key, a.name) - placeIn(key, b.name));
  for (const { name, kind, isNullable } of inOrder) {
    const isKey = key.includes(name);
    const keyOf = kind === 'text' ? readOnly.textKey : readOnly.integerKey;
    const decorate = isKey ? keyOf({ name }) : DECORATORS[kind]({ name, nullable: isNullable });
    decorate(CoreEntity.prototype, camelCase(name));
  }
  return CoreEntity as unknown as abstract new () => EntityOf<C>;
}

/** Declares columns that the table of an entity has besides, and that are not read with it. */
export function declareUnread(entity: abstract new () => object, columns: readonly StoredColumn[]): void {
  for (const { name, kind } of columns)
    DECORATORS[kind]({ name, nullable: true, select: false })(entity.prototype as object, camelCase(name));
}

/** Keys come first, in their order. */
function placeIn(key: readonly string[], name: string): number {
  const place = key.indexOf(name);
  return place < 0 ? key.length : place;
}
