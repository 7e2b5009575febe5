import { Injectable } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CoreService,
  DurableListener,
  Jobs,
  JobTask,
  LedgerConsumer,
  type LedgerCommit,
  type LedgerTransfer,
  type ListenedEvent,
  MetricsRegistry,
  type Statements,
  type Trade,
  TradepostPlugin,
} from '../../../src/index.js';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { eventually, queryOnce } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';

const WRITE_DOWN = new JobTask<{ readonly trade: number }>('write_down');

/** What the next calls do, beside what they write. */
const behaviour = {
  points: (_trades: readonly Trade[], _tx: Statements): Promise<void> => Promise.resolve(),
  slow: (): Promise<void> => Promise.resolve(),
  readers: (_events: readonly ListenedEvent[]): Promise<void> => Promise.resolve(),
};

class CreateConsumed1790000000020 {
  name = 'CreateConsumed1790000000020';
  async up(runner: { query(text: string): Promise<unknown> }): Promise<void> {
    await runner.query(`CREATE TABLE acme_consumed (
      place bigint GENERATED ALWAYS AS IDENTITY, consumer text NOT NULL, what text NOT NULL)`);
  }
  async down(): Promise<void> {}
}

const note = async (tx: Statements, consumer: string, whats: readonly unknown[]): Promise<void> => {
  for (const what of whats)
    await tx.query('INSERT INTO acme_consumed (consumer, what) VALUES ($1, $2)', [consumer, String(what)]);
};

@Injectable()
class Points extends LedgerConsumer {
  override readonly name = 'points';
  override readonly timeLimitMs: number = 1_500;
  constructor(private readonly jobs: Jobs) {
    super();
  }
  override async trades(trades: readonly Trade[], tx: Statements): Promise<void> {
    for (const { tradeId } of trades) await this.jobs.add(tx, WRITE_DOWN, { trade: tradeId });
    await note(
      tx,
      'points',
      trades.map(({ tradeId, notional }) => `${tradeId} ${notional}`),
    );
    await behaviour.points(trades, tx);
  }
}

@Injectable()
class All extends LedgerConsumer {
  override readonly name = 'all';
  override readonly from = 'now';
  override async commits(commits: readonly LedgerCommit[], tx: Statements): Promise<void> {
    await note(
      tx,
      'commits',
      commits.map(({ firstSequence, lastSequence }) => `${firstSequence}-${lastSequence}`),
    );
  }
  override async transfers(transfers: readonly LedgerTransfer[], tx: Statements): Promise<void> {
    await note(
      tx,
      'transfers',
      transfers.map(({ transferId, amount }) => `${transferId} ${amount}`),
    );
  }
}

@Injectable()
class Slow extends LedgerConsumer {
  override readonly name = 'slow';
  override async trades(): Promise<void> {
    await behaviour.slow();
  }
}

@Injectable()
class Readers extends DurableListener {
  override readonly name = 'readers';
  override readonly types = ['news.published', 'message.new'];
  override async events(events: readonly ListenedEvent[], tx: Statements): Promise<void> {
    await note(
      tx,
      'readers',
      events.map(({ data }) => ('headline' in data ? data.headline : 'text' in data ? data.text : '?')),
    );
    await behaviour.readers(events);
  }
}

@Injectable()
class Writer {
  readonly written: number[] = [];
}

function pluginOf(name: string, consumers: readonly (new (...args: never[]) => object)[]) {
  class AcmePlugin {}
  TradepostPlugin({
    name,
    compatibility: '>=0.1.0',
    migrations: [CreateConsumed1790000000020] as never,
    consumers: consumers as never,
    jobs: [WRITE_DOWN.handledBy(Writer, async (writer, { trade }) => void writer.written.push(trade))],
    providers: [Writer],
  })(AcmePlugin);
  return AcmePlugin;
}

const AcmePlugin = pluginOf('acme', [Points, All, Slow, Readers]);

describe('consumers of plugins', () => {
  let database: TestDatabase;
  let service: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let market: string;
  const start = async (plugins: readonly (new () => object)[]): Promise<void> => {
    service = await startTestApp({ databaseUrl: database.url, plugins });
    [demo, maker, operator] = (await Promise.all(
      ['demo', 'maker', 'admin'].map((who) => callerFor(service.url, who)),
    )) as [Caller, Caller, Caller];
  };
  beforeAll(async () => {
    database = await createDemoDatabase();
    await start([AcmePlugin]);
    market = await createMarket(operator, 'CONSUMED-USD');
  });
  beforeEach(() => {
    behaviour.points = () => Promise.resolve();
    behaviour.slow = () => Promise.resolve();
    behaviour.readers = () => Promise.resolve();
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  const query = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> =>
    queryOnce<Row>(database.url, text, values);
  const consumedBy = async (consumer: string): Promise<string[]> => {
    const rows = await query<{ what: string }>(
      'SELECT what FROM acme_consumed WHERE consumer = $1 ORDER BY place',
      [consumer],
    );
    return rows.map(({ what }) => what);
  };
  const trades = async (): Promise<string[]> => {
    const rows = await query<{ trade: string }>(
      `SELECT trade_id || ' ' || trunc(price_ticks * size_lots * tick_size * lot_size / 1e18) AS trade
       FROM trades JOIN markets USING (market_id) ORDER BY trade_id`,
    );
    return rows.map(({ trade }) => trade);
  };
  const trade = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each++) {
      await maker.post('/orders', limit(market, 'sell', '100', '0.001'));
      expect((await demo.post('/orders', limit(market, 'buy', '100', '0.001'))).status).toBe(201);
    }
  };
  const hasAll = (consumer = 'points') =>
    eventually(async () => expect(await consumedBy(consumer)).toEqual(await trades()));
  const publish = async (headline: string): Promise<void> => {
    expect((await operator.post('/admin/news', { headline })).status).toBe(201);
  };
  const check = async (name: string) =>
    (await operator.get('/health')).body.checks.find((each: { name: string }) => each.name === name);
  const metric = async (name: string, consumer: string): Promise<number> => {
    const text = await service.app.nest.get(MetricsRegistry, { strict: false }).render();
    const line = text
      .split('\n')
      .find((each) => each.startsWith(`tradepost_${name}{`) && each.includes(`"${consumer}"`));
    return Number(line?.split(' ').at(-1));
  };

  it('are given every trade once, in order, from the first there ever was, with what it came to', async () => {
    await trade(5);
    await hasAll();
    expect((await consumedBy('points')).length).toBeGreaterThan(4);
  });

  it('begin now where they say so, and are given commits and transfers as the ledger has them', async () => {
    await trade(1);
    await eventually(async () => {
      const commits = (await consumedBy('commits')).map((each) => each.split('-').map(Number));
      const first = commits[0]![0]!;
      const rows = await query<{ commit: string }>(
        `SELECT first_sequence || '-' || last_sequence AS commit FROM journal WHERE first_sequence >= $1 ORDER BY last_sequence`,
        [first],
      );
      expect(first).toBeGreaterThan(1);
      expect(await consumedBy('commits')).toEqual(rows.map(({ commit }) => commit));
      const all = (await consumedBy('transfers')).map((each) => Number(each.split(' ')[0]));
      expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
      expect(all.length).toBeGreaterThan(0);
    });
  });

  it('add jobs in their transaction', async () => {
    await trade(1);
    await hasAll();
    const { written } = service.app.nest.get(Writer, { strict: false });
    const ids = (await trades()).map((each) => Number(each.split(' ')[0]));
    await eventually(() => expect([...written].sort((a, b) => a - b)).toEqual(ids));
  });

  it('that throw keep nothing of the call, are reported and tried again, and hold nobody up', async () => {
    behaviour.points = () => Promise.reject(new Error('out of points'));
    const before = await consumedBy('points');
    await trade(2);
    await eventually(async () => {
      expect(await check('consumers')).toMatchObject({
        healthy: false,
        detail: expect.stringMatching(/^acme:points fails since .*, \d+ times: out of points$/),
      });
    });
    expect((await operator.get('/health')).body.status).toBe('degraded');
    expect(await metric('plugin_consumer_failed_attempts', 'points')).toBeGreaterThan(0);
    expect(await metric('plugin_consumer_lag_seconds', 'points')).toBeGreaterThan(0);
    expect(await metric('plugin_consumer_failed_attempts', 'all')).toBe(0);
    // Others go on, orders too.
    await trade(1);
    await eventually(async () => {
      const [{ last }] = (await query<{ last: string }>(
        'SELECT max(last_sequence) AS last FROM journal',
      )) as [{ last: string }];
      expect((await consumedBy('commits')).at(-1)).toMatch(new RegExp(`-${last}$`));
    });
    expect(await consumedBy('points')).toEqual(before);
    behaviour.points = () => Promise.resolve();
    await hasAll();
    await eventually(async () => expect(await check('consumers')).toMatchObject({ healthy: true }));
    await eventually(async () => expect(await metric('plugin_consumer_lag_seconds', 'points')).toBe(0));
  });

  it('that fail on one thing have taken up all before it', async () => {
    const all = await trades();
    let bad = 0;
    behaviour.points = (given) =>
      given.some(({ tradeId }) => tradeId === bad || (bad === 0 && tradeId > 0))
        ? Promise.reject(new Error('not this one'))
        : Promise.resolve();
    await trade(3);
    bad = Number((await trades())[all.length + 1]!.split(' ')[0]);
    await eventually(async () =>
      expect(await consumedBy('points')).toEqual((await trades()).slice(0, all.length + 1)),
    );
    behaviour.points = () => Promise.resolve();
    await hasAll();
  });

  it('that are slow hold up neither orders nor others, and those that take too long have failed', async () => {
    let release: () => void = () => undefined;
    behaviour.slow = () => new Promise((resolve) => (release = resolve));
    await trade(3);
    await hasAll();
    release();
    behaviour.slow = () => Promise.resolve();
    let late: Statements | undefined;
    behaviour.points = (_trades, tx) => {
      late = tx;
      return new Promise(() => undefined);
    };
    await trade(1);
    await eventually(async () =>
      expect(await check('consumers')).toMatchObject({
        detail: expect.stringContaining('longer than 1500 ms'),
      }),
    );
    behaviour.points = () => Promise.resolve();
    await expect(late!.query('SELECT 1')).rejects.toThrow('nothing more can be asked');
    await hasAll();
  });

  it.each([
    ['COMMIT', 'COMMIT: the transaction is begun and ended by the service'],
    ['/* a */ -- b\n rollback', 'begun and ended by the service'],
    ["INSERT INTO acme_consumed (consumer, what) VALUES ('points', 'two'); COMMIT", 'multiple commands'],
    ['SELECT nothing FROM nowhere', 'nowhere'],
  ])('cannot end their transaction or go on after an error: %s', async (statement, message) => {
    behaviour.points = async (_trades, tx) => {
      await tx.query(statement).catch((error: Error) => {
        throw error;
      });
    };
    await trade(1);
    await eventually(async () =>
      expect(await check('consumers')).toMatchObject({ detail: expect.stringContaining(message) }),
    );
    behaviour.points = () => Promise.resolve();
    await hasAll();
  });

  it('that swallow an error of a statement have failed all the same', async () => {
    behaviour.points = async (_trades, tx) =>
      void (await tx.query('SELECT nothing FROM nowhere').catch(() => undefined));
    await trade(1);
    await eventually(async () => expect(await check('consumers')).toMatchObject({ healthy: false }));
    behaviour.points = () => Promise.resolve();
    await hasAll();
  });

  it('may not wait for the core or another connection', async () => {
    const core = service.app.nest.get(CoreService, { strict: false });
    behaviour.points = async () => core.projected();
    await trade(1);
    behaviour.points = () => service.app.nest.get(Jobs, { strict: false }).begin(() => undefined);
    await eventually(async () =>
      expect(await check('consumers')).toMatchObject({
        detail: expect.stringContaining('while it holds a connection'),
      }),
    );
    behaviour.points = () => Promise.resolve();
    await hasAll();
  });

  it('listen to events in order, once, without any webhook, and again where they have failed', async () => {
    const headlines = Array.from({ length: 8 }, (_, at) => `Headline ${at}`);
    let fails = 2;
    behaviour.readers = () => (fails-- > 0 ? Promise.reject(new Error('cannot read')) : Promise.resolve());
    for (const headline of headlines) await publish(headline);
    await eventually(async () => expect(await consumedBy('readers')).toEqual(headlines));
    expect(await query('SELECT FROM webhook_events')).toEqual([]);
    const room = (await demo.post('/chat/rooms', { name: 'Listened', type: 'private' })).body.room_id;
    await demo.post(`/chat/rooms/${room}/messages`, { text: 'hello there' });
    await demo.post(`/chat/rooms/${room}/messages`, { text: 'and again' });
    await eventually(async () =>
      expect(await consumedBy('readers')).toEqual([...headlines, 'hello there', 'and again']),
    );
  });

  it('go on where they were after their plugin was away, and miss nothing', async () => {
    const read = await consumedBy('readers');
    await service.close();
    await start([]);
    await trade(3);
    await publish('While away');
    await service.close();
    await start([AcmePlugin]);
    await hasAll();
    await eventually(async () => expect(await consumedBy('readers')).toEqual([...read, 'While away']));
    const { body } = await operator.get('/admin/ledger/check');
    expect(body).toMatchObject({ balanced: true });
  });

  it('of one name in two plugins have places of their own', async () => {
    await service.close();
    const before = await consumedBy('points');
    await start([AcmePlugin, pluginOf2()]);
    await eventually(async () => expect((await consumedBy('others')).length).toBe((await trades()).length));
    expect(await consumedBy('points')).toEqual(before);
    const names = await query<{ name: string }>(
      `SELECT name FROM journal_cursors WHERE name LIKE 'plugin:%' ORDER BY name`,
    );
    expect(names.map(({ name }) => name)).toEqual([
      'plugin:acme:all',
      'plugin:acme:points',
      'plugin:acme:slow',
      'plugin:bolt:points',
    ]);
  });

  it('leave no event for longer than an hour after all have it, and hold no archive after they have long been away', async () => {
    const [{ count }] = (await query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM listened_events',
    )) as [{ count: number }];
    expect(count).toBeGreaterThan(0);
    await query(`UPDATE listened_events SET created_at = now() - interval '2 hours'`);
    await query(`UPDATE plugin_consumers SET place = place - 1 WHERE name = 'acme:readers'`);
    await service.close();
    await start([]);
    await service.app.nest.get(Purges, { strict: false }).purgeNext();
    expect(await query('SELECT FROM listened_events')).toHaveLength(1);
    await query(`UPDATE plugin_consumers SET seen_at = now() - interval '31 days'`);
    await service.app.nest.get(Purges, { strict: false }).purgeNext();
    await service.app.nest.get(Purges, { strict: false }).purgeNext();
    expect(await query('SELECT FROM plugin_consumers')).toEqual([]);
    expect(await query('SELECT FROM listened_events')).toEqual([]);
  });
});

@Injectable()
class Others extends LedgerConsumer {
  override readonly name = 'points';
  override async trades(trades: readonly Trade[], tx: Statements): Promise<void> {
    await note(
      tx,
      'others',
      trades.map(({ tradeId }) => tradeId),
    );
  }
}

function pluginOf2() {
  class BoltPlugin {}
  TradepostPlugin({ name: 'bolt', compatibility: '>=0.1.0', consumers: [Others] })(BoltPlugin);
  return BoltPlugin;
}
