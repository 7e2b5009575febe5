import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../../src/platform/security/authenticator.js';
import type { Principal } from '../../../src/platform/security/principal.js';
import { type Owner, ownerOfPrincipal } from '../../../src/platform/turns/owner.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, loggedIn, tokenFor } from '../../support/caller.js';
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
