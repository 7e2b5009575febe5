import { expect, it } from 'vitest';
import { checkBooks, OrderLoad } from '../recovery/order-load.js';
import { Site } from '../recovery/service-under-fire.js';
import { eventually } from '../support/eventually.js';
import { bundleService } from '../support/service-of-sources.js';

/** Enough that some of them are on their way at the moment of the kill. */
const ORDERS_BEFORE = 100;

it('kill -9 under load loses no acknowledged order, and the books balance', async () => {
  const site = await Site.open({}, await bundleService());
  try {
    const killed = await site.start();
    await site.slowCommits(10);
    const load = new OrderLoad('crash');
    await load.turnTo(killed.url);
    load.start();
    await eventually(() => load.acknowledged.size > ORDERS_BEFORE, 'orders are answered');
    await killed.kill();
    const service = await site.start();
    const before = load.acknowledged.size;
    await load.turnTo(service.url);
    await eventually(() => load.acknowledged.size > before + ORDERS_BEFORE, 'orders are answered again');
    await load.finish();
    await load.check(service.url);
    await load.checkRepeats(40);
    expect(load.repeated).toBeGreaterThan(0);
    await checkBooks(service.client());
    expect(await service.stop()).toBe(0);
  } finally {
    await site.close();
  }
});
