import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { FieldChanges, FieldValues } from '../../domain/fields.js';
import { FieldCatalogue } from './field-catalogue.js';
import { StoredFields, type StoredThing } from './stored-fields.js';

/**
 * The fields of users, accounts and markets for plugins themselves, those included that are for nobody else. Users and
 * accounts are named by their numbers, markets by their ids.
 */
@Injectable()
export class Fields {
  constructor(
    private readonly catalogue: FieldCatalogue,
    private readonly stored: StoredFields,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Those without a value are left out. */
  async get(on: StoredThing, id: string): Promise<FieldValues> {
    return (await this.stored.of(on, [id])).get(id) ?? {};
  }

  /**
   * Changes those that are named, in the transaction of `manager` if it is given; null removes a value. Throws a TypeError
   * for what no plugin declares, and for a value of another type.
   */
  async set(
    on: StoredThing,
    id: string,
    changes: FieldChanges,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<void> {
    for (const [name, value] of Object.entries(changes)) {
      const field = this.catalogue.on(on).find((each) => each.name === name);
      if (field === undefined) throw new TypeError(`no plugin declares the field ${name} on ${on}`);
      if (value !== null && field.type.valueOf(value) !== value)
        throw new TypeError(`${name} must be ${field.type.expects}`);
    }
    await this.stored.change(manager, on, id, changes, 'plugin');
  }
}
