import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Caller, type Json, loggedIn, tokenFor } from '../support/caller.js';
import { createMarket, limit } from '../support/clients/markets-client.js';
import { eventually } from '../support/eventually.js';
import { GroupLoad } from '../recovery/group-load.js';
import { OrderLoad } from '../recovery/order-load.js';
import { queryOnce } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { isRedisMissing } from '../support/redis.js';
import { AccountClients } from './account-clients.js';
import { Cluster } from './cluster.js';
import { ClusterStreams } from './cluster-streams.js';

const MARKET = 'BTC-USD';
const FAILOVER_MS_MAX = 60_000;
const SEED = Number(process.env['CLUSTER_SEED'] ?? Date.now() % 1_000_000);

describe.skipIf(isRedisMissing('the suite of a cluster'))('three processes of one exchange', () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let tokens: { readonly demo: string; readonly maker: string; readonly operator: string };
  beforeAll(async () => {
    process.stderr.write(`cluster: seed ${SEED}\n`);
    database = await createTestDatabase();
    cluster = await Cluster.open({ databaseUrl: database.url });
    const url = cluster.members[0]!.running.url;
    const tokenOf = (client: string): Promise<string> => tokenFor(url, client);
    tokens = {
      demo: await tokenOf('demo'),
      maker: await tokenOf('maker'),
      operator: await tokenOf('admin'),
    };
  }, 180_000);
  afterAll(async () => {
    await cluster?.close();
    await database?.drop();
  });

  // A failed test must not fail the others.
  beforeEach(() => cluster.restore(), 120_000);

  /** A caller of each process. */
  const callers = (token: string): Caller[] =>
    cluster.members.map((member) => new Caller(member.running.url, token));

  it('show at once through every one of them what was done through any', async () => {
    const demo = callers(tokens.demo);
    const maker = callers(tokens.maker);
    const market = await createMarket(callers(tokens.operator)[1]!, 'SEEN-EVERYWHERE');
    for (const [place, through] of demo.entries()) {
      const price = String(100 + place);
      const usdBefore = await through.balance('USD');
      const order = await through.place(limit(market, 'buy', price, '2'));
      for (const other of demo) {
        expect((await other.get(`/orders/${order.order_id}`)).body).toMatchObject({ status: 'open' });
        expect((await other.get(`/markets/${market}/orderbook`)).body.bids[0]).toEqual([price, '2', 1]);
        const { available } = await other.balance('USD');
        expect(Number(usdBefore.available) - Number(available)).toBe(2 * Number(price));
      }
      const seller = maker[(place + 1) % maker.length]!;
      const sale = await seller.place(limit(market, 'sell', price, '2'));
      expect(sale.status).toBe('filled');
      for (const other of demo) {
        expect((await other.get(`/orders/${order.order_id}`)).body).toMatchObject({ status: 'filled' });
        expect((await other.get(`/markets/${market}/orderbook`)).body.bids).toEqual([]);
        const { body: trades } = await other.get(`/markets/${market}/trades?limit=1`);
        expect(trades.data[0].trade_id).toBe(sale.fills[0].trade_id);
        const { body: fills } = await other.get(`/orders?market_id=${market}&limit=200`);
        expect(fills.data.filter((one: Json) => one.status === 'filled')).toHaveLength(place + 1);
      }
    }
  });

  it('lose and double nothing when their leader is killed under load, and the streams of the others go on', async () => {
    const leader = await cluster.leader();
    const streams: ClusterStreams[] = [];
    for (const replica of await cluster.replicas())
      streams.push(await ClusterStreams.open(cluster.members, replica, MARKET, tokens.demo));
    const load = new OrderLoad(`kill${SEED}`);
    const client = cluster.client();
    await load.turnTo(client);
    load.start();
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(100));
    const before = load.acknowledged.size;
    await cluster.kill(leader);
    const killedAtMs = Date.now();
    const probe = cluster.client();
    const order = { market_id: MARKET, side: 'buy', type: 'limit', price: '1', size: '1' };
    const next = await probe.callUntilAnswered(
      'POST',
      '/orders',
      { token: tokens.demo, json: { ...order, client_order_id: `first${SEED}` } },
      FAILOVER_MS_MAX,
    );
    const failoverMs = Date.now() - killedAtMs;
    expect(next.status).toBeLessThan(300);
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(before + 50));
    await load.finish();

    const survivor = (await cluster.replicas())[0] ?? (await cluster.leader());
    const { url } = cluster.members[survivor]!.running;
    await load.check(url);
    await load.checkRepeats(20);
    for (const stream of streams) {
      await stream.check(new Caller(url, tokens.demo));
      stream.close();
      expect(stream.reopened).toBe(0);
    }
    expect(client.tally).toMatchObject({ failed: 0, refused: 0 });
    await cluster.start(leader);
    await cluster.checkOneState();
    process.stderr.write(
      `cluster: ${failoverMs} ms from the kill of the leader to the next order; ${JSON.stringify(client.tally)}\n`,
    );
  });

  it('lose and double nothing when their leader stands still under load, and goes on once it is replaced', async () => {
    const leader = await cluster.leader();
    const load = new OrderLoad(`frozen${SEED}`);
    const client = cluster.client();
    await load.turnTo(client);
    load.start();
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(50));
    cluster.freeze(leader);
    const frozenAtMs = Date.now();
    const next = await cluster.client().callUntilAnswered(
      'POST',
      '/orders',
      {
        token: tokens.demo,
        json: { ...limit(MARKET, 'buy', '1', '1'), client_order_id: `thawed${SEED}` },
      },
      FAILOVER_MS_MAX,
    );
    const failoverMs = Date.now() - frozenAtMs;
    expect(next.status).toBeLessThan(300);
    const before = load.acknowledged.size;
    cluster.thaw(leader);
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(before + 50));
    await load.finish();

    expect(await cluster.leader()).not.toBe(leader);
    const late = await queryOnce(
      database.url,
      `SELECT FROM (
         SELECT epoch, max(epoch) OVER (ORDER BY last_sequence) AS newest FROM journal_commits
       ) AS commits WHERE epoch < newest`,
    );
    expect(late).toHaveLength(0);
    await load.check(cluster.members[leader]!.running.url);
    await load.checkRepeats(20);
    await cluster.checkOneState();
    expect(client.tally).toMatchObject({ failed: 0, refused: 0 });
    process.stderr.write(
      `cluster: ${failoverMs} ms from the freeze of the leader to the next order; ${JSON.stringify(client.tally)}\n`,
    );
  }, 180_000);

  it('keep the sets of an event group whole through a take-over, and show its settlement everywhere', async () => {
    const load = new GroupLoad(`CUP-${SEED}`);
    const client = cluster.client();
    await load.turnTo(client);
    await load.start();
    await eventually(() => expect(load.sets.size).toBeGreaterThan(50));
    const before = load.sets.size;
    const leader = await cluster.leader();
    await cluster.kill(leader);
    await eventually(() => expect(load.sets.size).toBeGreaterThan(before + 20));
    await load.finish();
    await load.checkRepeats(20);
    await cluster.start(leader);
    await cluster.checkOneState();

    const [red, green] = load.markets as [string, string];
    const shownEverywhere = async (winner: string): Promise<void> => {
      for (const caller of callers(tokens.demo)) {
        expect((await caller.get(`/event-groups/CUP-${SEED}-GROUP`)).body).toMatchObject({
          winning_market_id: winner,
        });
        expect((await caller.get(`/markets/${winner}`)).body).toMatchObject({ settlement_value: '1' });
      }
    };
    await load.settle(red);
    await load.checkSettled(red);
    await shownEverywhere(red);
    await load.correct(green);
    await load.checkSettled(green);
    await shownEverywhere(green);
    await cluster.checkOneState();
    process.stderr.write(`cluster: ${load.sets.size} trades of sets and ${load.orders} orders of a group\n`);
  }, 180_000);

  it('tell one history of an account to clients who go to any of them', async () => {
    const clients = await AccountClients.open(cluster.client(), `HISTORY-${SEED}`, SEED);
    await clients.run(5, 16);
    const { operations } = clients.check();
    process.stderr.write(`cluster: ${operations} operations are linearizable\n`);
  });

  it('go on without Redis where they lead, ask to come again where they do not, and recover', async () => {
    const leader = await cluster.leader();
    const order = limit(MARKET, 'buy', '2', '1');
    const demo = callers(tokens.demo);
    await cluster.killRedis();
    for (const [place, caller] of demo.entries()) {
      const startedAtMs = Date.now();
      const reply = await caller.post('/orders', { ...order, client_order_id: `away-${SEED}-${place}` });
      const waitedMs = Date.now() - startedAtMs;
      if (place === leader) expect(reply.status).toBe(201);
      else {
        expect(reply.status).toBe(503);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      process.stderr.write(
        `cluster: without Redis ${place === leader ? 'the leader' : 'a replica'} answered ${reply.status} in ${waitedMs} ms\n`,
      );
    }
    await cluster.reviveRedis();
    for (const [place, caller] of demo.entries()) {
      await eventually(async () => {
        const reply = await caller.post('/orders', { ...order, client_order_id: `away-${SEED}-${place}` });
        expect(reply.status).toBeLessThan(300);
      });
    }
    const { body } = await demo[0]!.get(`/orders?market_id=${MARKET}&status=open&limit=200`);
    const repeated = body.data.filter(({ client_order_id: id }: Json) => id?.startsWith(`away-${SEED}`));
    expect(repeated).toHaveLength(demo.length);
    await cluster.checkOneState();
  });

  it('refuse a revoked token and a locked user, all of them', async () => {
    const { url } = cluster.members[0]!.running;
    const token = await tokenFor(url, 'demo');
    const session = await loggedIn(url, 'alice');
    const byToken = callers(token);
    const bySession = cluster.members.map((member) => session.at(member.running.url));
    for (const caller of [...byToken, ...bySession]) expect((await caller.get('/orders')).status).toBe(200);

    const revokedAtMs = Date.now();
    await fetch(`${cluster.members[1]!.running.url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: 'demo', client_secret: 'demo-secret' }),
    });
    const refusedBy = async (refused: readonly Caller[]): Promise<void> => {
      for (const caller of refused)
        await eventually(async () => expect((await caller.get('/orders')).status).toBe(401));
    };
    await refusedBy(byToken);
    const revokedMs = Date.now() - revokedAtMs;

    const lockedAtMs = Date.now();
    const operator = callers(tokens.operator)[2]!;
    const locked = await operator.post('/admin/users/alice/lock', { reason: 'A test.' });
    expect(locked.status).toBe(200);
    await refusedBy(bySession);
    process.stderr.write(
      `cluster: a revoked token was refused everywhere in ${revokedMs} ms, a locked user in ${Date.now() - lockedAtMs} ms\n`,
    );
  });
});
