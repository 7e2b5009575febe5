import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/core.js';
import { Ledger } from '../../../test/support/recording-core.js';
import { isRedisMissing } from '../../../test/support/redis.js';
import { cancel, type Database, RelaySite } from '../../../test/support/relay-site.js';
import { NO_NAMESPACE } from '../../kit/redis/redis-link.js';
import type { Leader } from '../leadership/leadership.js';
import { LeaderWatch } from './leader-watch.js';
import { LEAD_CHANNEL, RELAY_VERSION } from './relay-messages.js';

describe.skipIf(isRedisMissing('the watch of the leader'))('LeaderWatch', () => {
  let site: RelaySite;
  beforeEach(async () => {
    site = await RelaySite.open();
  });
  afterEach(() => site.close());

  describe.each([
    ['a higher', 7],
    ['the same', 3],
    ['a lower', 1],
  ])('beside a copy of the database that is led in %s epoch', (_epoch, epochOfCopy) => {
    it('follows the leader that its own database names, and tells of the other one', async () => {
      const first = await site.leader(3);
      const { relay, watch } = await site.replica();
      await relay.submit(cancel(1));
      const copy: Database = { ledger: new Ledger(), leader: site.production.leader };
      const foreign = await site.leader(epochOfCopy, copy);
      const isTold = ({ otherInstallation }: LeaderWatch, { leader: other }: Database): boolean =>
        otherInstallation?.holder === other!.holder && otherInstallation.epoch === other!.epoch;
      let orderId = 1;
      await eventually(async () => {
        expect((await relay.submit(cancel(++orderId))).answer.outcomes[0]).toMatchObject({ ok: true });
        return isTold(watch, copy) && isTold(first.watch, copy) && isTold(foreign.watch, site.production);
      }, 'all tell of it');
      expect(site.ledger.committed).toHaveLength(orderId);
      expect(copy.ledger.committed).toEqual([]);

      await foreign.stop();
      foreign.core.leads = false;
      expect((await relay.submit(cancel(++orderId))).answer.outcomes[0]).toMatchObject({ ok: true });
      await eventually(() => watch.otherInstallation === null, 'nothing is told any more');
      // A leader of production is followed as soon as production names it.
      await first.stop();
      const second = await site.leader(4);
      expect((await relay.submit(cancel(++orderId))).answer.outcomes[0]).toMatchObject({ ok: true });
      expect(second.core.sequence).toBe(orderId);
      expect(site.ledger.committed).toHaveLength(orderId);
      expect(copy.ledger.committed).toEqual([]);
    });
  });

  it('keeps names of counters through leaders, and shares them with no copy', async () => {
    const first = await site.leader(3);
    const [own, foreign] = [await site.link(), await site.link()];
    await site.replica(undefined, own);
    const [namespace, name] = [own.nameOf('limits'), own.lastingNameOf('limits')];
    await first.stop();
    await site.leader(4);
    await eventually(() => own.nameOf('limits') !== namespace, 'the next leader is followed');
    expect(own.lastingNameOf('limits')).toBe(name);

    const copy: Database = { ledger: new Ledger(), leader: null };
    await site.leader(5, copy);
    await site.replica(undefined, foreign, copy);
    expect(foreign.lastingNameOf('limits')).not.toBe(name);
  });

  it('believes no announcement without looking, and looks seldom', async () => {
    await site.leader(3);
    let looks = 0;
    const begunAtMs = performance.now();
    const own = await site.link();
    const find = (): Promise<Leader | null> => Promise.resolve((looks++, site.production.leader));
    const watching = new LeaderWatch(own, {
      find,
      installation: () => Promise.resolve(null),
      isLeading: () => false,
    });
    await watching.start();
    const namespace = own.nameOf('');
    const liar = await site.link();
    const heard: string[] = [];
    watching.onAnnounced((kind) => heard.push(kind));
    const say = (kind: string, leader: object): Promise<number> =>
      liar.publish(LEAD_CHANNEL, JSON.stringify({ version: RELAY_VERSION, kind, ...leader }), NO_NAMESPACE);
    for (let epoch = 1; epoch <= 200; epoch++) {
      await say('leading', { holder: 'of another database', epoch });
      await say('resigned', { holder: 'of another database', epoch: 3 });
    }
    await say('resigned', site.production.leader!);
    await eventually(() => heard.includes('resigned'), 'the own leader is heard');
    expect(heard.filter((kind) => kind === 'resigned')).toHaveLength(1);
    expect(own.nameOf('')).toBe(namespace);
    // Not one for each announcement, but so many a second.
    expect(looks).toBeLessThan(3 + (performance.now() - begunAtMs) / 40);
    await watching.stop();
  });
});
