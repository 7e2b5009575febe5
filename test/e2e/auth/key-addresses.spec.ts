import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import { logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

const HOME = '203.0.113.9';
const AWAY = '198.51.100.1';
const REFUSED = '401 invalid_api_key';

let app: TestApp;
let alice: UserCaller;

/** As a proxy in front tells where a request comes from. */
function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address };
}

async function newKey(allowed_addresses?: readonly string[]): Promise<Json> {
  const body = { name: 'Bot', scopes: ['account:read', 'markets:trade'], allowed_addresses };
  const reply = await alice.post('/auth/api-keys', body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body;
}

function balances(key: Json, address: string): Promise<Reply> {
  return new UserCaller(app.url)
    .withApiKey(key.api_key)
    .send('GET', '/accounts/me/balances', undefined, from(address));
}

/** What becomes of a socket: connected, or the code of why not. */
async function connect(key: Json, address: string): Promise<string> {
  const socket: Socket = io(`${app.url}/account`, {
    auth: { api_key: key.api_key },
    extraHeaders: from(address),
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve('connected'));
      socket.once('connect_error', (error) =>
        resolve((error as Error & { data?: Json }).data?.error.code ?? error.message),
      );
    });
  } finally {
    socket.close();
  }
}

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off', trustProxy: 1 });
  alice = await logIn(app, 'alice');
});
afterAll(() => app?.close());

describe('a key that is bound to addresses', () => {
  it('is refused from everywhere else, once known there or not', async () => {
    const key = await newKey(['203.0.113.0/24', '2001:DB8::/32']);
    expect(key.allowed_addresses).toEqual(['203.0.113.0/24', '2001:db8::/32']);
    for (let round = 0; round < 2; round++) {
      expect(refusalOf(await balances(key, AWAY))).toBe(REFUSED);
      expect((await balances(key, HOME)).status).toBe(200);
      expect((await balances(key, '2001:db8::7')).status).toBe(200);
    }
    // A caller cannot say where it comes from: only what the proxy added last counts.
    expect(refusalOf(await balances(key, `${HOME}, ${AWAY}`))).toBe(REFUSED);
    expect((await alice.get('/auth/api-keys?limit=1')).body.data[0]).toMatchObject({
      api_key_id: key.api_key_id,
      allowed_addresses: ['203.0.113.0/24', '2001:db8::/32'],
    });
  });

  it('opens no socket and no stream from elsewhere', async () => {
    const key = await newKey([HOME]);
    expect(await connect(key, HOME)).toBe('connected');
    expect(await connect(key, AWAY)).toBe('invalid_api_key');
    const bot = new UserCaller(app.url).withApiKey(key.api_key);
    const path = '/accounts/me/stream';
    const ticket = JSON.stringify({ path });
    const made = await bot.send('POST', '/auth/stream-tickets', ticket, from(HOME));
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(refusalOf(await bot.send('POST', '/auth/stream-tickets', ticket, from(AWAY)))).toBe(REFUSED);
    const stolen = await fetch(`${app.url}${path}?ticket=${made.body.ticket}`, { headers: from(AWAY) });
    expect(stolen.status).toBe(401);
    await stolen.body?.cancel();
  });

  it('may be used from anywhere without', async () => {
    const key = await newKey();
    expect(key.allowed_addresses).toBeNull();
    expect((await balances(key, AWAY)).status).toBe(200);
  });

  it.each([
    [[]],
    [['203.0.113.7/24']],
    [['example.com']],
    [[1]],
    ['203.0.113.7'],
    [Array.from({ length: 21 }, (_, at) => `203.0.113.${at}`)],
  ])('needs addresses that make sense: %j', async (allowed_addresses) => {
    const reply = await alice.post('/auth/api-keys', { name: 'Bot', allowed_addresses });
    expect(refusalOf(reply)).toBe('400 validation_failed');
    expect(reply.body.error.details[0].field).toMatch(/^allowed_addresses/);
  });
});
