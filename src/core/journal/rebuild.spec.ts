import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limit, onClient, openFloor, queryOnce, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { keepTables, restoreTables } from '../../../test/support/kept-tables.js';
import { openPool } from '../../../test/support/pool.js';
import { quoteProtected, settleEvent, tradeAtRandom } from '../../../test/support/trading-run.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { GENESIS_HASH, journalHash } from './journal.js';
import { readJournal } from './journal-reader.js';
import { LedgerCheck } from '../ledger-check/ledger-check.js';
import { rebuildTables, type RebuildOptions } from './rebuild.js';
import { PROJECTED_COLUMNS } from '../projection/tables.js';

const seed = seedFromEnvironment();
/** Tables that tests damage; each test begins with them as they were. */
const DAMAGED = [...Object.keys(PROJECTED_COLUMNS), 'core_projection', 'journal', 'accounts'];

describe(`the tables made anew from the journal, SEED=${seed}`, () => {
  let database: TestDatabase;
  let core: TestCore;
  let stateHash: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url, { settledPerCommandMax: 1 });
    const floor = await openFloor(core);
    await quoteProtected(core, floor.cat);
    await core.place({ ...limit(floor.ann, 'buy', 1, 1), fields: { acme_desk: 'fx' } });
    await tradeAtRandom(core, floor, seed);
    await settleEvent(core, seed);
    stateHash = core.stateHash();
    await core.stop();
    await onClient(database.url, (client) => keepTables(client, DAMAGED));
  });
  afterAll(async () => {
    await database.drop();
  });
  afterEach(async () => {
    await onClient(database.url, (client) => restoreTables(client, DAMAGED));
  });

  const change = (text: string) => queryOnce(database.url, text);
  const rebuild = (options: RebuildOptions = {}) =>
    onClient(database.url, (client) => rebuildTables(client, options));
  const agreed = () => ({
    stateHash,
    hashFault: null,
    differences: [],
    isRepaired: false,
  });

  it('are those of the projector, at the hash that all proofs tell', async () => {
    for (const table of Object.keys(PROJECTED_COLUMNS))
      expect(await change(`SELECT 1 FROM ${table} LIMIT 1`), table).toHaveLength(1);
    const progress: number[] = [];
    const rebuilt = await rebuild({ onProgress: ({ sequence }) => progress.push(sequence) });
    expect(rebuilt).toMatchObject(agreed());
    expect(progress.at(-1)).toBe(rebuilt.sequence);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash, sequence: rebuilt.sequence });
    const pool = openPool(database.url);
    try {
      const check = await new LedgerCheck(core.followed, pool, new MetricsRegistry()).check();
      expect(check).toMatchObject({ balanced: true, stateHash, sequence: rebuilt.sequence });
    } finally {
      await pool.end();
    }
  });

  it('end where the stored ones stand, however long the journal goes on', async () => {
    await change(`UPDATE core_projection SET state_parts = NULL, sequence = (
      SELECT last_sequence FROM journal ORDER BY last_sequence DESC OFFSET 2 LIMIT 1)`);
    const [cursor] = await change('SELECT sequence::int FROM core_projection');
    const { sequence, differences } = await rebuild();
    expect(cursor).toEqual({ sequence });
    // The stored rows are further than their cursor says.
    expect(differences.map(({ table }) => table)).toContain('positions');
  });

  const damages: [table: string, statement: string, found: object][] = [
    ['orders', `UPDATE orders SET held = held + 1, status = 'open'`, { missing: 0, surplus: 0 }],
    ['orders', `DELETE FROM orders WHERE order_id % 2 = 0`, { surplus: 0, changed: 0 }],
    ['trades', `UPDATE trades SET maker_fee = maker_fee + 1`, { missing: 0, surplus: 0 }],
    [
      'matched_bets',
      `UPDATE matched_bets SET order_id = order_id + 1`,
      { missing: 1, surplus: 1, changed: 0 },
    ],
    ['transfers', `DELETE FROM transfers`, { surplus: 0, changed: 0 }],
    ['balances', `INSERT INTO balances VALUES (9999, 'USD', 1, 0)`, { missing: 0, surplus: 1, changed: 0 }],
    ['order_fields', `UPDATE order_fields SET fields = '{}'`, { missing: 0, surplus: 0, changed: 1 }],
    ['positions', `UPDATE positions SET settled_lots = 7`, { missing: 0, surplus: 0 }],
    ['market_books', `UPDATE market_books SET last_price_ticks = NULL`, { missing: 0, changed: 2 }],
    ['account_changes', `UPDATE account_changes SET order_ids = '1 2'`, { missing: 0, surplus: 0 }],
    ['command_keys', `DELETE FROM command_keys`, { surplus: 0, changed: 0 }],
    ['core_projection', `UPDATE core_projection SET sequence = sequence + 1`, { changed: 1 }],
    ['core_projection', `UPDATE core_projection SET state_parts = 'x'`, { changed: 1 }],
    ['core_projection', `DELETE FROM core_projection`, { missing: 1 }],
  ];
  it.each(damages)('name damage of %s: %s', async (table, statement, found) => {
    await change(statement);
    const { differences, ...rest } = await rebuild();
    expect(rest).toMatchObject({ stateHash, hashFault: null, isRepaired: false });
    expect(differences).toMatchObject([{ table, ...found }]);
    expect(differences[0]!.examples.length).toBeGreaterThan(0);
  });

  it('are put in the place of whatever differs', async () => {
    // The first damage of each table.
    const first = new Map(damages.toReversed().map(([table, statement]) => [table, statement]));
    for (const statement of first.values()) await change(statement);
    const before = await rebuild();
    expect(before.differences.map(({ table }) => table).sort()).toEqual([...first.keys()].sort());
    expect(await rebuild({ repair: true })).toEqual({ ...before, isRepaired: true });
    expect(await rebuild()).toMatchObject(agreed());
    expect(await core.verify()).toMatchObject({ ok: true, stateHash });
  });

  it('name the rows, and the columns in which they differ', async () => {
    await change(`UPDATE positions SET fees = fees + 1, cost_basis = 5
      WHERE (account_id, market_id) = (SELECT account_id, market_id FROM positions ORDER BY 1, 2 LIMIT 1)`);
    const { differences } = await rebuild();
    expect(differences[0]!.examples).toEqual([
      expect.stringMatching(/^account_id \d+, market_id \S+: differs in cost_basis, fees$/),
    ]);
  });

  it('leave out keys that have expired, purged or not', async () => {
    const keys = `owner LIKE 'request:%'`;
    const [key] = await change(`SELECT owner, key, expires_at FROM command_keys WHERE ${keys}`);
    expect(key).toBeDefined();
    // Their effects say that they expire tomorrow, so the stored ones are what differs.
    await change(`UPDATE command_keys SET expires_at = now() - interval '1 s' WHERE ${keys}`);
    const { differences } = await rebuild();
    expect(differences).toMatchObject([{ table: 'command_keys', surplus: 0, changed: 0 }]);
  });

  it('are put in place only where nobody leads', async () => {
    const leader = await TestCore.start(database.url);
    try {
      await expect(rebuild({ repair: true })).rejects.toThrow('a service leads on this database');
      expect(await rebuild()).toMatchObject({ differences: [] });
    } finally {
      await leader.stop();
    }
  });

  it('tell of rows that commits write themselves, and mend nothing then', async () => {
    await change(`UPDATE accounts SET frozen = true WHERE owner = 'user:ann'`);
    await change('DELETE FROM balances');
    const rebuilt = await rebuild({ repair: true });
    expect(rebuilt).toMatchObject({
      isRepaired: false,
      hashFault: expect.stringContaining('accounts') as string,
    });
    expect(await change('SELECT 1 FROM balances')).toEqual([]);
  });

  it.each([
    [
      'UPDATE journal SET effects = NULL WHERE last_sequence = (SELECT max(last_sequence) FROM journal)',
      'damaged',
    ],
    ['DELETE FROM journal WHERE last_sequence < 10', 'begins at sequence'],
  ])('are not made of what is no whole journal: %s', async (damage, reason) => {
    await change(damage);
    await expect(rebuild()).rejects.toThrow(reason);
  });

  it('are not made of rows from before there were effects', async () => {
    const [first] = await onClient(database.url, (client) => readJournal(client, 0, 1));
    const hash = journalHash(GENESIS_HASH, { ...first!, effects: null });
    await change(
      `UPDATE journal SET effects = NULL, hash = '${hash}' WHERE last_sequence = ${first!.lastSequence}`,
    );
    await expect(rebuild()).rejects.toThrow('before rows kept their effects');
  });
});
