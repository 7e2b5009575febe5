import { glob } from 'node:fs/promises';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeOrmOptions } from '../../src/platform/database/database.module.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('the schema that the migrations make', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    // Not what TypeORM has heard of: other specs of this process declare entities of their own.
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

  it('is the one that the entities describe', async () => {
    expect(source.entityMetadatas.length).toBeGreaterThan(5);
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});
