import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import type { Reply } from '../../support/caller.js';
import {
  basic,
  clientOf,
  logIn,
  refusalOf,
  type User,
  UserCaller,
} from '../../support/clients/users-client.js';

let service: TestApp;
let anyone: UserCaller;
let alice: UserCaller;
let operator: UserCaller;

beforeAll(async () => {
  service = await startTestApp({ rateLimits: 'off' });
  anyone = new UserCaller(service.url);
  alice = await logIn(service, 'alice');
  operator = await clientOf(service, 'admin');
});
afterAll(() => service.close());

let made = 0;

/** The body of a user with an unused name. */
function newUser(fields: object = {}): { username: string; password: string } {
  return { username: `user-${++made}`, password: 'correct horse', ...fields };
}

/** A new user and a session of it. */
async function makeUser(
  fields: object = {},
): Promise<{ username: string; password: string; session: UserCaller }> {
  const user = newUser(fields);
  expect((await operator.post('/user', user)).status).toBe(200);
  return { ...user, session: await logIn(service, user.username, user.password) };
}

function rowsOf(username: string): Promise<Record<string, unknown>[]> {
  return queryOnce(service.config.databaseUrl!, 'SELECT * FROM users WHERE username = $1', [username]);
}

describe('POST /user', () => {
  it('makes a user with everything that it says of itself, and an account', async () => {
    const answer = await alice.post('/user', {
      username: 'Carol',
      firstName: 'Carol',
      lastName: 'Jones',
      email: 'carol@example.com',
      password: '12345',
      phone: '555',
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body).toEqual({
      id: expect.any(Number) as number,
      username: 'Carol',
      firstName: 'Carol',
      lastName: 'Jones',
      email: 'carol@example.com',
      password: '********',
      phone: '555',
      userStatus: 0,
    });
    const carol = await logIn(service, 'carol', '12345');
    expect((await carol.get('/user/CAROL')).body).toEqual(answer.body);
    const accounts = (await carol.get('/accounts')).body as { data: unknown[] };
    expect(accounts.data).toHaveLength(1);
    expect(await rowsOf('Carol')).toMatchObject([
      { created_by: expect.stringMatching(/^user:\d+$/) as string, is_operator: false },
    ]);
  });

  it('takes the id, the status and the role of nobody but itself', async () => {
    const { username, password } = newUser();
    const answer = await alice.post('/user', { username, password, id: 1, userStatus: 2 });
    expect(answer.status).toBe(200);
    expect((answer.body as User).id).toBeGreaterThan(3);
    expect((answer.body as User).userStatus).toBe(0);
    for (const field of [
      'is_operator',
      'isOperator',
      'created_by',
      'createdBy',
      'passwordHash',
      'scopes',
      'role',
    ]) {
      const refused = await alice.post('/user', newUser({ [field]: true }));
      expect(refusalOf(refused), field).toBe('400 validation_failed');
    }
    const proto = '{"__proto__":{"isOperator":true},"username":"x1","password":"secret"}';
    expect((await alice.send('POST', '/user', proto)).status).toBe(400);
  });

  it.each([
    ['no username', { username: undefined }],
    ['no password', { password: undefined }],
    ['a short password', { password: 'four' }],
    ['the constant for a password', { password: '********' }],
    ['a number for a password', { password: 12345678 }],
    ['an empty username', { username: '' }],
    ['a space', { username: 'a b' }],
    ['a slash', { username: 'a/b' }],
    ['65 characters', { username: 'a'.repeat(65) }],
    ['a dotless i', { username: 'al\u0131ce' }],
    ['a Cyrillic a', { username: '\u0430lice' }],
    ['a Kelvin sign', { username: '\u212Aate' }],
    ['a fullwidth a', { username: '\uFF41lice' }],
    ['a zero-width space', { username: 'alice\u200B' }],
    ['a newline at the end', { username: 'alice2\n' }],
    ['me', { username: 'me' }],
    ['a route, in another case', { username: 'LogIn' }],
    ['createwitharray', { username: 'createWithArray' }],
    ['the folder itself', { username: '.' }],
    ['the folder above', { username: '..' }],
    ['a list for a name', { firstName: ['a'] }],
    ['an endless name', { firstName: 'a'.repeat(101) }],
  ])('refuses %s', async (_what, fields) => {
    expect(refusalOf(await alice.post('/user', newUser(fields)))).toBe('400 validation_failed');
  });

  it('never gives a name twice, in whatever case', async () => {
    const { username } = await makeUser();
    expect(refusalOf(await alice.post('/user', newUser({ username })))).toBe('409 username_taken');
    const upper = username.toUpperCase();
    expect(refusalOf(await alice.post('/user', newUser({ username: upper })))).toBe('409 username_taken');
  });

  it('gives a name to one of many that ask for it at the same time', async () => {
    const user = newUser();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => operator.post('/user', { ...user, firstName: `${i}` })),
    );
    expect(answers.map(refusalOf).filter((refusal) => refusal === '409 username_taken')).toHaveLength(7);
    const winner = answers.find(({ status }) => status === 200)!.body as User;
    const session = await logIn(service, user.username, user.password);
    expect((await session.get(`/user/${user.username}`)).body).toEqual(winner);
  });

  it('takes a logged-in user or an operator, and no client or key of anyone', async () => {
    expect(refusalOf(await anyone.post('/user', newUser()))).toBe('401 authentication_required');
    expect(refusalOf(await (await clientOf(service, 'demo')).post('/user', newUser()))).toBe('403 forbidden');
    expect(refusalOf(await anyone.withApiKey('special-key').post('/user', newUser()))).toBe('403 forbidden');
    expect((await operator.post('/user', newUser())).status).toBe(200);
  });

  it('is safe to repeat by Idempotency-Key', async () => {
    const user = newUser();
    const key = { 'idempotency-key': `create ${user.username}` };
    const first = await alice.post('/user', user, key);
    const second = await alice.post('/user', user, key);
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    const other = await alice.post('/user', { ...user, firstName: 'Other' }, key);
    expect(refusalOf(other)).toBe('422 idempotency_key_reused');
  });
});

describe('bulk', () => {
  it('makes all, and answers all or the first', async () => {
    const users = [newUser(), newUser({ firstName: 'Second' }), newUser()];
    const all = await alice.post('/user/createWithArray', users);
    expect(all.status, JSON.stringify(all.body)).toBe(200);
    expect((all.body as User[]).map(({ username }) => username)).toEqual(
      users.map(({ username }) => username),
    );
    for (const { username, password } of users) await logIn(service, username, password);

    const list = [newUser(), newUser()];
    const first = await alice.post('/user/createWithList', list);
    expect(first.body).toMatchObject({ username: list[0]!.username, password: '********' });
    await logIn(service, list[1]!.username, list[1]!.password);
  });

  it('makes none where one is refused', async () => {
    const good = newUser();
    const attempts: [unknown, string][] = [
      [[good, newUser({ username: 'alice' })], '409 username_taken'],
      [[good, newUser({ password: 'x' })], '400 validation_failed'],
      [[good, { ...good, username: good.username.toUpperCase() }], '400 validation_failed'],
      [[good, null], '400 validation_failed'],
      [[good, [good]], '400 validation_failed'],
      [[good, 'text'], '400 validation_failed'],
    ];
    for (const [body, refusal] of attempts) {
      expect(refusalOf(await alice.post('/user/createWithArray', body))).toBe(refusal);
      expect(refusalOf(await alice.post('/user/createWithList', body))).toBe(refusal);
    }
    expect(await rowsOf(good.username)).toEqual([]);
  });

  it('says which item is wrong', async () => {
    const { body } = await alice.post('/user/createWithArray', [newUser(), { username: 'no name' }]);
    const fields = (body as { error: { details: { field: string }[] } }).error.details.map(
      ({ field }) => field,
    );
    expect(new Set(fields)).toEqual(new Set(['1.username', '1.password']));
  });

  it('takes 1 to 100', async () => {
    for (const body of [[], {}, Array.from({ length: 101 }, () => newUser())]) {
      expect(refusalOf(await alice.post('/user/createWithList', body))).toBe('400 validation_failed');
    }
    expect((await alice.send('POST', '/user/createWithList')).status).toBe(400);
  });

  it('lets two bulks with the same names in another order wait for each other, not in a circle', async () => {
    const users = Array.from({ length: 6 }, () => newUser());
    const answers = await Promise.all(
      [users, users.toReversed(), users, users.toReversed()].map((body) =>
        operator.post('/user/createWithArray', body),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });
});

describe('GET /user/login', () => {
  it('answers a token as a JSON string, and how long it lasts', async () => {
    const before = Date.now();
    const { status, headers, body } = await anyone.get('/user/login?username=bob&password=bob-password');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatch(/^tpa_[\w-]{43}$/);
    expect(headers.get('x-rate-limit')).toMatch(/^\d+$/);
    const expiresInMs = Date.parse(headers.get('x-expires-after')!) - before;
    expect(expiresInMs).toBeGreaterThan(11.9 * 3_600_000);
    expect(expiresInMs).toBeLessThan(12.1 * 3_600_000);
    expect((await anyone.withBearer(body as string).get('/user/bob')).status).toBe(200);
  });

  it.each([
    ['nothing', ''],
    ['no password', '?username=alice'],
    ['no username', '?password=alice-password'],
    ['an empty password', '?username=alice&password='],
    ['two passwords', '?username=alice&password=a&password=alice-password'],
    ['an endless password', `?username=alice&password=${'x'.repeat(257)}`],
  ])('refuses %s with 400', async (_what, query) => {
    expect(refusalOf(await anyone.get(`/user/login${query}`))).toBe('400 validation_failed');
  });

  it.each(['%E0%A4%A', '%', '%zz', '%00', '%ff%fe', '%ed%a0%80'])(
    'refuses the broken escape %s with 400',
    async (escape) => {
      expect(refusalOf(await anyone.get(`/user/login?username=alice&password=${escape}`))).toBe(
        '400 malformed_request',
      );
      expect((await alice.get(`/user/${escape}`)).status).toBe(400);
    },
  );

  it('refuses whatever is wrong alike', async () => {
    const { username, password, session } = await makeUser();
    await session.delete(`/user/${username}`);
    const refusals = await Promise.all(
      [
        basic('alice', 'wrong'),
        basic('nobody', 'wrong'),
        basic(username, password),
        basic('alice\u0000', 'alice-password'),
        basic('\u212Aate', 'x'),
        basic('', ''),
        { authorization: 'Basic' },
        { authorization: 'Basic ???' },
        { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
      ].map(async (headers) => {
        const answer = await anyone.send('GET', '/user/login', undefined, headers);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
        const { code, message } = (answer.body as { error: { code: string; message: string } }).error;
        return `${answer.status} ${code} ${message}`;
      }),
    );
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toMatch(/^401 invalid_credentials/);
  });

  it('takes passwords in any script', async () => {
    const password = 'пароль ☃ é:%41&+';
    const { username } = await makeUser({ password });
    await logIn(service, username, password, 'query');
    await logIn(service, username, password.normalize('NFD'), 'header');
  });

  it('gives less for a password in the query, and the scope admin to operators alone', async () => {
    const scopesBy = async (session: UserCaller): Promise<string[]> => {
      const [row] = await queryOnce<{ scopes: string[] }>(
        service.config.databaseUrl!,
        'SELECT scopes FROM oauth_tokens WHERE issued_at = (SELECT max(issued_at) FROM oauth_tokens)',
      );
      expect((await session.get('/accounts')).status).toBe(200);
      return row!.scopes;
    };
    const byHeader = await scopesBy(await logIn(service, 'alice'));
    expect(byHeader).toEqual(expect.arrayContaining(['wallets:sign', 'banking:write', 'write:pets']));
    expect(byHeader).not.toContain('admin');
    const byQuery = await scopesBy(await logIn(service, 'admin', 'admin-password', 'query'));
    expect(byQuery).toEqual(expect.arrayContaining(['markets:trade', 'wallets:read', 'read:pets']));
    for (const scope of ['admin', 'wallets:write', 'wallets:sign', 'banking:write', 'news:webhooks']) {
      expect(byQuery).not.toContain(scope);
    }
    expect(await scopesBy(await logIn(service, 'admin'))).toContain('admin');
  });
});

describe('GET /user/logout', () => {
  it('ends this session and no other', async () => {
    const { username, password, session } = await makeUser();
    const other = await logIn(service, username, password);
    expect((await session.get('/user/logout')).status).toBe(200);
    expect(refusalOf(await session.get(`/user/${username}`))).toBe('401 invalid_token');
    expect(refusalOf(await session.get('/user/logout'))).toBe('401 invalid_token');
    expect((await other.get(`/user/${username}`)).status).toBe(200);
  });

  it('is for sessions', async () => {
    expect(refusalOf(await anyone.get('/user/logout'))).toBe('401 authentication_required');
    expect(refusalOf(await operator.get('/user/logout'))).toBe('403 forbidden');
    expect(refusalOf(await anyone.withApiKey('special-key').get('/user/logout'))).toBe('403 forbidden');
  });
});

describe('a user', () => {
  it('is seen by its own session and by operators, and by nobody else', async () => {
    const { username, session } = await makeUser({ firstName: 'Ada' });
    const seen = await session.get(`/user/${username}`);
    expect(seen.body).toMatchObject({ username, firstName: 'Ada', password: '********', userStatus: 0 });
    expect((await operator.get(`/user/${username}`)).body).toEqual(seen.body);
    const nobody = await alice.get('/user/nobody-at-all');
    for (const caller of [alice, await clientOf(service, 'demo'), anyone.withApiKey('special-key')]) {
      for (const answer of [
        await caller.get(`/user/${username}`),
        await caller.put(`/user/${username}`, { firstName: 'Eve' }),
        await caller.delete(`/user/${username}`),
      ]) {
        expect(refusalOf(answer)).toBe('404 not_found');
        expect(messageOf(answer)).toBe(messageOf(nobody));
      }
    }
    expect((await session.get(`/user/${username}`)).body).toEqual(seen.body);
  });

  it.each(['a b', 'x'.repeat(65), '%2e%2e%2f', 'a%2fb', 'al%C4%B1ce', '%F0%9F%98%80', "'--"])(
    'cannot be called %s',
    async (name) => {
      const path = `/user/${name.includes('%') ? name : encodeURIComponent(name)}`;
      expect(refusalOf(await alice.get(path))).toBe('400 validation_failed');
    },
  );

  it('changes what it says of itself, and nothing else', async () => {
    const { username, session } = await makeUser({ firstName: 'Ada', email: 'ada@example.com' });
    const before = (await session.get(`/user/${username}`)).body as User;
    const changed = await session.put(`/user/${username}`, {
      ...before,
      firstName: 'Eva',
      id: 1,
      userStatus: 1,
    });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect(changed.body).toEqual({ ...before, firstName: 'Eva' });
    expect((await session.put(`/user/${username}`, {})).body).toEqual(changed.body);
    expect((await session.put(`/user/${username}`, { firstName: null, email: '' })).body).toEqual({
      ...before,
      firstName: 'Eva',
      email: '',
    });
    for (const body of [{ username: 'another' }, { isOperator: true }, { password: 'x' }, { firstName: 7 }]) {
      expect(refusalOf(await session.put(`/user/${username}`, body))).toBe('400 validation_failed');
    }
  });

  it('keeps its password where the constant is sent back', async () => {
    const { username, password, session } = await makeUser();
    const other = await logIn(service, username, password);
    const whole = (await session.get(`/user/${username}`)).body as User;
    expect((await session.put(`/user/${username}`, whole)).body).toEqual(whole);
    expect((await other.get(`/user/${username}`)).status).toBe(200);
    await logIn(service, username, password);
  });

  it('ends its other sessions by a new password, at once', async () => {
    const { username, password, session } = await makeUser();
    const others = await Promise.all([1, 2, 3].map(() => logIn(service, username, password)));
    for (const other of others) expect((await other.get(`/user/${username}`)).status).toBe(200);
    expect((await session.put(`/user/${username}`, { password: 'something new' })).status).toBe(200);
    for (const other of others) {
      expect(refusalOf(await other.get(`/user/${username}`))).toBe('401 invalid_token');
    }
    expect((await session.get(`/user/${username}`)).status).toBe(200);
    const old = await anyone.tryLogIn(username, password);
    expect(refusalOf(old)).toBe('401 invalid_credentials');
    await logIn(service, username, 'something new');
  });

  it('leaves no session by the old password, whenever it was changed', async () => {
    const { username, password, session } = await makeUser();
    const logIns: Promise<Reply>[] = [];
    for (let i = 0; i < 12; i++) {
      logIns.push(anyone.tryLogIn(username, password));
      if (i === 6) await session.put(`/user/${username}`, { password: 'something new' });
    }
    for (const { status, body } of await Promise.all(logIns)) {
      if (status !== 200) continue;
      const old = await anyone.withBearer(body as string).get(`/user/${username}`);
      expect(refusalOf(old)).toBe('401 invalid_token');
    }
  });

  it('gets a new password from an operator, which ends all sessions', async () => {
    const { username, session } = await makeUser();
    expect((await operator.put(`/user/${username}`, { password: 'from the desk' })).status).toBe(200);
    expect(refusalOf(await session.get(`/user/${username}`))).toBe('401 invalid_token');
    await logIn(service, username, 'from the desk');
  });
});

describe('a stolen session', () => {
  /** Moves the log-in time of all sessions of a user; call it before a session is used and cached. */
  async function moveLogIns(username: string, by: string): Promise<void> {
    await queryOnce(
      service.config.databaseUrl!,
      `UPDATE oauth_tokens SET issued_at = issued_at + $2::interval
       WHERE user_id = (SELECT user_id FROM users WHERE username = $1)`,
      [username, by],
    );
  }
  const another = { password: 'the thief’s own' };

  it('of a log-in by the query sets no password', async () => {
    const { username, password } = await makeUser();
    const stolen = await logIn(service, username, password, 'query');
    expect(refusalOf(await stolen.put(`/user/${username}`, another))).toBe('403 reauthentication_required');
    expect((await stolen.put(`/user/${username}`, { firstName: 'Ada' })).status).toBe(200);
    await logIn(service, username, password);
  });

  it.each([
    ['was logged in more than ten minutes ago', '-11 minutes'],
    ['says to be logged in later than now', '11 minutes'],
  ])('that %s sets no password', async (_which, by) => {
    const { username, password } = await makeUser();
    const stolen = await logIn(service, username, password);
    await moveLogIns(username, by);
    expect(refusalOf(await stolen.put(`/user/${username}`, another))).toBe('403 reauthentication_required');
    await logIn(service, username, password);
  });

  it('of before it was kept how sessions were logged in sets no password', async () => {
    const { username, password } = await makeUser();
    const stolen = await logIn(service, username, password);
    await queryOnce(service.config.databaseUrl!, 'UPDATE oauth_tokens SET login_method = NULL');
    expect(refusalOf(await stolen.put(`/user/${username}`, another))).toBe('403 reauthentication_required');
  });

  it('of an operator sets nobody’s password', async () => {
    const { username, password } = await makeUser();
    const stolen = await logIn(service, 'admin', 'admin-password');
    await moveLogIns('admin', '-11 minutes');
    expect(refusalOf(await stolen.put(`/user/${username}`, another))).toBe('403 reauthentication_required');
    expect(refusalOf(await stolen.put('/user/admin', another))).toBe('403 reauthentication_required');
    await logIn(service, username, password);
  });

  it('may send the whole user back, with the password that it has', async () => {
    const { username, password } = await makeUser();
    const [session, other] = await Promise.all([
      logIn(service, username, password, 'query'),
      logIn(service, username, password),
    ]);
    const [before] = await rowsOf(username);
    for (const same of [password, '********', null]) {
      const { status } = await session.put(`/user/${username}`, { password: same, firstName: 'Ada' });
      expect(status).toBe(200);
    }
    expect((await rowsOf(username))[0]).toEqual({ ...before, first_name: 'Ada' });
    expect((await other.get(`/user/${username}`)).status).toBe(200);
  });
});

describe('POST /user/password', () => {
  it('takes the present password, by whatever session, and ends all other sessions', async () => {
    const { username, password, session: other } = await makeUser();
    const session = await logIn(service, username, password, 'query');
    const change = (current_password: string): Promise<Reply> =>
      session.post('/user/password', { current_password, new_password: 'something new' });
    expect(refusalOf(await change('a guess'))).toBe('401 invalid_credentials');
    expect((await other.get(`/user/${username}`)).status).toBe(200);
    const changed = await change(password);
    expect(changed).toMatchObject({ status: 204 });
    expect(refusalOf(await other.get(`/user/${username}`))).toBe('401 invalid_token');
    expect((await session.get(`/user/${username}`)).status).toBe(200);
    expect(refusalOf(await anyone.tryLogIn(username, password))).toBe('401 invalid_credentials');
    await logIn(service, username, 'something new');
  });

  it('is for users themselves, and for nobody who acts for them', async () => {
    const { password, session } = await makeUser();
    const body = { current_password: password, new_password: 'something new' };
    const key = await session.post('/auth/api-keys', { name: 'Key', scopes: ['account:read'] });
    const client = await session.post('/auth/clients', { name: 'Client', scopes: ['account:read'] });
    const token = await anyone.tryToken(client.body.client_id, client.body.client_secret);
    for (const caller of [
      anyone.withApiKey(key.body.api_key),
      anyone.withBearer(token.body.access_token),
      operator,
    ]) {
      expect(refusalOf(await caller.post('/user/password', body))).toBe('403 forbidden');
    }
    expect(refusalOf(await anyone.post('/user/password', body))).toBe('401 authentication_required');
  });

  it.each([
    ['no present password', { current_password: null }],
    ['a short password', { new_password: 'four' }],
    ['the constant', { new_password: '********' }],
    ['a list', { new_password: ['something new'] }],
  ])('refuses %s', async (_what, fields) => {
    const body = { current_password: 'alice-password', new_password: 'something new', ...fields };
    expect(refusalOf(await alice.post('/user/password', body))).toBe('400 validation_failed');
  });

  it('is won by one of many changes at the same time', async () => {
    const { username, password, session } = await makeUser();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        session.post('/user/password', { current_password: password, new_password: `new-${i}` }),
      ),
    );
    const won = answers.flatMap(({ status }, i) => (status === 204 ? [i] : []));
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 204)) {
      expect(['401 invalid_credentials', '409 conflict']).toContain(refusalOf(answer));
    }
    await logIn(service, username, `new-${won[0]}`);
  });

  it('ends what other processes remember within a second or so', async () => {
    const { username, password, session } = await makeUser();
    const elsewhere = await startTestApp({ databaseUrl: service.config.databaseUrl, seedDemo: false });
    try {
      const other = await logIn(elsewhere, username, password);
      expect((await other.get(`/user/${username}`)).status).toBe(200);
      const body = { current_password: password, new_password: 'something new' };
      expect((await session.post('/user/password', body)).status).toBe(204);
      await eventually(
        async () => (await other.get(`/user/${username}`)).status === 401,
        'the session has ended in the other process',
      );
    } finally {
      await elsewhere.close();
    }
  });
});

describe('DELETE /user/{username}', () => {
  it('closes the user: nobody, by any credential, ever again', async () => {
    const { username, password, session } = await makeUser({ firstName: 'Ada', email: 'ada@example.com' });
    const other = await logIn(service, username, password);
    expect((await session.delete(`/user/${username}`)).status).toBe(200);
    for (const ended of [session, other]) {
      expect(refusalOf(await ended.get(`/user/${username}`))).toBe('401 invalid_token');
    }
    for (const answer of [
      await operator.get(`/user/${username}`),
      await operator.put(`/user/${username}`, { password: 'come back' }),
      await operator.delete(`/user/${username}`),
      await operator.post('/admin/operators', { username }),
    ]) {
      expect(refusalOf(answer)).toBe('404 not_found');
    }
    expect(refusalOf(await operator.post('/user', newUser({ username })))).toBe('409 username_taken');
    const [row] = await rowsOf(username);
    expect(row).toMatchObject({
      user_status: 2,
      first_name: null,
      email: null,
      password_hash: null,
      is_operator: false,
    });
    const owner = `user:${row!['user_id'] as string}`;
    const accounts = await queryOnce(service.config.databaseUrl!, 'SELECT 1 FROM accounts WHERE owner = $1', [
      owner,
    ]);
    expect(accounts).toHaveLength(1);
  });

  it('asks who closes oneself to take out what is left first, and lists it', async () => {
    const { username, session } = await makeUser();
    const { body: accounts } = await session.get('/accounts');
    const [{ account_id: own }] = accounts.data as [{ account_id: string }];
    expect((await session.post('/accounts', { name: 'Desk' })).status).toBe(201);
    const { body: wallet } = await session.post('/wallets', { name: 'Mine' });
    const deposit = { asset: 'USD', amount: '100', reference: 'in cash' };
    for (const id of [own, wallet.account_id]) await operator.post(`/admin/accounts/${id}/deposits`, deposit);
    const maker = await clientOf(service, 'maker');
    const contract = { market_id: 'RAIN-LISBON', type: 'limit', price: '0.4', size: '10' };
    await maker.place({ ...contract, side: 'sell' });
    await session.place({ ...contract, side: 'buy' });
    await session.place({ ...contract, side: 'buy', price: '0.1' });
    const refused = await session.delete(`/user/${username}`);
    expect(refusalOf(refused)).toBe('409 account_not_empty');
    expect(refused.body.error.message).toContain(`96 USD in ${own}`);
    expect(refused.body.error.details).toEqual([
      { field: own, message: '96 USD' },
      { field: own, message: '1 open order in RAIN-LISBON' },
      { field: own, message: 'a position of 10 in RAIN-LISBON' },
      { field: wallet.account_id, message: '100 USD' },
    ]);
    expect((await session.get(`/user/${username}`)).body.userStatus).toBe(0);
    expect((await session.get('/orders?status=open')).body.data).toHaveLength(1);

    // The sub-account was empty all the time.
    expect((await session.delete('/orders?market_id=RAIN-LISBON')).status).toBe(200);
    await maker.place({ ...contract, side: 'buy' });
    expect(await session.place({ ...contract, side: 'sell' })).toMatchObject({ status: 'filled' });
    const [{ account_id: makers }] = (await maker.get('/accounts')).body.data;
    const destination = { type: 'account', account_id: makers };
    const { total } = await session.balance('USD');
    const all = { asset: 'USD', amount: total, destination };
    expect((await session.post(`/accounts/${own}/transfers`, all)).status).toBe(201);
    expect(refusalOf(await session.delete(`/user/${username}`))).toBe('409 account_not_empty');
    const rest = { ...all, amount: '100' };
    expect((await session.post(`/wallets/${wallet.wallet_id}/transfers`, rest)).status).toBe(201);
    expect((await session.delete(`/user/${username}`)).status).toBe(200);
  });

  it('by an operator cancels what the user has in the books, and leaves the money', async () => {
    const { username, session } = await makeUser();
    const { body: accounts } = await session.get('/accounts');
    const [account] = (accounts as { data: { account_id: string }[] }).data;
    const deposit = { asset: 'USD', amount: '100', reference: 'in cash' };
    await operator.post(`/admin/accounts/${account!.account_id}/deposits`, deposit);
    const order = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '10' };
    expect((await session.post('/orders', order)).status).toBe(201);
    expect((await operator.delete(`/user/${username}`)).status).toBe(200);
    // The tables follow the answer.
    await eventually(async () => {
      const balances = await queryOnce(
        service.config.databaseUrl!,
        `SELECT available > 0 AS is_there, held::text FROM balances JOIN accounts USING (account_id)
          WHERE owner = (SELECT 'user:' || user_id FROM users WHERE username = $1)`,
        [username],
      );
      expect(balances).toEqual([{ is_there: true, held: '0' }]);
    });
    expect(await operator.get('/admin/ledger/check')).toMatchObject({ body: { balanced: true } });
  });

  it('never closes the last operator, however many are closed at once', async () => {
    const extra = await Promise.all([1, 2, 3].map(() => makeUser()));
    for (const { username } of extra) {
      expect((await operator.post('/admin/operators', { username })).status).toBe(201);
    }
    const names = ['admin', ...extra.map(({ username }) => username)];
    const answers = await Promise.all(names.map((name) => operator.delete(`/user/${name}`)));
    expect(answers.map(refusalOf).filter((refusal) => refusal === '409 conflict')).toHaveLength(1);
    const left = names[answers.findIndex(({ status }) => status === 409)]!;
    expect((await operator.get(`/user/${left}`)).status).toBe(200);
    expect(refusalOf(await operator.delete(`/user/${left}`))).toBe('409 conflict');
  });
});

describe('POST /admin/operators', () => {
  it('lets a user operate from the next log-in on', async () => {
    const { username, password, session } = await makeUser();
    expect(refusalOf(await session.post('/admin/operators', { username }))).toBe('403 insufficient_scope');
    const answer = await operator.post('/admin/operators', { username: username.toUpperCase() });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body).toMatchObject({ username });
    expect(refusalOf(await session.get('/user/alice'))).toBe('404 not_found');
    const promoted = await logIn(service, username, password);
    expect((await promoted.get('/user/alice')).status).toBe(200);
    expect((await promoted.post('/admin/operators', { username })).status).toBe(201);
  });

  it('knows nobody but users', async () => {
    expect(refusalOf(await operator.post('/admin/operators', { username: 'nobody' }))).toBe('404 not_found');
    expect(refusalOf(await operator.post('/admin/operators', { username: 'no name' }))).toBe(
      '400 validation_failed',
    );
  });
});

function messageOf({ body }: Reply): string {
  return (body as { error: { message: string } }).error.message;
}
