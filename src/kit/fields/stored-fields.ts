import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { changedFields, type FieldChanges, type FieldValues } from '../../domain/fields.js';
import { lockUntilCommit } from '../database/advisory-locks.js';
import type { FieldAudience, Fielded, FieldReader } from '../http/fielded.js';
import { ApiError } from '../http/errors.js';
import { FieldCatalogue } from './field-catalogue.js';
import { isFor } from './field-declaration.js';
import { FieldedTable } from './fielded-table.js';

/** Orders have theirs in the journal, messages in their rows. */
export type StoredThing = Exclude<Fielded, 'orders' | 'messages'>;

const STORED = 'SELECT id, fields FROM stored_fields WHERE thing = $1 AND id = ANY ($2::text[])';
const STORE = `
  INSERT INTO stored_fields (thing, id, fields) VALUES ($1, $2, $3)
  ON CONFLICT (thing, id) DO UPDATE SET fields = excluded.fields`;

/** Where the fields of a kind of thing are, by the text of its id. */
export function storedTable(on: StoredThing): FieldedTable {
  return new FieldedTable({
    on,
    table: 'stored_fields',
    fields: 'fields',
    after: ['id'],
    where: `thing = '${on}'`,
  });
}

/**
 * The fields of users, accounts and markets, beside the tables of these: nobody reads or writes any where no plugin declares
 * some, and a thing that has none costs nothing. What plugins that are not loaded have left stays as it is.
 */
@Injectable()
export class StoredFields {
  constructor(
    private readonly catalogue: FieldCatalogue,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** By id; things without any are left out. */
  async of(
    thing: StoredThing,
    ids: readonly string[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ReadonlyMap<string, FieldValues>> {
    if (ids.length === 0 || !this.catalogue.has(thing)) return new Map();
    const rows = await manager.query<{ readonly id: string; readonly fields: FieldValues }[]>(STORED, [
      thing,
      ids,
    ]);
    return new Map(rows.map(({ id, fields }) => [id, fields]));
  }

  /** Of all things of a kind of which there are few. */
  async all(thing: StoredThing): Promise<ReadonlyMap<string, FieldValues>> {
    const rows = await this.dataSource.query<{ readonly id: string; readonly fields: FieldValues }[]>(
      'SELECT id, fields FROM stored_fields WHERE thing = $1',
      [thing],
    );
    return new Map(rows.map(({ id, fields }) => [id, fields]));
  }

  /** Answers with what their reader may see of their fields. */
  async shownWith<Answer extends object>(
    thing: StoredThing,
    answers: readonly Answer[],
    idOf: (answer: Answer) => string,
    reader: FieldReader = 'owner',
    manager?: EntityManager,
  ): Promise<Answer[]> {
    if (!this.catalogue.has(thing)) return [...answers];
    const stored = await this.of(thing, answers.map(idOf), manager);
    return answers.map((answer) => ({
      ...answer,
      ...this.catalogue.shown(thing, stored.get(idOf(answer)), reader),
    }));
  }

  /**
   * Changes those that are named, in the transaction of whatever changes the thing. Throws `validation_failed` (400) for
   * those that are not the writer's to change.
   */
  async change(
    manager: EntityManager,
    thing: StoredThing,
    id: string,
    changes: FieldChanges | undefined,
    writer: FieldAudience,
  ): Promise<void> {
    if (changes === undefined) return;
    if (manager.queryRunner?.isTransactionActive !== true) {
      await manager.transaction((own) => this.change(own, thing, id, changes, writer));
      return;
    }
    await lockUntilCommit(manager, `fields:${thing}:${id}`);
    const [row] = await manager.query<{ readonly fields: FieldValues }[]>(STORED, [thing, [id]]);
    if (writer !== 'plugin') this.requireWritable(thing, row?.fields ?? {}, changes, writer);
    await manager.query(STORE, [thing, id, JSON.stringify(changedFields(row?.fields ?? null, changes))]);
  }

  /** An answer may be sent back as it is, with what its reader cannot change. */
  private requireWritable(
    thing: StoredThing,
    before: FieldValues,
    changes: FieldChanges,
    reader: FieldReader,
  ): void {
    const errors = this.catalogue
      .on(thing)
      .filter(({ name, writableBy }) => !isFor(writableBy, reader) && Object.hasOwn(changes, name))
      .filter(({ name }) => changes[name] !== (before[name] ?? null))
      .map(({ name }) => ({ field: name, message: `${name} is changed by operators alone` }));
    if (errors.length > 0) throw ApiError.validation(errors);
  }

  /** Deletes the fields of things that are erased: of plugins that are not loaded, too. */
  async erase(
    manager: Pick<EntityManager, 'query'>,
    thing: StoredThing,
    ids: readonly string[],
  ): Promise<void> {
    await manager.query('DELETE FROM stored_fields WHERE thing = $1 AND id = ANY ($2::text[])', [thing, ids]);
  }
}
