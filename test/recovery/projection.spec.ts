import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockProjection } from '../support/core.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

/** More where there is time, as in `CRASH_ROUNDS=50 npx vitest run test/recovery/projection`. */
const ROUNDS = rounds('CRASH_ROUNDS', 1, 20);
/** More commits than one recovery window, so that a start can be killed between two windows. */
const GAP_COMMITS = 300;
const KILLED_STARTS = 2;

describe('kill -9 while the tables are behind the journal', () => {
  let site: Site;
  let load: OrderLoad;
  let service: ServiceProcess;
  beforeEach(async () => {
    site = await Site.open();
    load = new OrderLoad('behind');
    service = await site.start();
    await load.turnTo(service.url);
    load.start();
  });
  afterEach(async () => {
    await site.close();
  }, 180_000);

  /** Blocks the projector within its statement while commits go on, until many are missing in the tables. */
  const openGap = async (): Promise<{ release(): Promise<void> }> => {
    const held = await lockProjection(await site.databaseUrl());
    await eventually(
      async () => (await site.commitsBehind()) > GAP_COMMITS,
      'many commits are not in the tables',
    );
    return held;
  };
  const restart = async (): Promise<void> => {
    service = await site.start();
    await load.turnTo(service.url);
    const before = load.acknowledged.size;
    await eventually(() => load.acknowledged.size > before + 20, 'orders are answered again');
  };
  /** Waits until a backend is in this state, and kills the service then; false if the service was done before. */
  const killWhile = async (
    victim: ServiceProcess,
    connection: 'writer' | 'projector',
    waitEvent: string,
  ): Promise<boolean> => {
    let isMet = false;
    await eventually(async () => {
      isMet = await site.isWaiting(connection, waitEvent);
      return isMet || (connection === 'writer' && victim.url !== '');
    }, `the ${connection} waits for ${waitEvent}`);
    await victim.kill();
    return isMet;
  };
  const prove = async (): Promise<void> => {
    await load.finish();
    await load.check(service.url);
    await load.checkRepeats(40);
    const books = await checkBooks(service.client());
    expect(await service.stop()).toBe(0);
    const { code, said } = await site.verify();
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining(books.state_hash) as string,
    });
    // The next start leads with the same hash.
    service = await site.start();
    expect((await checkBooks(service.client())).state_hash).toBe(books.state_hash);
  };

  it(
    'between commits and their projection loses and doubles nothing',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const held = await openGap();
        await service.kill();
        expect(await site.commitsBehind()).toBeGreaterThan(GAP_COMMITS);
        // A start that is blocked while it brings up the tables is killed too.
        for (let start = 0; start < KILLED_STARTS; start++) {
          expect(await killWhile(site.launch(), 'writer', 'Lock')).toBe(true);
          // Its backend would hold the leader's lock as long as its statement hangs.
          expect(await site.cut('writer')).toBe(1);
        }
        // The killed leader's window now continues on the server, during the next start.
        await held.release();
        await restart();
      }
      await prove();
    },
    180_000 + ROUNDS * 60_000,
  );

  it(
    'in the middle of a projection, and again while the tables are brought up, loses and doubles nothing',
    async () => {
      await site.slowProjection(100);
      let killedStarts = 0;
      for (let round = 0; round < ROUNDS; round++) {
        expect(await killWhile(service, 'projector', 'PgSleep')).toBe(true);
        await restart();
        const held = await openGap();
        await service.kill();
        await held.release();
        for (let start = 0; start < KILLED_STARTS; start++) {
          if (await killWhile(site.launch(), 'writer', 'PgSleep')) killedStarts++;
        }
        await restart();
      }
      expect(killedStarts).toBeGreaterThan(0);
      await prove();
    },
    180_000 + ROUNDS * 60_000,
  );

  it(
    'of PostgreSQL takes the tables back, never ahead of the journal, and loses nothing',
    async () => {
      await site.slowProjection(50);
      for (let round = 0; round < ROUNDS; round++) {
        await eventually(() => site.isWaiting('projector', 'PgSleep'), 'a window is on its way');
        const acknowledged = load.acknowledged.size;
        (await site.aimAtPostgres()).kill();
        const { tables, journal } = await site.progressOnceUp();
        expect(tables).toBeLessThanOrEqual(journal);
        await eventually(() => load.acknowledged.size > acknowledged + 20, 'orders are answered again');
      }
      await prove();
    },
    180_000 + ROUNDS * 60_000,
  );
});
