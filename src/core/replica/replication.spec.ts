import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limit, onClient, openFloor, queryOnce, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { isRedisMissing, TestRedis } from '../../../test/support/redis.js';
import { createPgPool } from '../../kit/database/pg-pool.js';
import { RedisLink } from '../../kit/redis/redis-link.js';
import { findLeader, installationOf, tryLockLead } from '../leadership/leadership.js';
import { Replication } from './replication.js';

const ORDERS = 20;
/** A copy has the same. */
const PREFIX = 'tradepost:test:';
const KEY = randomBytes(32);

describe.skipIf(isRedisMissing('processes beside a copy'))(
  'processes beside a copy of their database',
  () => {
    let redis: TestRedis;
    let production: TestDatabase;
    let copied: TestDatabase | null;
    const ends: (() => Promise<void>)[] = [];

    beforeEach(async () => {
      [redis, production] = await Promise.all([TestRedis.start(), createTestDatabase()]);
      copied = null;
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
      await redis.stop();
      await copied?.drop();
      await production.drop();
    });

    const poolOf = ({ url }: TestDatabase): Pool => {
      const pool = createPgPool(url);
      ends.push(() => pool.end());
      return pool;
    };

    /** One of several processes: it leads if nobody else does on its database. */
    async function start(database: TestDatabase): Promise<TestCore> {
      const core = new TestCore(database.url);
      const pool = poolOf(database);
      const link = await RedisLink.open({ url: redis.url, prefix: PREFIX, key: KEY });
      const write = (level: 'info' | 'warn' | 'error') => (details: object, message: string) => {
        core.log.push({ level, message, details });
      };
      const log = { info: write('info'), warn: write('warn'), error: write('error') };
      const { sequencer } = core;
      const { listeners } = sequencer;
      const replication = new Replication(database.url, sequencer, link, listeners, log, {
        find: () => findLeader(pool),
        installation: (given) => installationOf(pool, given),
      });
      sequencer.companion = replication;
      await replication.start();
      await sequencer.start();
      ends.push(async () => {
        await core.stop();
        await replication.stop();
        await link.close();
      });
      return core;
    }

    const ordersIn = async ({ url }: TestDatabase): Promise<number> => {
      const [row] = await queryOnce<{ count: string }>(
        url,
        `SELECT count(*) FROM journal WHERE commands LIKE '%place_order%'`,
      );
      return Number(row!.count);
    };

    it('send their commands to their own leader alone, although the copy leads in the same epoch', async () => {
      const first = await TestCore.start(production.url);
      const { ann } = await openFloor(first);
      await first.stop();
      copied = await createTestDatabase(new URL(production.url).pathname.slice(1));

      const leader = await start(production);
      const replica = await start(production);
      const heard: number[] = [];
      replica.sequencer.onCommitted(({ lastSequence }) => heard.push(lastSequence));
      const copy = await start(copied);
      const followerOfCopy = await start(copied);
      expect(copy.sequencer.currentTerm!.epoch).toBe(leader.sequencer.currentTerm!.epoch);

      for (let order = 1; order <= ORDERS; order++) {
        await replica.place(limit(ann, 'buy', 100 + order, 1));
        if (order % 4 === 0) await followerOfCopy.place(limit(ann, 'buy', 50 + order, 1));
      }
      expect(await ordersIn(production)).toBe(ORDERS);
      expect(await ordersIn(copied)).toBe(ORDERS / 4);
      const sequence = leader.sequencer.currentTerm!.sequence;
      expect(heard.at(-1)).toBe(sequence);
      expect(sequence).toBeGreaterThan(copy.sequencer.currentTerm!.sequence);

      // The replica takes over, and is followed.
      await copy.stop();
      await leader.stop();
      await replica.place(limit(ann, 'buy', 99, 1));
      expect(await ordersIn(production)).toBe(ORDERS + 1);
    });

    it('follow nobody by the row that a copy has brought along', async () => {
      const leader = await TestCore.start(production.url);
      ends.push(() => leader.stop());
      copied = await createTestDatabase();
      const named = await findLeader(poolOf(production));
      expect(named).toEqual({
        holder: expect.any(String) as string,
        epoch: leader.sequencer.currentTerm!.epoch,
      });
      const [row] = await queryOnce<{ backend_pid: number }>(
        production.url,
        'SELECT backend_pid FROM core_leader',
      );
      await queryOnce(copied.url, 'UPDATE core_leader SET holder = $1, epoch = $2, backend_pid = $3', [
        named!.holder,
        named!.epoch,
        row!.backend_pid,
      ]);
      expect(await findLeader(poolOf(copied))).toBeNull();
    });

    it('follow nobody by a process id that another connection has on the server of a copy', async () => {
      copied = await createTestDatabase();
      await onClient(copied.url, async (client) => {
        expect(await tryLockLead(client)).toBe(true);
        await client.query(
          `UPDATE core_leader SET holder = 'of the original', epoch = 7, backend_epoch = 7,
             backend_pid = pg_backend_pid(), backend_start = clock_timestamp() - interval '1 day'`,
        );
        expect(await findLeader(poolOf(copied!))).toBeNull();
      });
    });
  },
);
