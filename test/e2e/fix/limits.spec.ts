import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import { MessageRetention } from '../../../plugins/fix/store/message-retention.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { answered, fund, newUser } from '../../support/clients/accounts-client.js';
import { FixClient, type FixKey, fixKeyOf, utcTime } from '../../support/clients/fix-client.js';
import type { UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';

const CONNECTIONS = 5;
const SESSIONS_PER_ACCOUNT = 20;

describe('limits of FIX sessions', () => {
  let app: TestApp;
  let listener: FixListener;
  let port: number;
  let trader: UserCaller;
  let key: FixKey;

  beforeAll(async () => {
    const environment = {
      FIX_PORT: '0',
      FIX_CONNECTIONS_PER_ADDRESS: String(CONNECTIONS),
      FIX_MESSAGES_PER_SECOND: '100000',
    };
    app = await startTestApp({ plugins: [FixPlugin], environment });
    listener = app.app.nest.get(FixListener, { strict: false });
    port = listener.port!;
    trader = await newUser(app, 'trader');
    await fund(app, (await trader.get('/accounts')).body.data[0].account_id, '1000000');
    key = await fixKeyOf(trader);
  });
  afterAll(async () => {
    await app.close();
  });

  const connect = (name: string): Promise<FixClient> => FixClient.connect(port, name, key);
  const noneConnected = (): Promise<void> =>
    eventually(() => listener.connectionCount === 0, 'all connections are gone');
  const stillServes = async (): Promise<void> => {
    await noneConnected();
    const client = await connect('PROBE');
    await client.logOn({ isReset: true });
    client.close();
  };

  it('hangs up on a client that asks for much and reads nothing, while others are served', async () => {
    const slow = await connect('SLOW');
    await slow.logOn();
    const other = await connect('OTHER');
    await other.logOn();
    slow.socket.pause();
    const long = 'x'.repeat(7_900);
    for (let count = 0; count < 6_000 && listener.connectionCount > 1; count++) {
      slow.send('1', { 112: long });
      if (count % 100 === 0) {
        other.send('1', { 112: String(count) });
        await other.expect({ 35: 0, 112: String(count) });
      }
    }
    await eventually(() => listener.connectionCount === 1, 'the slow client is gone');
    slow.close();
    other.close();
    await stillServes();
  });

  it('takes so many connections of an address', async () => {
    const clients: FixClient[] = [];
    for (let count = 0; count < CONNECTIONS; count++) {
      const client = await connect(`MANY-${count}`);
      await client.logOn();
      clients.push(client);
    }
    const beyond = await connect('BEYOND');
    await beyond.disconnected();
    clients[0]!.close();
    await eventually(() => listener.connectionCount < CONNECTIONS, 'there is room again');
    const next = await connect('NEXT');
    await next.logOn();
    for (const client of [...clients, next]) client.close();
    await noneConnected();
  });

  it('answers one log-on of a connection, whatever comes behind it', async () => {
    const client = await connect('PIPELINED');
    const bad = client.encode({ 35: 'A', 98: 0, 108: 30, 553: 'tpk_unknown' });
    client.sendBytes(bad.repeat(10) + client.encode({ 35: 'A', 98: 0, 108: 30, 52: utcTime(1) }));
    await client.disconnected();
    expect(client.received.map((message) => message[35])).toEqual(['5']);
    await stillServes();
  });

  it('keeps so many sessions of an account, and the old ones stay in use', async () => {
    const other = await newUser(app, 'collector');
    const own = await fixKeyOf(other);
    const logOn = async (name: string): Promise<string> => {
      const client = await FixClient.connect(port, name, own);
      client.sendLogOn({ isReset: true });
      const answer = await client.nextMessage();
      client.close();
      await noneConnected();
      return answer[35]!;
    };
    for (let count = 0; count < SESSIONS_PER_ACCOUNT; count++) expect(await logOn(`S${count}`)).toBe('A');
    expect(await logOn('ONE-MORE')).toBe('5');
    expect(await logOn('S0')).toBe('A');
    await stillServes();
  });

  it('fills the gap for reports that were removed, of sessions that are away too', async () => {
    const client = await connect('PRUNED');
    await client.logOn();
    for (const clOrdId of ['old-1', 'old-2', 'new-1']) {
      const terms = { 11: clOrdId, 55: 'BTC-USD', 54: 1, 40: 2, 38: '0.1', 44: '100', 60: utcTime() };
      client.send('D', terms);
      await client.expect({ 35: 8, 11: clOrdId, 150: 0 });
    }
    client.close();
    await noneConnected();
    const databaseUrl = app.config.databaseUrl!;
    await queryOnce(
      databaseUrl,
      `UPDATE fix_messages SET sent_at = now() - interval '8 days' WHERE body LIKE '%11=old-%'`,
    );
    const retention = app.app.nest.get(MessageRetention, { strict: false });
    expect(await retention.removeNext()).toBe(2);
    expect(await retention.removeNext()).toBe(0);
    const [left] = await queryOnce<{ count: string }>(
      databaseUrl,
      `SELECT count(*) FROM fix_messages JOIN fix_sessions USING (session_id)
       WHERE sender_comp_id = 'PRUNED'`,
    );
    expect(Number(left!.count)).toBe(1);

    const again = await connect('PRUNED');
    again.next = client.next;
    await again.logOn();
    again.send('2', { 7: 1, 16: 0 });
    await again.expect({ 35: 4, 43: 'Y', 34: 1, 123: 'Y', 36: 4 });
    await again.expect({ 35: 8, 43: 'Y', 34: 4, 11: 'new-1' });
    again.close();
    await noneConnected();
  });

  it('removes what is old by a job of its own', async () => {
    const [job] = await queryOnce<{ count: string }>(
      app.config.databaseUrl!,
      `SELECT count(*) FROM graphile_worker.jobs WHERE key = 'fix.forget_messages'`,
    );
    expect(Number(job!.count)).toBe(1);
  });

  it('lets nobody trade by a key that was revoked', async () => {
    const doomed = await fixKeyOf(trader);
    const client = await FixClient.connect(port, 'REVOKED', doomed);
    await client.logOn();
    await answered(trader.delete(`/auth/api-keys/${doomed.id}`), 204);
    await client.expect({ 35: 5 });
    const terms = { 11: 'late', 55: 'BTC-USD', 54: 1, 40: 2, 38: '0.1', 44: '100', 60: utcTime() };
    client.send('D', terms);
    await client.disconnected();
    const { body } = await trader.get('/orders?client_order_id=late');
    expect(body.data).toEqual([]);
    const again = await FixClient.connect(port, 'REVOKED', doomed);
    again.sendLogOn();
    await again.expect({ 35: 5, 58: 'The log-on is refused.' });
    await again.disconnected();
  });
});
