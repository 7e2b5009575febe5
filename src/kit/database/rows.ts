import { getMetadataArgsStorage } from 'typeorm';
import type { Amount } from '../../domain/money/amount.js';
import { type SnakeCase, snakeCase } from '../snake-case.js';

type NameOf<Entity> = keyof Entity & string;

/**
 * Columns of an entity's table as raw statements read them: under their own names, amounts as text. Not for entities whose
 * columns are `readOnly`: pg reads their integers as text, too.
 */
export type Row<Entity, Name extends NameOf<Entity> = NameOf<Entity>> = {
  readonly [Each in Name as SnakeCase<Each>]: Entity[Each] extends Amount | null
    ? string | Extract<Entity[Each], null>
    : Entity[Each];
};

/** The columns that a raw statement reads of an entity's table. */
export interface Columns<Entity, Name extends NameOf<Entity>> {
  readonly names: readonly Name[];
  /** For the SELECT, of the table under its alias. */
  of(alias: string): string;
  readonly entity: abstract new () => Entity;
}

/** What is read by these columns. */
export type RowOf<List> = List extends Columns<infer Entity, infer Name> ? Row<Entity, Name> : never;

/** These columns. */
export function columnsOf<Entity extends object, Name extends NameOf<Entity>>(
  entity: abstract new () => Entity,
  ...names: readonly Name[]
): Columns<Entity, Name> {
  const columns = names.map(snakeCase);
  return { names, entity, of: (alias) => columns.map((column) => `${alias}.${column}`).join(', ') };
}

/** All but these. */
export function columnsExcept<Entity extends object, Name extends NameOf<Entity>>(
  entity: abstract new () => Entity,
  ...names: readonly Name[]
): Columns<Entity, Exclude<NameOf<Entity>, Name>> {
  const excluded = new Set<string>(names);
  const declared = getMetadataArgsStorage()
    .filterColumns(entity)
    .map(({ propertyName }) => propertyName as NameOf<Entity>);
  const kept = declared.filter((name) => !excluded.has(name)) as Exclude<NameOf<Entity>, Name>[];
  return columnsOf(entity, ...kept);
}
