import { Manager, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTIONS_PER_PRINCIPAL_MAX } from '../../../src/kit/realtime/connection-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, tokenFor, type Json } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

/** Concurrent handshakes; the server's queue of new connections is not under test. */
const CONNECTING_MAX = 100;

describe('many sockets', () => {
  let app: TestApp;
  let demoToken: string;
  let makerToken: string;
  const managers: Manager[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    [demoToken, makerToken] = await Promise.all([tokenFor(app.url, 'demo'), tokenFor(app.url, 'maker')]);
  });
  afterEach(() => {
    for (const manager of managers.splice(0)) manager._close();
  });
  afterAll(() => app.close());

  function newManager(options: Json = {}): Manager {
    const manager = new Manager(app.url, { transports: ['websocket'], reconnection: false, ...options });
    managers.push(manager);
    return manager;
  }

  /** Repeats an action, with some concurrency. */
  async function manyTimes<T>(times: number, what: () => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    let left = times;
    const worker = async (): Promise<void> => {
      while (left-- > 0) results.push(await what());
    };
    await Promise.all(Array.from({ length: CONNECTING_MAX }, worker));
    return results;
  }

  it('are let in up to a limit, are all told, and cost others nothing', async () => {
    const operator = new Caller(app.url, await tokenFor(app.url, 'admin'));
    const demo = new Caller(app.url, demoToken);
    const market = await createMarket(operator, 'CROWD');
    const told = new Map<Socket, Json[]>();

    // Two thousand: each connection carries one authenticated and one public namespace.
    const crowd = await manyTimes(CONNECTIONS_PER_PRINCIPAL_MAX, async () => {
      const manager = newManager();
      const own = manager.socket('/account', { auth: { token: demoToken } });
      expect(await outcomeOf(own)).toBe('connected');
      const follower = manager.socket('/markets');
      const events: Json[] = [];
      told.set(follower, events);
      follower
        .on('l2.snapshot', (event) => events.push(event))
        .on('l2.update', (event) => events.push(event));
      expect(await follower.emitWithAck('subscribe', { market_id: market, channels: ['l2'] })).toHaveProperty(
        'data',
      );
      return own;
    });

    await demo.place(limit(market, 'buy', '100', '1'));
    await eventually(() => {
      for (const events of told.values()) expect(events.length).toBe(2);
    });
    for (const [snapshot, update] of told.values()) {
      expect(update).toMatchObject({ type: 'l2.update', data: { previous_sequence: snapshot.sequence } });
    }

    const oneMore = newManager().socket('/account', { auth: { token: demoToken } });
    expect(await outcomeOf(oneMore)).toMatchObject({ error: { code: 'rate_limited' } });
    const another = newManager().socket('/account', { auth: { token: makerToken } });
    expect(await outcomeOf(another)).toBe('connected');
    expect((await demo.get(`/markets/${market}`)).status).toBe(200);

    for (const socket of crowd.splice(0, 10)) socket.disconnect();
    await eventually(async () => {
      const next = newManager().socket('/account', { auth: { token: demoToken } });
      expect(await outcomeOf(next)).toBe('connected');
    });
    expect(crowd.every(({ connected }) => connected)).toBe(true);
  });

  it('that prove nothing are refused each, while others are let in', async () => {
    const refused = manyTimes(200, async () => {
      const socket = newManager().socket('/account', { auth: { token: `made up ${Math.random()}` } });
      const outcome = await outcomeOf(socket);
      socket.io._close();
      return outcome.error?.code;
    });
    const good = newManager().socket('/account', { auth: { token: demoToken } });
    expect(await outcomeOf(good)).toBe('connected');
    expect(new Set(await refused)).toEqual(new Set(['invalid_token']));
  });

  it('that speak without end are held back, and the connection is kept', async () => {
    const socket = newManager().socket('/account', { auth: { token: demoToken } });
    // On a slow machine one burst may span several windows of the budget.
    await eventually(async () => {
      const answers: Json[] = await Promise.all(
        Array.from({ length: 1_000 }, () => socket.emitWithAck('unsubscribe', { account_id: 'me' })),
      );
      expect(answers.map(({ error }) => error?.code)).toContain('rate_limited');
    });
    expect(socket.connected).toBe(true);
  });

  it.each(['websocket', 'polling'])(
    'that send more than 64 KB at once by %s are cut off',
    async (transport) => {
      const socket = newManager({ transports: [transport] }).socket('/account', {
        auth: { token: demoToken },
      });
      expect(await outcomeOf(socket)).toBe('connected');
      const end = new Promise<string>((resolve) => socket.on('disconnect', resolve));
      socket.emit('subscribe', { account_id: 'x'.repeat(70_000) });
      expect(await end).toMatch(/transport (close|error)/);
      expect((await new Caller(app.url, demoToken).get('/accounts/me/balances')).status).toBe(200);
    },
  );
});

/** `connected`, or the envelope of the refusal. */
function outcomeOf(socket: Socket): Promise<Json> {
  return new Promise((resolve) => {
    socket.on('connect', () => resolve('connected'));
    socket.on('connect_error', (error: Error & { data?: unknown }) => resolve(error.data ?? error.message));
  });
}
