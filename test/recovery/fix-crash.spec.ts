import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Caller, callerFor } from '../support/caller.js';
import { FixClient, fixKeyOf, type ReceivedMessage, utcTime } from '../support/clients/fix-client.js';
import { limit } from '../support/clients/markets-client.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const KILLS = 3;
const FILLS_EACH = 5;

describe('a session of FIX across kills', () => {
  let site: Site;
  let port: number;
  beforeEach(async () => {
    port = await freePort();
    site = await Site.open({ PLUGINS: './dist/plugins/fix/index.js', FIX_PORT: String(port) });
  });
  afterEach(async () => {
    await site.close();
  }, 120_000);

  it('is told every fill once, and goes on with its numbers', async () => {
    let service = await begin();
    const trader = await userOf(service, 'alice');
    const { account_id: accountId } = (await trader.get('/accounts')).body.data[0];
    const funds = { asset: 'USD', amount: '10000', reference: 'funds of the session' };
    const operator = await callerFor(service.url, 'admin');
    expect(await operator.post(`/admin/accounts/${accountId}/deposits`, funds)).toMatchObject({
      status: 201,
    });
    const key = await fixKeyOf(trader);
    const seen: ReceivedMessage[] = [];
    let client = await FixClient.connect(port, 'DESK', key);
    await client.logOn();
    for (let kill = 0; kill <= KILLS; kill++) {
      const clOrdId = `order-${kill}`;
      const order = { 11: clOrdId, 55: 'BTC-USD', 54: 1, 40: 2, 38: '0.005', 44: '50000', 59: 1 };
      await eventually(async () => {
        client.send('D', { ...order, 60: utcTime(), 97: 'Y' });
        // A process that has just started may not lead yet: then the client sends its order again.
        let answer = await client.nextMessage();
        while (answer[11] !== clOrdId && answer[35] !== 'j') answer = await client.nextMessage();
        expect(answer[150], answer.text).toMatch(/^[0I]$/);
      });
      const maker = await callerFor(service.url, 'maker');
      const fills = Array.from({ length: FILLS_EACH }, () =>
        maker.post('/orders', limit('BTC-USD', 'sell', '50000', '0.001')).catch(() => undefined),
      );
      if (kill === KILLS) break;
      // Between fills: some are told, some are durable and not told, some never were.
      await Promise.race(fills);
      await service.kill();
      await Promise.all(fills);
      await client.disconnected();
      seen.push(...client.received);
      service = await begin();
      const { next } = client;
      const known = seen.at(-1)!;
      client = await FixClient.connect(port, 'DESK', key);
      client.next = next;
      await client.logOn();
      // Nothing that was sent is missing: the next number follows, or what lies between can be had again.
      const first = Number(known[34]) + 1;
      if (Number(client.received[0]![34]) > first) {
        client.send('2', { 7: first, 16: Number(client.received[0]![34]) - 1 });
        await eventually(() => client.received.some((message) => message[43] === 'Y'), 'it is sent again');
      }
    }
    const fillsOf = async (): Promise<string[]> =>
      (await trader.at(service.url).walk('/markets/BTC-USD/fills', 200))
        .filter(({ order_id: id }) => id !== null)
        .map(({ fill_id: id }) => id as string);
    const told = (): string[] =>
      [...seen, ...client.received].filter((message) => message[150] === 'F').map((message) => message[17]!);
    await eventually(async () => expect(told().sort()).toEqual((await fillsOf()).sort()));
    expect(told().length).toBeGreaterThanOrEqual(FILLS_EACH);
    client.close();
    expect(await service.stop()).toBe(0);
  }, 240_000);

  async function begin(): Promise<ServiceProcess> {
    const service = await site.start();
    await service.ready();
    return service;
  }
});

/** A session of a demo user. */
async function userOf(service: ServiceProcess, name: string): Promise<Caller> {
  const basic = Buffer.from(`${name}:${name}-password`).toString('base64');
  const response = await fetch(`${service.url}/user/login`, { headers: { authorization: `Basic ${basic}` } });
  return new Caller(service.url, (await response.text()).replaceAll('"', ''));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
