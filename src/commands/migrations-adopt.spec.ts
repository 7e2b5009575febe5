import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp } from '../../test/support/app.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { openPool } from '../../test/support/pool.js';
import { modulesWith } from '../app.module.js';
import { baselinesOf, FORMER } from '../former-migrations.js';
import { loadConfig } from '../kit/config/config.js';
import { adopt } from './migrations-adopt.js';

describe('a database of the former migrations', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof openPool>;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const OF_A_PLUGIN = 'CreateAcmeNotes1790000000000';
  /** The tables are the same, but for what migrations from later have changed: these are done, too. */
  const { migrations } = modulesWith([], loadConfig({}));
  const baselines = new Set(baselinesOf(migrations));
  const later = migrations.map(({ name }) => name).filter((name) => !baselines.has(name));
  async function makeOf(formerNames: readonly string[]): Promise<void> {
    const names = formerNames.length === 0 ? [] : [...formerNames, ...later];
    await pool.query('TRUNCATE migrations RESTART IDENTITY');
    await pool.query(
      'INSERT INTO migrations (timestamp, name) SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) name',
      [names],
    );
  }
  const start = async (): Promise<void> => {
    const app = await startTestApp({ databaseUrl: database.url, seedDemo: false });
    await app.close();
  };
  const adopted = (): Promise<string> => adopt(loadConfig({ DATABASE_URL: database.url }));
  const done = async (): Promise<string[]> =>
    (await pool.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')).rows.map(
      ({ name }) => name,
    );
  beforeEach(() => makeOf([...FORMER, OF_A_PLUGIN]));

  it('is refused at the start in one line, until its migrations are adopted', async () => {
    await expect(start()).rejects.toThrow(
      /^The tables of the database were made by an earlier version: run "npx tradepost migrations adopt" once\.$/,
    );
    expect(await done()).toEqual([...FORMER, OF_A_PLUGIN, ...later]);
    expect(await adopted()).toMatch(/^Adopted \d+ migrations: this version can start on the database\.$/);
    await start();
    const names = await done();
    // The earlier version can still start, too.
    expect(names).toEqual(expect.arrayContaining([...FORMER, OF_A_PLUGIN, 'LedgerBaseline1780000000110']));
    expect(await adopted()).toBe('Nothing to adopt: this version can start on the database.');
    expect(await done()).toEqual(names);
  });

  it('is adopted once by several that try at the same time', async () => {
    const told = await Promise.all([adopted(), adopted(), adopted()]);
    expect(told.filter((line) => line.startsWith('Adopted'))).toHaveLength(1);
    const names = await done();
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    ['the last', FORMER.slice(0, -1), 'WatchKeys1780000002775'],
    ['one in between', FORMER.toSpliced(40, 1), FORMER[40]!],
  ])('is refused where it lacks %s of them', async (_which, names, missing) => {
    await makeOf(names);
    const line = `The database lacks the migration ${missing}: start the last version that has it on this database once, then run "npx tradepost migrations adopt".`;
    await expect(start()).rejects.toThrow(line);
    await expect(adopted()).rejects.toThrow(line);
    expect(await done()).toEqual([...names, ...later]);
  });

  it('that is empty has nothing to adopt', async () => {
    await makeOf([]);
    await expect(adopted()).rejects.toThrow(/^The database has no tables to adopt: /);
  });
});
