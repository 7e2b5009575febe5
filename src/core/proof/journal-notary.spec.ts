import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually, type Floor, limit, onClient, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { randomsFrom } from '../../../test/support/hostile-values.js';
import { openPool } from '../../../test/support/pool.js';
import { tradeAtRandom } from '../../../test/support/trading-run.js';
import { hexOf } from '../../domain/proof/bytes.js';
import { faultOfHead, knownKeysOf, type KnownKeys } from '../../domain/proof/journal-head.js';
import { leafHash, rootOfLeaves } from '../../domain/proof/merkle-tree.js';
import { publicHash, publicText } from '../../domain/proof/public-journal.js';
import { PublicReplay } from '../../domain/proof/public-replay.js';
import { checkReceipt } from '../../domain/proof/receipt.js';
import { leafBytes } from '../../domain/proof/statement.js';
import type { Config } from '../../kit/config/config.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import type { KeyVault } from '../../kit/vault/key-vault.js';
import { SecretBox } from '../../kit/vault/secret-box.js';
import { archiveJournal } from '../journal/journal-archiver.js';
import { ArchivedRows } from '../journal/archived-rows.js';
import { JournalFollower } from '../reads/journal-follower.js';
import { type JournalEntry, readJournal } from '../journal/journal-reader.js';
import { RecentRows } from '../journal/recent-rows.js';
import { PointInTime } from '../reads/point-in-time.js';
import { Clock } from '../../kit/clock.js';
import { JournalHeads } from './journal-heads.js';
import { JournalKeys } from './journal-keys.js';
import { JournalNotary } from './journal-notary.js';
import { leafAt, publicRows, sizeOf } from './journal-tree.js';
import { OwnHeads } from './own-heads.js';
import { Receipts } from './receipts.js';

const { add: addRow } = RecentRows.prototype;

/** Keeps keys as they are: what seals them has specs of its own. */
const OPEN_VAULT = {
  wrap: async (key: Uint8Array) => ({ keyVersion: '1', bytes: Buffer.from(key) }),
  unwrap: async ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes),
} as unknown as KeyVault;

describe('the notary of the journal', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  let pool: Pool;
  let folder: string;
  let archive: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-notary-'));
    archive = join(folder, 'archive');
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    pool = openPool(database.url);
    floor = await openFloor(core);
  });
  afterEach(async () => {
    await pool.end();
    await core.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const parts = () => {
    const keys = new JournalKeys(new SecretBox(OPEN_VAULT, pool), pool);
    const follower = new JournalFollower(core.followed, pool);
    const heads = new JournalHeads(pool);
    const metrics = new MetricsRegistry();
    const notary = new JournalNotary(core.followed, follower, keys, heads, metrics, {
      dataDir: folder,
    } as Config);
    const moments = new PointInTime(core.followed, pool, new Clock());
    const archived = new ArchivedRows({ journalArchive: archive } as Config);
    const receipts = new Receipts(notary, heads, keys, moments, archived, pool);
    return { keys, notary, heads, receipts };
  };
  const catchUp = async (notary: JournalNotary): Promise<void> => {
    for (let before = -1; before < (await sizeOf(pool));) {
      before = await sizeOf(pool);
      await notary.catchUp();
    }
  };
  const journal = (): Promise<JournalEntry[]> =>
    onClient(database.url, (client) => readJournal(client, 0, 10_000));
  const knownKeys = async (keys: JournalKeys): Promise<KnownKeys> => {
    const known = knownKeysOf(await keys.list());
    if (typeof known === 'string') throw new Error(known);
    return known;
  };
  /** One leaf for each row, in order, under the root that the newest head has signed. */
  const expectTreeOf = async (rows: readonly JournalEntry[]): Promise<void> => {
    const { keys, heads } = parts();
    expect(await sizeOf(pool)).toBe(rows.length);
    const hashes: Uint8Array[] = [];
    for (const [index, { hash, firstSequence, lastSequence, stateHash }] of rows.entries()) {
      const leaf = (await leafAt(pool, index + 1))!;
      expect(leaf).toMatchObject({
        height: index + 1,
        first_sequence: firstSequence,
        last_sequence: lastSequence,
        chain_hash: hash,
        state_hash: stateHash,
      });
      hashes.push(leafHash(leafBytes(leaf)));
    }
    const head = (await heads.newest())!;
    expect(head).toMatchObject({ tree_size: rows.length, chain_hash: rows.at(-1)!.hash });
    const replay = new PublicReplay();
    for (let from = 1; from <= rows.length;) {
      const page = await publicRows(pool, from, { limit: 50, bytesMax: 3_000 });
      for (const { leaf, public: part } of page) {
        expect(replay.take(leaf, part)).toBeNull();
        expect(leaf.public).toEqual({
          hash: part && publicHash(publicText(part)),
          state_hash: replay.stateHash,
        });
      }
      from += page.length;
    }
    expect(replay.trades).toBeGreaterThan(0);
    expect(head.public_state_hash).toBe(replay.stateHash);
    expect(head.root_hash).toBe(hexOf(rootOfLeaves(hashes)));
    expect(faultOfHead(head, await knownKeys(keys))).toBeNull();
  };

  describe('whose database was lost while the files of its heads were kept', () => {
    let other: TestDatabase;
    const lead = (url: string, nodeEnv: Config['nodeEnv']): Promise<TestCore> =>
      TestCore.start(url, { conditions: { ownHeads: new OwnHeads({ dataDir: folder, nodeEnv }) } });
    beforeEach(async () => {
      await catchUp(parts().notary);
      other = await createTestDatabase();
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await other.drop();
    });

    it('leads no empty exchange in production, and says what to do', async () => {
      const begun = lead(other.url, 'production');
      await expect(begun).rejects.toThrow(
        /the last signed head, of .*, is at sequence \d+, and the journal ends at 0/,
      );
      await expect(begun).rejects.toThrow(`move this folder away first`);
    });

    it('says so loudly elsewhere', async () => {
      const error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      await (await lead(other.url, 'development')).stop();
      expect(error).toHaveBeenCalledWith({ msg: expect.stringContaining('restore it') as string });
    });

    it('leads where the journal has what was signed', async () => {
      await core.stop();
      core = await lead(database.url, 'production');
      expect(core.sequencer.currentTerm).not.toBeNull();
    });
  });

  it('gives each row one leaf, however many notaries there are and whatever fails', async () => {
    await tradeAtRandom(core, floor, 3, 40);
    // The cursor and the leaves are one transaction: what fails at its end has not happened.
    await pool.query(`
      CREATE FUNCTION fail_sometimes() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF random() < 0.5 THEN
          RAISE EXCEPTION 'a fault';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail_sometimes BEFORE INSERT ON journal_heads FOR EACH ROW EXECUTE FUNCTION fail_sometimes()`);
    const notaries = Array.from({ length: 4 }, () => parts().notary);
    for (let round = 0; round < 6; round++) {
      await Promise.allSettled(notaries.map((notary) => notary.catchUp()));
      await tradeAtRandom(core, floor, 10 + round, 5);
    }
    await pool.query('DROP TRIGGER fail_sometimes ON journal_heads');
    expect(await parts().heads.unsignedSeconds()).toBeGreaterThan(0);
    await catchUp(notaries[0]!);
    expect(await parts().heads.unsignedSeconds()).toBe(0);
    await expectTreeOf(await journal());
  });

  it('tells how long the oldest row has waited for its leaf', async () => {
    const { followers } = core.sequencer;
    const { notary } = parts();
    notary.onModuleInit();
    const lagMs = (): number => followers.lags.find(({ name }) => name === 'proof')!.lagMs;
    await core.place(limit(floor.ann, 'buy', 80, 1));
    // The writer notes a commit on its way to the next one.
    await eventually(() => expect(lagMs()).toBeGreaterThan(0));
    await catchUp(notary);
    expect(lagMs()).toBe(0);
    await core.place(limit(floor.ann, 'buy', 80, 1));
    await eventually(() => expect(lagMs()).toBeGreaterThan(0));
    await notary.catchUp();
    expect(lagMs()).toBe(0);
    await notary.catchUp();
    expect(lagMs()).toBe(0);
    await notary.onModuleDestroy();
  });

  it('makes the same tree of what it has in memory as of the journal, whatever happens', async () => {
    /** All that the notary writes. */
    const written = async () => {
      const { rows } = await pool.query<{ name: string; content: string }>(`
        SELECT 'leaves' AS name, json_agg(t ORDER BY height)::text AS content FROM journal_leaves t
        UNION ALL SELECT 'nodes', json_agg(t ORDER BY level, index)::text FROM journal_nodes t
        UNION ALL SELECT 'public', json_agg(t ORDER BY height)::text FROM journal_public t
        UNION ALL SELECT 'books', json_agg(t ORDER BY name)::text FROM journal_public_state t`);
      return { rows, head: await parts().heads.newest() };
    };
    const random = randomsFrom(seedFromEnvironment());
    const add = vi.spyOn(RecentRows.prototype, 'add').mockImplementation(function (this: RecentRows, row) {
      // As where there are too many.
      if (random() < 0.9) addRow.call(this, row);
    });
    const take = vi.spyOn(RecentRows.prototype, 'take');
    /** Kills the connection of a step on its way, or its leader, or both notary and leader start anew. */
    const disturbances = [
      () =>
        pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE '%journal_%' AND state <> 'idle' AND pid <> pg_backend_pid()`),
      () => core.cutWriter(),
      async () => {
        await core.stop();
        core = await TestCore.start(database.url);
      },
      () => Promise.resolve(),
    ];
    pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    for (let round = 0; round < 12; round++) {
      await tradeAtRandom(core, floor, 20 + round, 4);
      const step = parts().notary.catchUp();
      await delay(20 * random());
      await Promise.allSettled([disturbances[round % disturbances.length]!(), step]);
      await eventually(() => expect(core.sequencer.currentTerm?.isFresh()).toBe(true));
    }
    await catchUp(parts().notary);
    const sources = new Set(take.mock.results.map(({ value }) => (value as unknown[]).length > 0));
    expect(sources).toEqual(new Set([true, false]));
    await expectTreeOf(await journal());
    const ofMemory = await written();
    await pool.query(`TRUNCATE journal_leaves, journal_nodes, journal_public, journal_public_state, journal_heads;
      DELETE FROM journal_cursors`);
    take.mockReturnValue([]);
    await catchUp(parts().notary);
    expect(await written()).toEqual(ofMemory);
    add.mockRestore();
    take.mockRestore();
  });

  it('leaves the first moments after a restart to orders, but signs at once for who waits', async () => {
    const startAndStop = async (): Promise<JournalNotary> => {
      const { notary } = parts();
      await notary.onApplicationBootstrap();
      await pool.query('SELECT');
      await notary.onModuleDestroy();
      return notary;
    };
    await startAndStop();
    const size = await sizeOf(pool);
    expect(size).toBeGreaterThan(0);
    await tradeAtRandom(core, floor, 9, 5);
    const notary = await startAndStop();
    expect(await sizeOf(pool)).toBe(size);
    await notary.catchUp();
    await expectTreeOf(await journal());
  });

  it('takes what a row holds into account, and not only how many rows there are', async () => {
    const order = limit(floor.ann, 'buy', 100, 1);
    for (let commits = 0; commits < 3; commits++) {
      // Far from the other side, and cancelled, so that no limit on open orders is met.
      await core.submit(Array.from({ length: 4_000 }, () => ({ ...order, timeInForce: 'IOC' as const })));
    }
    await tradeAtRandom(core, floor, 10, 5);
    const rows = await journal();
    const { notary } = parts();
    await notary.catchUp();
    const size = await sizeOf(pool);
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThan(rows.length);
    await catchUp(notary);
    await expectTreeOf(rows);
  });

  it('begins with the first row that is not archived, and says so', async () => {
    await tradeAtRandom(core, floor, 4, 20);
    await core.sequencer.freshTerm().projected();
    await onClient(database.url, (client) => archiveJournal(client, { folder: archive }));
    const [first] = await journal();
    expect(first!.firstSequence).toBeGreaterThan(1);
    await tradeAtRandom(core, floor, 5, 10);
    await catchUp(parts().notary);
    await expectTreeOf(await journal());
    expect((await leafAt(pool, 1))!.previous_hash).toBe(first!.previousHash);
  });

  it('keeps what it has not read out of the archive, and proves what is archived later', async () => {
    await tradeAtRandom(core, floor, 6, 20);
    const { notary, keys, receipts, heads } = parts();
    await catchUp(notary);
    const rows = await journal();
    const [outcome] = await core.submit([{ type: 'advance_time' }]);
    expect(outcome!.ok).toBe(true);
    const given = await receipts.at(rows[5]!.lastSequence, { accountId: floor.ann });
    await core.sequencer.freshTerm().projected();
    await onClient(database.url, (client) => archiveJournal(client, { folder: archive }));
    await catchUp(notary);
    const size = await sizeOf(pool);
    expect((await heads.newest())!.tree_size).toBe(size);
    const ask = () => receipts.at(rows[5]!.lastSequence, { accountId: floor.ann });
    const again = await ask();
    if (!('receipt' in given) || !('receipt' in again)) throw new Error('there is no receipt');
    expect(again.receipt).toMatchObject({ statement: given.receipt.statement, leaf: given.receipt.leaf });
    // What was given out before stays valid, and so does what is made of the archive.
    for (const { receipt } of [given, again])
      expect(checkReceipt(receipt, await knownKeys(keys))).toMatchObject({ ok: true });
    await rm(archive, { recursive: true });
    expect(await ask()).toEqual({ missing: 'none' });
  });

  it('gives each account of each row its receipt', async () => {
    await tradeAtRandom(core, floor, 8, 25);
    const { notary, keys, receipts } = parts();
    await catchUp(notary);
    const known = await knownKeys(keys);
    let proven = 0;
    for (const { lastSequence } of await journal())
      for (const accountId of [floor.ann, floor.bob, floor.cat]) {
        const given = await receipts.at(lastSequence, { accountId });
        if (!('receipt' in given)) continue;
        expect(checkReceipt(given.receipt, known)).toMatchObject({ ok: true });
        expect(given.receipt.statement.account_id).toBe(accountId);
        // Nothing of the others, neither of their orders nor of their money.
        for (const { row } of given.receipt.statement.changes)
          expect(Object.entries(row).filter(([name]) => name.endsWith('account_id'))).toEqual(
            'account_id' in row ? [['account_id', accountId]] : [],
          );
        proven++;
      }
    expect(proven).toBeGreaterThan(25);
  });

  it('makes one first key, and hands over from key to key', async () => {
    const several = Array.from({ length: 4 }, () => parts().keys);
    const ids = await Promise.all(several.map(async (keys) => (await keys.signer()).keyId));
    expect(new Set(ids).size).toBe(1);
    const secrets = await Promise.all(several.map(async (keys) => hexOf((await keys.secrets()).ofRow(7))));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).not.toBe(hexOf((await several[0]!.secrets()).ofRow(8)));
    // One object, so that the next step has its key and the pseudonyms that were made before.
    expect(await several[0]!.secrets()).toBe(await several[0]!.secrets());
  });
});
