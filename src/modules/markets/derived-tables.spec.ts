import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limit, onClient, openFloor, queryOnce, SPOT, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { eventually } from '../../../test/support/eventually.js';
import { keepTables, restoreTables } from '../../../test/support/kept-tables.js';
import { openPool } from '../../../test/support/pool.js';
import { quoteProtected, settleEvent, tradeAtRandom } from '../../../test/support/trading-run.js';
import { rebuildTables, type RebuildOptions } from '../../core/journal/rebuild.js';
import { Followers } from '../../core/followers/followers.js';
import { LedgerCheck } from '../../core/ledger-check.js';
import { copyDerived, problemsOfDerived } from '../../core/projection/derived-tables.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import type { MomentsService } from '../accounts/moments/moments.service.js';
import { BalanceHistory } from './holdings/balance-history.js';
import { CheckedTables, DERIVED_TABLES } from './derived-tables.js';
import { AccountVolumes } from './fees/account-volumes.service.js';
import { FillProjection } from './fills/fill-projection.js';
import { CandleProjection } from './market-data/candle-projection.js';
import { Clock } from '../../kit/clock.js';

const TABLES = DERIVED_TABLES.flatMap(({ tables }) => tables);
const DAMAGED = [...TABLES, 'journal_cursors'];
const seed = seedFromEnvironment();

describe(`tables that follow commits, SEED=${seed}`, () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let core: TestCore;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    core = await TestCore.start(database.url, { settledPerCommandMax: 1 });
    const floor = await openFloor(core);
    await quoteProtected(core, floor.cat);
    await tradeAtRandom(core, floor, seed);
    const markets = await core.query<{ market_id: string }>('SELECT market_id FROM markets');
    const marketIds = markets.map(({ market_id }) => market_id);
    await follow(marketIds);
    await settleEvent(core, seed);
    await core.place(limit(floor.ann, 'buy', 10_100, 30));
    await core.place(limit(floor.bob, 'sell', 10_000, 30));
    // Fills of the spot market stay behind, as they do under load.
    await follow(marketIds.filter((marketId) => marketId !== SPOT));
    await core.stop();
    await onClient(database.url, (client) => keepTables(client, DAMAGED));
  });

  /** Brings fills up in these markets, and all else to the end. */
  async function follow(marketIds: readonly string[]): Promise<void> {
    const fills = new FillProjection(core.followed, pool, new Followers());
    for (const marketId of marketIds) await fills.catchUp(marketId);
    await new CandleProjection(core.followed, pool, new Followers()).catchUp(SPOT);
    const moments = { sequenceBefore: () => Promise.resolve(0) } as unknown as MomentsService;
    await new AccountVolumes(core.followed, moments, new Clock(), pool).catchUp();
  }
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  afterEach(async () => {
    await onClient(database.url, (client) => restoreTables(client, DAMAGED));
  });

  const change = (text: string) => queryOnce(database.url, text);
  const rebuild = (options: RebuildOptions = {}) =>
    onClient(database.url, (client) => rebuildTables(client, { derived: DERIVED_TABLES, ...options }));
  const verify = () => core.verify({ derived: DERIVED_TABLES });
  const newCheck = (): LedgerCheck => {
    const check = new LedgerCheck(core.followed, pool, new MetricsRegistry());
    new CheckedTables(check).onModuleInit();
    return check;
  };
  const checkedInFull = async () => {
    const check = newCheck();
    await eventually(() => check.checkAll().status !== 'running', 'the sum over all history is done');
    return check.checkAll();
  };

  it('are what their followers made of them, wherever each of these stands', async () => {
    for (const table of TABLES.filter((name) => name !== 'balance_marks'))
      expect(await change(`SELECT FROM ${table} LIMIT 1`), table).toHaveLength(1);
    expect(await change(`SELECT kind FROM fills GROUP BY kind`)).toHaveLength(4);
    expect(await rebuild()).toMatchObject({ hashFault: null, differences: [] });
    expect(await verify()).toMatchObject({ ok: true });
    expect(await newCheck().check()).toMatchObject({ balanced: true, problems: [] });
    expect(await checkedInFull()).toMatchObject({ status: 'done', problems: [] });
  });

  const latest = (table: string, key: string, order: string) =>
    `(${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${order} LIMIT 4)`;
  const fill = 'account_id, market_id, sequence';
  const damages: [what: string, table: string, statement: string][] = [
    ['four lost fills', 'fills', `DELETE FROM fills WHERE ${latest('fills', fill, 'sequence')}`],
    ['the last fills lost', 'fills', `DELETE FROM fills WHERE ${latest('fills', fill, 'sequence DESC')}`],
    [
      'a fill of other lots',
      'fills',
      `UPDATE fills SET lots = lots + 1 WHERE ${latest('fills', fill, 'sequence')}`,
    ],
    ['a day lost', 'fill_days', 'DELETE FROM fill_days'],
    [
      'a day too many',
      'fill_days',
      `INSERT INTO fill_days SELECT account_id, '2001-01-01', market_id FROM fill_days`,
    ],
    ['candles lost', 'candles', 'DELETE FROM candles WHERE interval_seconds = 60'],
    ['candles of other lots', 'candles', 'UPDATE candles SET volume_lots = volume_lots + 1'],
    ['volumes lost', 'account_volumes', 'DELETE FROM account_volumes'],
    ['other volumes', 'account_volumes', 'UPDATE account_volumes SET volume = volume - 1'],
    ['a mark of nothing', 'balance_marks', `INSERT INTO balance_marks VALUES (1, 'USD', 65536, 7)`],
  ];
  it.each(damages)('are found to differ and are put right: %s', async (_what, table, statement) => {
    await change(statement);
    expect(await verify()).toMatchObject({ ok: false });
    const { problems, balanced } = await checkedInFull();
    expect({ balanced, found: problems.length > 0 }).toEqual({ balanced: false, found: true });
    expect(await rebuild({ repair: true })).toMatchObject({
      isRepaired: true,
      hashFault: null,
      differences: [{ table }],
    });
    expect(await rebuild()).toMatchObject({ differences: [] });
  });

  it('have their last fills compared with the positions by every check of the ledger', async () => {
    await change(`DELETE FROM fills WHERE kind = 'correction'`);
    const { balanced, problems } = await newCheck().check();
    expect(balanced).toBe(false);
    expect(problems[0]).toMatch(/^The last fill of account \d+ in \S+ does not lead to its position\.$/);
  });

  it('are repaired to nothing where no cursor says how far they are', async () => {
    await change(`DELETE FROM journal_cursors WHERE name LIKE 'candles:%'`);
    expect(await rebuild({ repair: true })).toMatchObject({ isRepaired: true });
    expect(await change('SELECT FROM candles')).toEqual([]);
  });
});

describe('marks of balances', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = openPool(database.url);
    const nobody = { projected: () => Promise.resolve() } as unknown as TestCore['followed'];
    await pool.query(`
      INSERT INTO transfers
      SELECT id, 1 + id % 3, 4, 'USD', 1, 'transfer', '', -id, id, now()
      FROM generate_series(1, 560000, 4000) AS id`);
    await new BalanceHistory(nobody, pool, new Followers()).balancesAt(4, ['USD'], 560_000);
    await pool.end();
  });
  afterAll(() => database.drop());

  it.each([
    ['as they are', 'SELECT', 0],
    ['where some are lost', 'DELETE FROM balance_marks WHERE account_id = 4', 2],
    [
      'where one is another',
      'UPDATE balance_marks SET balance = 1 WHERE account_id = 4 AND sequence = 262144',
      1,
    ],
  ])('are compared with the transfers: %s', async (_what, damage, found) => {
    await onClient(database.url, async (client) => {
      await client.query(`BEGIN; ${damage}`);
      const marks = DERIVED_TABLES.filter(({ tables }) => tables.includes('balance_marks'));
      const problems = await problemsOfDerived(client, marks, 'all');
      expect(problems).toHaveLength(found);
      const [copy] = await copyDerived(client, marks);
      const { missing, surplus, changed } = await copy!.compare();
      expect(missing + surplus + changed).toBe(found);
      await client.query('ROLLBACK');
    });
  });
});
