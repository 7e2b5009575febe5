import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionOf } from '../support/clients/chat-streams-client.js';
import { Caller, callerFor, type Json, tokenFor } from '../support/caller.js';
import { eventually } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { isRedisMissing } from '../support/redis.js';
import { Cluster } from '../cluster/cluster.js';

const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' };

describe.skipIf(isRedisMissing('sockets of processes that die'))('sockets of a process that', () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let leader: string;
  let replica: number;
  let demo: Caller;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    cluster = await Cluster.open({ databaseUrl: database.url, processes: 2 });
  }, 120_000);
  beforeEach(async () => {
    await cluster.restore();
    leader = cluster.members[await cluster.leader()]!.url!;
    [replica] = (await cluster.replicas()) as [number];
    demo = await callerFor(leader, 'demo');
    await demo.place(ORDER);
  }, 60_000);
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect();
  });
  afterAll(async () => {
    await cluster.close();
    await database.drop();
  }, 60_000);

  function connect(namespace: string, url: string, token: string): Socket {
    const options = { transports: ['websocket'], forceNew: true, reconnection: false, auth: { token } };
    const socket = io(url + namespace, options);
    sockets.push(socket);
    return socket;
  }

  async function armedSocket(): Promise<Socket> {
    const socket = connect('/account', cluster.members[replica]!.url!, await tokenFor(leader, 'demo'));
    const answer = await socket.emitWithAck('orders.cancel_on_disconnect', { enabled: true });
    expect(answer, JSON.stringify(answer)).toHaveProperty('data');
    return socket;
  }

  async function hasNoOrders(): Promise<boolean> {
    const { body } = await demo.get('/orders?status=open');
    return (body.data as Json[]).length === 0;
  }

  it('is killed count as lost: orders are cancelled, and nobody is present by them', async () => {
    const alice = new Caller(leader, await sessionOf(leader, 'alice'));
    const made = await alice.post('/chat/rooms', { name: 'Here', type: 'private', members: ['bob'] });
    const room = { room_id: made.body.room_id as string };
    const here = connect('/chat', leader, await sessionOf(leader, 'alice'));
    const told: Json[] = [];
    here.on('presence.changed', ({ data }) => told.push(data));
    await here.emitWithAck('room.join', room);
    const url = cluster.members[replica]!.url!;
    await connect('/chat', url, await sessionOf(leader, 'bob')).emitWithAck('room.join', room);
    await eventually(() => told.some(({ online }) => online.includes('bob')), 'bob is told of');
    await armedSocket();

    await cluster.kill(replica);
    await eventually(hasNoOrders, 'the orders are cancelled');
    await eventually(() => told.some(({ offline }) => offline.includes('bob')), 'bob is told to be gone');
  }, 60_000);

  it('stands still count as lost, and are ended when it goes on', async () => {
    const socket = await armedSocket();
    const errors: Json[] = [];
    socket.on('error', ({ error }) => errors.push(error));
    cluster.freeze(replica);
    await eventually(hasNoOrders, 'the orders are cancelled');
    await demo.place(ORDER);
    cluster.thaw(replica);
    await eventually(() => !socket.connected, 'the client is told');
    expect(errors).toMatchObject([{ code: 'temporarily_unavailable' }]);
    // Nobody cancels orders placed since.
    expect(await hasNoOrders()).toBe(false);
    await demo.delete('/orders?all=true');
  }, 60_000);
});
