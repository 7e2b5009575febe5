import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../../src/kit/security/authenticator.js';
import type { Principal } from '../../../src/kit/security/principal.js';
import { type Owner, ownerOfPrincipal } from '../../../src/kit/turns/owner.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, loggedIn, tokenFor } from '../../support/caller.js';
import { createRoom, put, say } from '../../support/clients/chat-client.js';
import { eventually } from '../../support/eventually.js';

describe('turns between owners', () => {
  let app: TestApp;
  let alice: Caller;
  let bob: Caller;
  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [alice, bob] = await Promise.all([loggedIn(app.url, 'alice'), loggedIn(app.url, 'bob')]);
  });
  afterAll(() => app.close());

  it('let 260 CSV requests of one owner not lock out those of another', async () => {
    const [demo, maker] = await Promise.all([tokenFor(app.url, 'demo'), tokenFor(app.url, 'maker')]);
    const csv = async (token: string): Promise<number> => {
      const headers = { accept: 'text/csv', authorization: `Bearer ${token}` };
      const answer = await fetch(`${app.url}/orders`, { headers });
      await answer.text();
      return answer.status;
    };
    const all = Array.from({ length: 260 }, () => csv(demo));
    const others = Array.from({ length: 5 }, () => csv(maker));
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
    expect([...new Set(await Promise.all(all))].filter((status) => status !== 429)).toEqual([200]);
  });

  it('let 400 room changes of one person not hold the lobby for others', async () => {
    const { room_id: room } = await createRoom(alice, { type: 'public', members: ['bob'] });
    const { message_id: message } = await say(alice, room, 'who is for it?');
    const react = (who: Caller, emoji: string): Promise<{ readonly status: number }> =>
      put(who, `/chat/rooms/${room}/messages/${message}/reactions/${encodeURIComponent(emoji)}`);
    let done = 0;
    const all = Array.from({ length: 400 }, () => react(alice, '👍').then(() => done++));
    await eventually(() => expect(done).toBeGreaterThan(0));
    expect((await react(bob, '👎')).status).toBe(204);
    expect(done).toBeLessThan(300);
    await Promise.all(all);
  });

  it('count whom a person makes, and their keys, as the person', async () => {
    const authenticator = app.app.nest.get(Authenticator, { strict: false });
    const tokenOf = async (username: string): Promise<string> => {
      const authorization = `Basic ${btoa(`${username}:${username}-password`)}`;
      return (await (await fetch(`${app.url}/user/login`, { headers: { authorization } })).json()) as string;
    };
    const ownerOf = async (found: Promise<Principal | undefined>): Promise<Owner> =>
      ownerOfPrincipal((await found)!);
    const made = { username: 'mallory', password: 'mallory-password' };
    expect((await alice.post('/user', made)).status).toBeLessThan(300);
    const [ofAlice, ofMallory] = [await tokenOf('alice'), await tokenOf('mallory')];
    const person = await ownerOf(authenticator.authenticateBearer(ofAlice));
    expect(await ownerOf(authenticator.authenticateBearer(ofMallory))).toEqual(person);
    const key = await new Caller(app.url, ofMallory).post('/auth/api-keys', {
      name: 'Bot',
      scopes: ['chat:write'],
    });
    expect(await ownerOf(authenticator.authenticateApiKey(key.body.api_key))).toEqual(person);
    expect(await ownerOf(authenticator.authenticateBearer(await tokenOf('bob')))).not.toEqual(person);
  });
});

describe('what one owner has in flight', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off', ownerWaitingMax: 2 });
  });
  afterAll(() => app.close());

  it('is bounded over HTTP: 429 with Retry-After, and others are served', async () => {
    const [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
    const all = Array.from({ length: 200 }, () => demo.get('/orders?limit=100'));
    expect((await maker.get('/orders')).status).toBe(200);
    const answers = await Promise.all(all);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect([status, body.error.code]).toEqual([429, 'too_many_in_flight']);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect((await demo.get('/orders')).status).toBe(200);
  });

  it('is bounded over sockets together with HTTP', async () => {
    const token = await tokenFor(app.url, 'demo');
    const socket = io(`${app.url}/account`, { auth: { token }, transports: ['websocket'], forceNew: true });
    try {
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => socket.emitWithAck('orders.cancel', { order_id: 'x' })),
      );
      const codes = new Set(answers.map(({ error }) => error.code));
      expect(codes).toEqual(new Set(['order_not_found', 'too_many_in_flight']));
      expect((await socket.emitWithAck('orders.cancel', { order_id: 'x' })).error.code).toBe(
        'order_not_found',
      );
    } finally {
      socket.disconnect();
    }
  });

  it('does not count event streams, which are connections', async () => {
    const token = await tokenFor(app.url, 'demo');
    const ending = new AbortController();
    const open = Array.from({ length: 30 }, async () => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${app.url}/accounts/me/stream`;
      const { status } = await fetch(url, { headers, signal: ending.signal });
      return status;
    });
    try {
      expect((await Promise.all(open)).filter((status) => status === 200).length).toBeGreaterThan(0);
      expect((await (await callerFor(app.url, 'demo')).get('/orders')).status).toBe(200);
    } finally {
      ending.abort();
    }
  });
});
