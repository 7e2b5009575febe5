import { glob } from 'node:fs/promises';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import type { RdbmsSchemaBuilder } from 'typeorm/schema-builder/RdbmsSchemaBuilder.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modulesWith } from '../../src/app.module.js';
import { loadConfig } from '../../src/kit/config/config.js';
import { typeOrmOptions } from '../../src/kit/database/database.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** TypeORM compares generated columns with its own notes of them, which our migrations do not write. */
async function noteGeneratedColumns(source: DataSource, builder: RdbmsSchemaBuilder): Promise<void> {
  const runner = source.createQueryRunner();
  await builder.createMetadataTableIfNecessary(runner);
  await runner.query(`
    INSERT INTO typeorm_metadata (type, database, schema, "table", name, value)
    SELECT 'GENERATED_COLUMN', table_catalog, table_schema, table_name, column_name, generation_expression
    FROM information_schema.columns WHERE is_generated = 'ALWAYS'`);
  await runner.release();
}

const declaredMigrations = () => modulesWith([], loadConfig({})).migrations;

describe('the schema that the migrations make', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    // Not TypeORM's global metadata: other specs of this process declare entities of their own.
    const exported: unknown[] = [];
    for await (const path of glob('src/**/*.entity.ts')) {
      exported.push(...Object.values((await import(/* @vite-ignore */ `../../${path}`)) as object));
    }
    const declared = getMetadataArgsStorage().tables.map(({ target }) => target);
    const entities = declared.filter((target) => exported.includes(target));
    source = await new DataSource({ ...typeOrmOptions(database.url), entities }).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('is made by the migrations that modules declare', async () => {
    const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name).sort();
    expect(names(await source.query('SELECT name FROM migrations'))).toEqual(names(declaredMigrations()));
  });

  it('is gone once they are taken back, the last one first', async () => {
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    const time = ({ name }: { name: string }): number => Number(name.slice(-13));
    for (const Migration of declaredMigrations().toSorted((a, b) => time(b) - time(a)))
      await new Migration().down(runner);
    const left: unknown = await runner.query(`
      SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind <> 'i'
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY relname`);
    await runner.rollbackTransaction();
    await runner.release();
    expect(left).toEqual([{ relname: 'migrations' }, { relname: 'migrations_id_seq' }]);
  });

  it('is the one that the entities describe', async () => {
    expect(source.entityMetadatas.length).toBeGreaterThan(5);
    const builder = source.driver.createSchemaBuilder() as RdbmsSchemaBuilder;
    await noteGeneratedColumns(source, builder);
    const { upQueries } = await builder.log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});
