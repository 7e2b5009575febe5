import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callerFor } from '../support/caller.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { Site } from './service-under-fire.js';

const ROUNDS = rounds('CRASH_ROUNDS', 6, 20);
const WITH_POINTS = fileURLToPath(new URL('../../dist/examples/loyalty-points/main.js', import.meta.url));

/** What each account should have, by the trades of the ledger itself. */
const DUE = `
  SELECT account_id, count(*)::text AS trades,
    trunc(sum(price_ticks * size_lots * tick_size * lot_size / 1e18))::text AS volume
  FROM trades JOIN markets USING (market_id)
  CROSS JOIN LATERAL (VALUES (maker_account_id), (taker_account_id)) AS side (account_id)
  GROUP BY account_id ORDER BY account_id`;
const GIVEN = `SELECT account_id, trades::text, trunc(volume)::text AS volume FROM acme_points ORDER BY account_id`;

describe('kill -9 while a plugin follows trades and news', () => {
  let site: Site;
  beforeEach(async () => {
    if (!existsSync(WITH_POINTS))
      throw new Error('the example is not built; run node scripts/ensure-built.mjs');
    site = await Site.open();
  });
  afterEach(() => site.close(), 180_000);

  it(
    'counts each trade once and reads each headline once, in their order',
    async () => {
      let service = await site.start({}, WITH_POINTS);
      const load = new OrderLoad('points');
      await load.turnTo(service.url);
      load.start();
      const published: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const operator = await callerFor(service.url, 'admin');
        const publishing = (async () => {
          for (let at = 0; at < 40; at++) {
            const headline = `Headline ${round}-${at}`;
            const { status } = await operator.post('/admin/news', { headline });
            if (status === 201) published.push(headline);
          }
        })().catch(() => undefined);
        await delay(300 + Math.random() * 900);
        await service.kill();
        await publishing;
        service = await site.start({}, WITH_POINTS);
        await load.turnTo(service.url);
      }
      await eventually(() => load.acknowledged.size > 100, 'enough orders are answered');
      await load.finish();
      await load.check(service.url);
      await checkBooks(service.client());
      await eventually(async () => expect(await site.query(GIVEN)).toEqual(await site.query(DUE)));
      expect((await site.query(GIVEN)).length).toBeGreaterThan(1);
      await eventually(async () => {
        const read = (await site.query<{ headline: string }>('SELECT headline FROM acme_news_read')).map(
          ({ headline }) => headline,
        );
        // What was answered is there; what was cut off may be, and nothing is twice.
        expect(published.filter((headline) => !read.includes(headline))).toEqual([]);
        expect(read).toEqual([...new Set(read)]);
        const known = read.filter((headline) => published.includes(headline));
        expect(known).toEqual(published);
      });
      expect(await service.stop()).toBe(0);
      const { code } = await site.verify();
      expect(code).toBe(0);
    },
    180_000 + ROUNDS * 60_000,
  );
});
