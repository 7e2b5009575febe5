import { getMetadataArgsStorage, type MigrationInterface, type QueryRunner } from 'typeorm';
import { StartRefusal } from '../config/start-refusal.js';
import type { MigrationClass } from '../database/migrate.js';
import { isOfPlugin } from './tradepost-module.js';

/**
 * What each table is made of, but for those of plugins' entities; foreign keys of other tables that refer to it are none of its
 * parts.
 */
const CATALOGUE = `
  SELECT part.table_name, md5(string_agg(part.what, E'\\n' ORDER BY part.what)) AS digest
  FROM (
    SELECT table_name, concat_ws(' ', 'column', column_name, udt_name, character_maximum_length, numeric_precision,
      numeric_scale, is_nullable, column_default, is_identity, generation_expression) AS what
      FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL SELECT relname, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(c.oid))
      FROM pg_constraint c JOIN pg_class ON pg_class.oid = conrelid
    UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT relname, pg_get_triggerdef(t.oid)
      FROM pg_trigger t JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal
    UNION ALL SELECT tablename, definition FROM pg_rules WHERE schemaname = current_schema()
  ) AS part (table_name, what)
  WHERE part.table_name <> ALL ($1)
  GROUP BY part.table_name`;

interface TableDigest {
  readonly table_name: string;
  readonly digest: string;
}

/**
 * A migration of a plugin that may change no table of the service: what it adds to one would be lost, or in the way, at the
 * next version. It is compared before its transaction ends, so nothing of it stays.
 */
export function guardedMigration(plugin: string, migration: MigrationClass): MigrationClass {
  class Guarded implements MigrationInterface {
    private readonly own = new migration();
    readonly name = this.own.name ?? migration.name;

    async up(runner: QueryRunner): Promise<void> {
      const before = await digestsOf(runner);
      await this.own.up(runner);
      const after = await digestsOf(runner);
      const changed = [...before.keys()].find((table) => after.get(table) !== before.get(table));
      if (changed !== undefined)
        throw new StartRefusal(
          `Plugin "${plugin}": the migration "${this.name}" changes the table "${changed}" of the service; keep what it adds in a table of its own, with an entity.`,
        );
    }

    down(runner: QueryRunner): Promise<void> {
      return this.own.down(runner);
    }
  }
  // TypeORM stores it.
  Object.defineProperty(Guarded, 'name', { value: migration.name });
  return Guarded;
}

async function digestsOf(runner: QueryRunner): Promise<ReadonlyMap<string, string>> {
  const { tables } = getMetadataArgsStorage();
  // A plugin that has an entity of a table of the service does not make it its own.
  const ofService = new Set(tables.filter(({ target }) => !isOfPlugin(target)).map(({ name }) => name));
  const ofPlugins = tables.map(({ name = '' }) => name).filter((name) => !ofService.has(name));
  const rows = (await runner.query(CATALOGUE, [ofPlugins])) as TableDigest[];
  return new Map(rows.map(({ table_name, digest }) => [table_name, digest]));
}
