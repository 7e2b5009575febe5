import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUDGETS } from '../../../src/kit/rate-limit/rate-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { recordStandardOutput } from '../../support/standard-output.js';
import type { Reply } from '../../support/caller.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

/** Wrong passwords per minute that one address may try for one user. */
const TRIES = BUDGETS.credential_failures.points;

function countsOf(answers: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const refusal = refusalOf(answer);
    counts[refusal] = (counts[refusal] ?? 0) + 1;
  }
  return counts;
}

describe('who guesses passwords', () => {
  let service: TestApp;
  beforeAll(async () => {
    service = await startTestApp({ trustProxy: 1 });
  });
  afterAll(() => service.close());

  /** Tries to log in from an address. */
  function tryLogIn(
    address: string,
    username: string,
    password: string,
    sentIn: 'header' | 'query' = 'header',
  ): Promise<Reply> {
    return new UserCaller(service.url).tryLogIn(username, password, sentIn, { 'x-forwarded-for': address });
  }

  it('gets a handful of tries out of a thousand, and keeps nobody else out', async () => {
    const answers: Reply[] = [];
    for (let burst = 0; burst < 10; burst++) {
      const guesses = Array.from({ length: 100 }, (_, i) =>
        tryLogIn('192.0.2.1', i % 2 ? 'alice' : 'ALICE', `guess ${burst} ${i}`, i % 3 ? 'header' : 'query'),
      );
      answers.push(...(await Promise.all(guesses)));
    }
    expect(countsOf(answers)).toEqual({
      '401 invalid_credentials': TRIES,
      '429 rate_limited': 1_000 - TRIES,
    });
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(answer.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
      expect(answer.body).toMatchObject({ error: { code: 'rate_limited' } });
    }
    expect(refusalOf(await tryLogIn('192.0.2.1', 'alice', 'alice-password'))).toBe('429 rate_limited');
    expect((await tryLogIn('192.0.2.1', 'bob', 'bob-password')).status).toBe(200);
    expect((await tryLogIn('198.51.100.7', 'alice', 'alice-password')).status).toBe(200);
  });

  it('learns nothing from being slowed down about who exists', async () => {
    const outcomes = await Promise.all(
      ['bob', 'nobody-at-all'].map(async (username) => {
        const answers: Reply[] = [];
        for (let i = 0; i <= TRIES; i++) answers.push(await tryLogIn('192.0.2.2', username, 'guess'));
        return answers.map(refusalOf);
      }),
    );
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]!.at(-1)).toBe('429 rate_limited');
  });

  it('is slowed down for many names too, from one address', async () => {
    const tries = BUDGETS.address_login_failures.points;
    const answers: Reply[] = [];
    for (let i = 0; i < tries + 40; i += 20) {
      const some = Array.from({ length: 20 }, (_, j) => tryLogIn('192.0.2.3', `name-${i + j}`, 'password'));
      answers.push(...(await Promise.all(some)));
    }
    expect(countsOf(answers)).toEqual({ '401 invalid_credentials': tries, '429 rate_limited': 40 });
    expect(refusalOf(await tryLogIn('192.0.2.3', 'bob', 'bob-password'))).toBe('429 rate_limited');
    expect((await tryLogIn('198.51.100.8', 'bob', 'bob-password')).status).toBe(200);
  });

  it('is not who knows the password, however often', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => tryLogIn('192.0.2.4', 'bob', 'bob-password')),
    );
    expect(countsOf(answers.filter(({ status }) => status !== 200))).toEqual({});
  });

  it.each([
    ['POST /user/password', '401 invalid_credentials'],
    ['PUT /user/{username}', '403 reauthentication_required'],
  ])('gets no more tries by a session and %s', async (route, refusal) => {
    const operator = await clientOf(service, 'admin');
    const username = `robbed-${route.slice(0, 3).toLowerCase()}`;
    expect((await operator.post('/user', { username, password: 'robbed-password' })).status).toBe(200);
    const stolen = await logIn(service, username, 'robbed-password', 'query');
    const from = { 'x-forwarded-for': '192.0.2.40' };
    const guess = (i: number): Promise<Reply> =>
      route.startsWith('POST')
        ? stolen.post('/user/password', { current_password: `guess ${i}`, new_password: 'thief' }, from)
        : stolen.send('PUT', `/user/${username}`, JSON.stringify({ password: `guess ${i}` }), from);
    const answers = await Promise.all(Array.from({ length: TRIES + 5 }, (_, i) => guess(i)));
    expect(countsOf(answers)).toEqual({ [refusal]: TRIES, '429 rate_limited': 5 });
    expect(refusalOf(await tryLogIn('192.0.2.40', username, 'robbed-password'))).toBe('429 rate_limited');
    expect((await tryLogIn('198.51.100.40', username, 'robbed-password')).status).toBe(200);
  });

  it('is who sets one password after the other', async () => {
    const operator = await clientOf(service, 'admin');
    const user = { username: 'fickle', password: 'fickle-password' };
    expect((await operator.post('/user', user)).status).toBe(200);
    const session = await logIn(service, user.username);
    const answers: Reply[] = [];
    for (let i = 0; i < BUDGETS.password_changes.points + 1; i++) {
      answers.push(await session.put('/user/fickle', { password: `password ${i}` }));
    }
    expect(answers.at(-2)!.status).toBe(200);
    expect(refusalOf(answers.at(-1)!)).toBe('429 rate_limited');
    expect((await session.put('/user/fickle', { firstName: 'Flip' })).status).toBe(200);
  });

  it('gets no more users by those whom it made, however long the chain', async () => {
    const operator = await clientOf(service, 'admin');
    const newUser = (name: string): object => ({ username: name, password: `${name}-password` });
    expect((await operator.post('/user', newUser('root'))).status).toBe(200);
    let last = await logIn(service, 'root');
    const root = last;
    for (let i = 1; i <= 10; i++) {
      expect((await last.post('/user', newUser(`link-${i}`))).status).toBe(200);
      last = await logIn(service, `link-${i}`);
    }
    const bulk = Array.from({ length: 11 }, (_, i) => newUser(`leaf-${i}`));
    expect(refusalOf(await last.post('/user/createWithList', bulk))).toBe('429 rate_limited');
    expect((await last.post('/user/createWithList', bulk.slice(0, 5))).status).toBe(200);
    const together = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 ? root : last).post('/user', newUser(`race-${i}`))),
    );
    expect(countsOf(together.filter(({ status }) => status !== 200))).toEqual({ '429 rate_limited': 5 });
    for (const maker of [root, last, await logIn(service, 'link-5')]) {
      expect(refusalOf(await maker.post('/user', newUser('one-more')))).toBe('429 rate_limited');
    }
    // A newly created user has a new budget.
    expect((await operator.post('/user', newUser('other-root'))).status).toBe(200);
    expect((await (await logIn(service, 'other-root')).post('/user', newUser('other'))).status).toBe(200);
  });

  it('makes twenty users an hour, also at the same time, unless it operates the service', async () => {
    const alice = await logIn(service, 'alice');
    let made = 0;
    const newUser = (): object => ({ username: `made-${++made}`, password: 'secret' });
    const bulk = await alice.post('/user/createWithList', Array.from({ length: 21 }, newUser));
    expect(refusalOf(bulk)).toBe('429 rate_limited');
    expect((await alice.post('/user/createWithList', Array.from({ length: 8 }, newUser))).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 24 }, () => alice.post('/user', newUser())));
    expect(countsOf(answers.filter(({ status }) => status !== 200))).toEqual({ '429 rate_limited': 12 });
    const retryAfterS = Number(answers.find(({ status }) => status === 429)!.headers.get('retry-after'));
    expect(retryAfterS).toBeGreaterThan(3_000);
    expect(retryAfterS).toBeLessThanOrEqual(3_600);

    await queryOnce(
      service.config.databaseUrl!,
      `UPDATE users SET created_at = created_at - interval '1 hour' WHERE username LIKE 'made-%'`,
    );
    expect((await alice.post('/user', newUser())).status).toBe(200);
    const operator = await clientOf(service, 'admin');
    expect((await operator.post('/user/createWithList', Array.from({ length: 25 }, newUser))).status).toBe(
      200,
    );
  });
});

describe('the log', () => {
  it('has no password, hash, token or personal field in it, whatever goes wrong', async () => {
    const log = recordStandardOutput();
    const service = await startTestApp({ logLevel: 'trace', rateLimits: 'off' });
    const secrets = ['alice-password', 'wr0ng-guess', 'new-secret-1', 'new-secret-2', 'Personal Name'];
    const keys: string[] = [];
    try {
      const anyone = new UserCaller(service.url);
      const alice = await logIn(service, 'alice', 'alice-password', 'query');
      await logIn(service, 'alice', 'alice-password', 'header');
      await anyone.tryLogIn('alice', 'wr0ng-guess', 'query');
      await anyone.tryLogIn('alice', 'wr0ng-guess', 'header');
      await alice.post('/user', { username: 'logged', password: 'new-secret-1', firstName: 'Personal Name' });
      await alice.post('/user', { username: 'logged', password: ['new-secret-1'] });
      await alice.post('/user', { username: 'logged', password: 'new-secret-1' });
      await alice.put('/user/alice', { password: 'new-secret-2', firstName: 'Personal Name' });
      await alice.post('/user/password', { current_password: 'wr0ng-guess', new_password: 'new-secret-2' });
      await alice.post('/user/password', {
        current_password: 'alice-password',
        new_password: 'new-secret-2',
      });
      for (const path of ['/auth/clients', '/auth/api-keys']) {
        const { body } = await alice.post(path, { name: 'x', scopes: ['account:read'] });
        keys.push(body.client_secret ?? body.api_key);
      }
      // The database's own errors carry the statement and its parameters.
      await queryOnce(service.config.databaseUrl!, 'ALTER TABLE users RENAME COLUMN phone TO telephone');
      const operator = await clientOf(service, 'admin');
      const broken = await operator.post('/user', {
        username: 'broken',
        password: 'new-secret-1',
        firstName: 'Personal Name',
      });
      expect(refusalOf(broken)).toBe('500 internal_error');
      await anyone.tryLogIn('alice', 'wr0ng-guess', 'query');
    } finally {
      await service.close();
      log.stop();
    }
    expect(log.text()).toContain('/user/login');
    expect(log.text()).toContain('column \\"phone\\" of relation \\"users\\" does not exist');
    for (const secret of [...secrets, ...keys]) expect(log.text()).not.toContain(secret);
    expect(log.text()).not.toMatch(/\$argon2id\$|tp[acklrs]_[\w-]{43}/);
  });
});
