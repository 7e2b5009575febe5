import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';
import { type Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';

const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' };
/** Longer than the lease of a process that has stopped. */
const LEASE_AND_MORE_MS = 4_500;

describe.skipIf(isRedisMissing('switches over several processes'))('switches of two processes', () => {
  let replicas: Replicas;
  let demo: Caller;
  let token: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    replicas = await Replicas.start();
    demo = await callerFor(replicas.leader.url, 'demo');
    token = await tokenFor(replicas.leader.url, 'demo');
  });
  beforeEach(async () => {
    await demo.place(ORDER);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    const isOff = async (): Promise<boolean> =>
      (await queryOnce(replicas.databaseUrl, 'SELECT 1 FROM cancel_switches')).length === 0;
    await eventually(isOff, 'no switch is left for the next test');
    await demo.delete('/orders?all=true');
  });
  afterAll(() => replicas.stop());

  async function armedSocketTo({ url }: TestApp): Promise<Socket> {
    const options = { transports: ['websocket'], forceNew: true, reconnection: false, auth: { token } };
    const socket = io(`${url}/account`, options);
    sockets.push(socket);
    const answer = await socket.emitWithAck('orders.cancel_on_disconnect', { enabled: true });
    expect(answer, JSON.stringify(answer)).toHaveProperty('data');
    return socket;
  }

  async function liveOrders(): Promise<number> {
    const { body } = await demo.get('/orders?status=open');
    return body.data.length as number;
  }

  it('cancel when a connection to the process without the lead is lost', async () => {
    const socket = await armedSocketTo(replicas.other);
    expect(await liveOrders()).toBe(1);
    socket.disconnect();
    await eventually(async () => (await liveOrders()) === 0, 'the orders are cancelled');
  });

  it('stay armed for as long as their process is there', async () => {
    const [first, second] = [await armedSocketTo(replicas.leader), await armedSocketTo(replicas.other)];
    await new Promise((resolve) => setTimeout(resolve, LEASE_AND_MORE_MS));
    expect(await liveOrders()).toBe(1);
    expect([first.connected, second.connected]).toEqual([true, true]);
  });

  it('cancel when their process is gone', async () => {
    const [{ account_id }] = (await queryOnce<{ account_id: string }>(
      replicas.databaseUrl,
      `SELECT account_id FROM accounts WHERE owner = 'client:demo' AND kind = 'trading' ORDER BY account_id LIMIT 1`,
    )) as [{ account_id: string }];
    await queryOnce(
      replicas.databaseUrl,
      `INSERT INTO cancel_switches (account_id, source, arming_id, holder)
       VALUES ($1, 'a socket', gen_random_uuid(), 'a process that was killed')`,
      [account_id],
    );
    await eventually(async () => (await liveOrders()) === 0, 'the orders are cancelled');
  });

  it('end the connections of a process that was taken to be gone', async () => {
    const socket = await armedSocketTo(replicas.other);
    const errors: Json[] = [];
    socket.on('error', ({ error }) => errors.push(error));
    await queryOnce(
      replicas.databaseUrl,
      'UPDATE cancel_switches SET triggers_at = clock_timestamp(), holder = NULL WHERE holder IS NOT NULL',
    );
    await eventually(() => !socket.connected, 'the client is told');
    expect(errors).toMatchObject([{ code: 'temporarily_unavailable' }]);
    await eventually(async () => (await liveOrders()) === 0, 'the orders are cancelled');
  });

  it('cancel at the time that was set at the process without the lead', async () => {
    const other = await callerFor(replicas.other.url, 'demo');
    expect((await other.post('/orders/cancel-after', { timeout_ms: 1_000 })).status).toBe(200);
    await eventually(async () => (await liveOrders()) === 0, 'the orders are cancelled');
  });
});
