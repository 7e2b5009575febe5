import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import DeskLimitsPlugin from '../../../examples/desk-limits/desk-limits.plugin.js';
import { OrderPolicies } from '../../../src/modules/markets/orders/order-policies.js';
import {
  ACCOUNT_IDS,
  CoreService,
  type MarketDefinition,
  type OrderContext,
  type ProposedOrder,
  RiskCheck,
  TradepostPlugin,
} from '../../../src/index.js';
import { type Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { fund } from '../../support/clients/accounts-client.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';

/** The countries that orders of this process came from. */
const countries: (string | null)[] = [];

class Countries extends RiskCheck {
  override review(
    _order: ProposedOrder,
    _market: MarketDefinition,
    { owner }: OrderContext,
  ): { accepted: true } {
    countries.push(owner.country);
    return { accepted: true };
  }
}

@TradepostPlugin({ name: 'countries', compatibility: '>=0.1.0', checks: [Countries] })
class CountriesPlugin {}

describe.skipIf(isRedisMissing('shared caches over several processes'))('a plugin at two processes', () => {
  let replicas: Replicas;
  let operator: Caller;
  let demo: Caller;
  let account: string;

  beforeAll(async () => {
    replicas = await Replicas.start({ plugins: [CountriesPlugin, DeskLimitsPlugin], rateLimits: 'off' });
    operator = await callerFor(replicas.leader.url, 'admin');
    demo = await callerFor(replicas.leader.url, 'demo');
    account = (await demo.get('/accounts')).body.data[0].account_id;
    await fund(replicas.leader, account, '1000000');
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await replicas.stop();
  });

  const setLimit = async (url: string, size: string): Promise<void> => {
    const body = JSON.stringify({ max_size: size });
    const { status } = await operator.at(url).send('PUT', `/admin/desk-limits/${account}`, body);
    expect(status).toBe(200);
  };
  const buyAt = (url: string, size: string): Promise<Reply> =>
    demo.at(url).post('/orders', limit('BTC-USD', 'buy', '100', size));
  const refused = (size: string): Json => ({
    status: 422,
    body: { error: { code: 'risk_refused', message: `The desk may place orders of ${size} at most.` } },
  });

  it('goes by a limit a second after it was set at the other, in both directions', async () => {
    const { leader, other } = replicas;
    let size = 3;
    for (const [setAt, tradeAt] of [
      [leader, other],
      [other, leader],
    ] as const) {
      expect(await buyAt(tradeAt.url, String(size))).toMatchObject({ status: 201 });
      await setLimit(setAt.url, String(--size));
      await delay(1_000);
      for (const { url } of [tradeAt, setAt])
        expect(await buyAt(url, String(size + 1))).toMatchObject(refused(String(size)));
      expect(await buyAt(tradeAt.url, String(size))).toMatchObject({ status: 201 });
    }
  });

  it('needs no Redis for that', async () => {
    const { leader, other, redis } = replicas;
    await redis.kill();
    try {
      await setLimit(leader.url, '0.5');
      await delay(1_000);
      // Refused before it would be sent to the leader.
      expect(await buyAt(other.url, '0.6')).toMatchObject(refused('0.5'));
    } finally {
      await redis.revive();
    }
    await eventually(async () => expect(await buyAt(other.url, '0.5')).toMatchObject({ status: 201 }));
  });

  it('hears of another country of an owner within a second', async () => {
    const { other } = replicas;
    for (const country of ['PT', 'FR']) {
      await approvedKyc(demo, operator, { address: { country } });
      await delay(1_000);
      expect(await buyAt(other.url, '0.1')).toMatchObject({ status: 201 });
      expect(countries.at(-1)).toBe(country);
    }
  });

  it('waits for nothing where the account has had an order before', async () => {
    const { nest } = replicas.other.app;
    const { definition } = nest
      .get(CoreService)
      .markets()
      .find(({ definition: { marketId } }) => marketId === 'BTC-USD')!;
    const order = { accountId: ACCOUNT_IDS.parse(account)!, sizeLots: 1 } as ProposedOrder;
    let isDone = false;
    void nest
      .get(OrderPolicies, { strict: false })
      .review(order, definition)
      .then(() => (isDone = true));
    // What reads anything takes a turn of the event loop.
    for (let i = 0; i < 100; i++) await Promise.resolve();
    expect(isDone).toBe(true);
  });
});
