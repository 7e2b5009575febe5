import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../packages/verify/src/proofs.js';
import { eventually } from '../support/core.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';
import { ORDER_IDS } from '../../src/modules/markets/names/ids.js';

describe('upkeep of the journal', () => {
  let site: Site;
  let service: ServiceProcess;
  beforeAll(async () => {
    site = await Site.open();
    service = await site.start();
  });
  afterAll(async () => {
    await site.close();
  }, 180_000);

  /** The hash that a journal command printed. */
  const hashIn = ({ code, said }: { code: number; said: string }): string => {
    const hash = /state hash (\w{64})/.exec(said)?.[1];
    expect({ code, said, hash }).toMatchObject({ code: 0, hash: expect.any(String) as string });
    return hash!;
  };

  it('archives under load, and a killed service leaves one hash to all proofs', async () => {
    const load = new OrderLoad('archived');
    await load.turnTo(service.url);
    load.start();
    for (let run = 1; run <= 3; run++) {
      const before = load.acknowledged.size;
      await eventually(() => load.acknowledged.size >= before + 50, 'fifty more orders');
      const { code, said } = await site.archive();
      expect({ code, said }).toMatchObject({
        code: 0,
        said: expect.stringMatching(/^Archived up to sequence [1-9]/m) as string,
      });
    }
    await service.kill();
    service = await site.start();
    await load.turnTo(service.url);
    await load.finish();
    await load.check(service.url);
    const hash = hashIn(await site.verify());
    expect(hashIn(await site.verify('--from-checkpoint'))).toBe(hash);
    expect(hashIn(await site.rebuild())).toBe(hash);
    const api = service.client();
    expect(await checkBooks(api)).toMatchObject({ state_hash: hash });

    // The service finds in the files what the command has moved there.
    const [order] = load.acknowledged.values();
    const { client, orderId } = order!;
    const isArchived = async (): Promise<boolean> => {
      const [kept] = await site.query<{ first: number }>(
        'SELECT min(first_sequence)::int AS first FROM journal',
      );
      return kept!.first > ORDER_IDS.parse(orderId)!;
    };
    await eventually(async () => {
      if (await isArchived()) return true;
      await site.archive();
      return isArchived();
    }, 'the first order is archived');
    const token = await api.authorize(`${client}:${client}-secret`);
    const receipt = await api.call('GET', `/orders/${orderId}/receipt`, { token });
    const keys = await api.call('GET', '/journal/keys');
    expect(verifyReceipt(receipt.body, keys.body)).toMatchObject({ ok: true });
    api.close();
  });

  it('names rows that are not of the journal, and mends them once nobody leads', async () => {
    await site.query(`UPDATE orders SET status_reason = 'x' WHERE status = 'cancelled'`);
    await site.query('DELETE FROM transfers WHERE transfer_id = (SELECT min(transfer_id) FROM transfers)');
    const found = await site.rebuild();
    expect(found).toMatchObject({ code: 1 });
    expect(found.said).toMatch(
      /^transfers: 1 missing\n {2}transfer_id \d+, debit_account_id \d+: is missing$/m,
    );
    expect(await site.rebuild('--repair')).toMatchObject({
      code: 2,
      said: expect.stringContaining('a service leads on this database') as string,
    });
    await service.stop();
    const repaired = await site.rebuild('--repair');
    expect(repaired.said).toContain('Repaired.');
    const hash = hashIn(repaired);
    expect(hashIn(await site.rebuild())).toBe(hash);
    expect(hashIn(await site.verify())).toBe(hash);
    service = await site.start();
  });
});
