import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LastUses } from '../../../src/modules/auth/credentials/last-uses.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { ConsoleVisits } from '../../support/clients/console-visits.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';

interface Session {
  readonly session_id: string;
  readonly device: string;
  readonly address: string;
  readonly is_current: boolean;
  readonly last_used_at: string;
  readonly expires_at: string;
}

let app: TestApp;
let operator: UserCaller;
let visits: ConsoleVisits;
let made = 0;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  operator = await clientOf(app, 'admin');
  visits = await ConsoleVisits.at(app);
});

afterAll(() => app?.close());

async function newUser(): Promise<string> {
  const username = `sitter-${++made}`;
  const answer = await operator.post('/user', { username, password: `${username}-password` });
  expect(answer.status).toBe(200);
  return username;
}

async function sessionsOf(caller: UserCaller, query = ''): Promise<Session[]> {
  const { status, body } = await caller.get(`/user/sessions${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data as Session[];
}

const isRefused = async (caller: UserCaller): Promise<boolean> =>
  (await caller.get('/oauth/userinfo')).status === 401;

describe('GET /user/sessions', () => {
  it('lists each log-in with where it came from, newest first', async () => {
    const username = await newUser();
    const api = await new UserCaller(app.url).tryLogIn(username, `${username}-password`, 'header', {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
    });
    const caller = new UserCaller(app.url).withBearer(api.body);
    const { caller: atConsole } = await visits.visit(username);
    const [browser, own] = await sessionsOf(caller);
    expect(own).toMatchObject({ device: 'Firefox on Windows', address: '127.0.0.1', is_current: true });
    expect(browser).toMatchObject({ device: 'node', is_current: false });
    expect(Date.parse(own!.expires_at)).toBeGreaterThan(Date.now());
    expect((await sessionsOf(atConsole)).map((each) => each.is_current)).toEqual([true, false]);
    const [first] = await sessionsOf(caller, '?limit=1');
    expect(first?.session_id).toBe(browser?.session_id);
  });

  it('counts a browser once, however often its page is loaded', async () => {
    const { browser, caller } = await visits.visit(await newUser());
    const again = await visits.reload(browser);
    const [only, ...others] = await sessionsOf(again.caller);
    expect(others).toEqual([]);
    expect(only?.is_current).toBe(true);
    expect((await sessionsOf(caller))[0]?.session_id).toBe(only?.session_id);
  });

  it('knows when each was last used', async () => {
    const username = await newUser();
    const [quiet, busy] = [await logIn(app, username), await logIn(app, username)];
    const { session_id: busyId } = (await sessionsOf(busy)).find((each) => each.is_current)!;
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE sessions SET last_used_at = '2020-01-01T00:00:00Z' WHERE user_id =
         (SELECT user_id FROM users WHERE username = '${username}')`,
    );
    const lastUses = app.app.nest.get(LastUses);
    await lastUses.flush();
    expect((await busy.get('/accounts')).status).toBe(200);
    await eventually(async () => {
      await lastUses.flush();
      const seen = new Map((await sessionsOf(busy)).map((each) => [each.session_id, each.last_used_at]));
      expect(Date.parse(seen.get(busyId)!)).toBeGreaterThan(Date.parse('2026-01-01'));
    });
    expect(await isRefused(quiet)).toBe(false);
  });

  it('is for who is there in person, and shows nobody else’s', async () => {
    const alice = await logIn(app, 'alice');
    const key = await alice.post('/auth/api-keys', { name: 'Sheet', scopes: ['account:read'] });
    for (const caller of [
      new UserCaller(app.url).withApiKey(key.body.api_key),
      await clientOf(app, 'demo'),
    ]) {
      for (const answer of [
        await caller.get('/user/sessions'),
        await caller.delete('/user/sessions'),
        await caller.delete('/user/sessions/ses_00000000001'),
      ])
        expect(refusalOf(answer)).toBe('403 forbidden');
    }
    const bob = await logIn(app, 'bob');
    const own = new Set((await sessionsOf(alice)).map((each) => each.session_id));
    for (const { session_id } of await sessionsOf(bob)) expect(own.has(session_id)).toBe(false);
  });

  it('hides no user of that name: nobody can have it', async () => {
    const answer = await operator.post('/user', { username: 'Sessions', password: 'sessions-password' });
    expect(refusalOf(answer)).toBe('400 validation_failed');
  });
});

describe('DELETE /user/sessions/{session_id}', () => {
  it('ends a stolen session at once, with its open streams', async () => {
    const username = await newUser();
    const [owner, thief] = [await logIn(app, username), await logIn(app, username)];
    const { session_id: stolen } = (await sessionsOf(thief)).find((each) => each.is_current)!;
    const token = await tokenOf(username);
    const socket = io(`${app.url}/account`, { auth: { token }, transports: ['websocket'] });
    await new Promise((resolve, reject) => {
      socket.on('connect', () => resolve(undefined));
      socket.on('connect_error', reject);
    });
    const gone = new Promise((resolve) => socket.on('disconnect', resolve));
    const withSocket = (await sessionsOf(owner))[0]!.session_id;
    expect((await owner.delete(`/user/sessions/${withSocket}`)).status).toBe(204);
    await gone;
    socket.close();
    expect((await owner.delete(`/user/sessions/${stolen}`)).status).toBe(204);
    expect(await isRefused(thief)).toBe(true);
    expect(refusalOf(await owner.delete(`/user/sessions/${stolen}`))).toBe('404 not_found');
    expect((await sessionsOf(owner)).map((each) => each.is_current)).toEqual([true]);
  });

  it('logs a browser out of the console, with every page that was loaded there', async () => {
    const username = await newUser();
    const { browser, caller } = await visits.visit(username);
    const again = await visits.reload(browser);
    const owner = await logIn(app, username);
    const { session_id: id } = (await sessionsOf(owner)).find((each) => !each.is_current)!;
    expect((await owner.delete(`/user/sessions/${id}`)).status).toBe(204);
    expect(await isRefused(caller)).toBe(true);
    expect(await isRefused(again.caller)).toBe(true);
    expect((await visits.silently(browser)).get('error')).toBe('login_required');
    expect(await isRefused(owner)).toBe(false);
  });

  it('never ends another’s', async () => {
    const [alice, bob] = [await logIn(app, 'alice'), await logIn(app, 'bob')];
    const { session_id: id } = (await sessionsOf(bob)).find((each) => each.is_current)!;
    expect(refusalOf(await alice.delete(`/user/sessions/${id}`))).toBe('404 not_found');
    for (const odd of ['%00', "'%20OR%20true--", 'ses_', '%F0%9F%92%A9', 'x'.repeat(2_000)]) {
      expect((await alice.delete(`/user/sessions/${odd}`)).status).toBeGreaterThanOrEqual(400);
      expect((await alice.delete(`/user/sessions/${odd}`)).status).toBeLessThan(500);
    }
    expect(await isRefused(bob)).toBe(false);
  });

  it('is written into the audit log', async () => {
    const username = await newUser();
    const owner = await logIn(app, username);
    await logIn(app, username);
    const { session_id: id } = (await sessionsOf(owner)).find((each) => !each.is_current)!;
    await owner.delete(`/user/sessions/${id}`);
    const { body } = await operator.get('/admin/audit?limit=5');
    const entry = (body.data as { action: string; target: object }[]).find(
      ({ action }) => action === 'endSession',
    );
    expect(entry).toMatchObject({ target: { type: 'user', id: username } });
  });
});

describe('DELETE /user/sessions', () => {
  it('ends all others, and leaves keys alone', async () => {
    const username = await newUser();
    const owner = await logIn(app, username);
    const key = await owner.post('/auth/api-keys', { name: 'Sheet', scopes: ['account:read'] });
    const others = [await logIn(app, username), (await visits.visit(username)).caller];
    expect((await owner.delete('/user/sessions')).status).toBe(204);
    for (const other of others) expect(await isRefused(other)).toBe(true);
    expect((await sessionsOf(owner)).map((each) => each.is_current)).toEqual([true]);
    expect((await new UserCaller(app.url).withApiKey(key.body.api_key).get('/accounts')).status).toBe(200);
    expect((await owner.delete('/user/sessions')).status).toBe(204);
  });

  it('ends those that race with it, and never fails', async () => {
    const username = await newUser();
    const { browser, caller } = await visits.visit(username);
    await Promise.all([
      ...Array.from({ length: 4 }, () => visits.reload(browser).catch(() => undefined)),
      ...Array.from({ length: 4 }, async () => {
        expect((await caller.delete('/user/sessions')).status).toBe(204);
      }),
    ]);
    expect((await sessionsOf(caller)).map((each) => each.is_current)).toEqual([true]);
  });
});

describe('the log-out of a browser', () => {
  it('leaves the user’s other browsers logged in', async () => {
    const username = await newUser();
    const [phone, desktop] = [await visits.visit(username), await visits.visit(username)];
    expect((await phone.caller.get('/user/logout')).status).toBe(200);
    expect(await isRefused(phone.caller)).toBe(true);
    expect((await visits.silently(phone.browser)).get('error')).toBe('login_required');
    expect(await isRefused(desktop.caller)).toBe(false);
    expect((await visits.silently(desktop.browser)).get('code')).toMatch(/^tpc_/);
  });
});

describe('a change of the password', () => {
  it('leaves the browser that asked logged in, and no other', async () => {
    const username = await newUser();
    const [phone, desktop] = [await visits.visit(username), await visits.visit(username)];
    const change = { current_password: `${username}-password`, new_password: 'another-password-9' };
    expect((await phone.caller.post('/user/password', change)).status).toBe(204);
    expect(await isRefused(phone.caller)).toBe(false);
    expect((await visits.silently(phone.browser)).get('code')).toMatch(/^tpc_/);
    expect(await isRefused(desktop.caller)).toBe(true);
    expect((await visits.silently(desktop.browser)).get('error')).toBe('login_required');
  });
});

async function tokenOf(username: string): Promise<string> {
  const answer = await new UserCaller(app.url).tryLogIn(username, `${username}-password`);
  return answer.body;
}
