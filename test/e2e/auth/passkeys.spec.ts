import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { approve, expectStatus, OPERATORS, proposed, userMadeBy } from '../admin/approvals-client.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import {
  logInByPasskey,
  optionsOf,
  register,
  stepUpBy,
  tryPasskey,
} from '../../support/clients/passkeys-client.js';
import { clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { type Deviation, FLAGS, SoftwarePasskey } from '../../support/software-passkey.js';

const NO_SUCH = '401 invalid_credentials';
const NOT_PROVED = '400 validation_failed';
const ANOTHER_NEEDED = '401 second_factor_required';
const STEP_UP = '403 step_up_required';

let app: TestApp;
let database: pg.Client;
let people = 0;

/** Lets time go by for the service, without waiting. */
function wait(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

const newPasskey = (...kind: ['ES256' | 'EdDSA', (number | null)?]): SoftwarePasskey =>
  new SoftwarePasskey(app.config.publicUrl, ...kind);

async function newPerson(by = app): Promise<{ username: string; session: UserCaller }> {
  const username = `key-holder-${++people}`;
  const made = await (await logIn(by, 'alice')).post('/user', { username, password: `${username}-password` });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return { username, session: await logIn(by, username) };
}

interface Holder {
  readonly username: string;
  readonly session: UserCaller;
  readonly passkey: SoftwarePasskey;
  readonly created: Json;
}

async function newHolder(passkey = newPasskey('ES256'), by = app): Promise<Holder> {
  const { username, session } = await newPerson(by);
  return { username, session, ...(await register(by, session, passkey)) };
}

const byPassword = (username: string, code?: string, by = app): Promise<Reply> =>
  new UserCaller(by.url).tryLogIn(
    username,
    `${username}-password`,
    'header',
    code === undefined ? {} : { 'x-otp': code },
  );

async function outcomeOf(reply: Promise<Reply>): Promise<string> {
  const answer = await reply;
  return answer.status < 300 ? 'done' : refusalOf(answer);
}

async function auditOf(username: string, action: string): Promise<Json[]> {
  const { rows } = await database.query(
    `SELECT actor_credential, outcome, details FROM audit_log
      WHERE action = $2 AND target_id = $1 ORDER BY audit_id`,
    [username, action],
  );
  return rows;
}

/** What no authenticator of the right kind, or no browser at the right place, would send. */
const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'of a challenge that nobody issued': { challenge: 'AAAA' },
  'of no challenge': { challenge: null },
  'of a challenge that is no text': { challenge: { toString: 1 } },
  'from another origin': { origin: 'https://tradepost.example' },
  'from another port': { origin: 'http://127.0.0.1:1' },
  'for another host': { rpId: 'evil.example' },
  'without anybody verified': { flags: FLAGS.present },
  'without anybody present': { flags: FLAGS.verified },
  'backed up, though it cannot be': { flags: FLAGS.present | FLAGS.verified | FLAGS.backedUp },
};

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  app = await startTestApp({ rateLimits: 'off' });
  database = new pg.Client({ connectionString: app.config.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await app?.close();
  vi.useRealTimers();
});

describe('a passkey', () => {
  it.each(['ES256', 'EdDSA'] as const)(
    'of %s is registered, and logs in without a password',
    async (kind) => {
      const { username, session } = await newPerson();
      const passkey = newPasskey(kind);
      const options = await optionsOf(session.post('/user/passkeys/options', {}));
      expect(options).toMatchObject({
        rp: { id: '127.0.0.1', name: 'Tradepost' },
        user: { name: username, displayName: username },
        attestation: 'none',
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      const response = passkey.create(options);
      const created = await session.post('/user/passkeys', { name: 'Phone 📱', response });
      expect(created.status, JSON.stringify(created.body)).toBe(201);
      expect(created.body).toEqual({
        passkey_id: expect.stringMatching(/^psk_/),
        name: 'Phone 📱',
        transports: ['internal'],
        aaguid: '00000000-0000-0000-0000-000000000000',
        is_backed_up: false,
        created_at: new Date().toISOString(),
        last_used_at: null,
        recovery_codes: expect.any(Array),
      });
      expect(created.body.recovery_codes).toHaveLength(10);

      const asked = await optionsOf(new UserCaller(app.url).post('/user/passkeys/log-in/options', {}));
      expect(asked).toMatchObject({ rpId: '127.0.0.1', userVerification: 'required', allowCredentials: [] });
      const begun = await tryPasskey(app, passkey);
      expect(begun.body).toEqual({ token: expect.stringMatching(/^tpa_/), expires_at: expect.any(String) });
      const own = new UserCaller(app.url).withBearer(begun.body.token);
      expect((await own.get('/oauth/userinfo')).body.preferred_username ?? username).toBe(username);
      const { recovery_codes: _, ...listed } = created.body;
      expect((await own.get('/user/passkeys')).body).toEqual({
        data: [{ ...listed, last_used_at: new Date().toISOString() }],
        next_cursor: null,
      });
      expect((await own.get('/accounts')).body.data).not.toEqual([]);
      expect(await outcomeOf(own.put(`/user/${username}`, { password: 'another-password' }))).toBe('done');
      expect(await auditOf(username, 'logInByPasskey')).toEqual([
        {
          actor_credential: `passkey:${username}`,
          outcome: 'succeeded',
          details: { login_method: 'passkey', proved_by: 'passkey' },
        },
      ]);
    },
  );

  it('is a second factor: the password alone does not log in, and with a recovery code it does, once', async () => {
    const { username, session, created } = await newHolder();
    const refused = await byPassword(username);
    expect(refusalOf(refused)).toBe(ANOTHER_NEEDED);
    expect(refused.body.error.message).toMatch(/recovery code.*X-OTP.*passkey/);
    const [first, second] = created.recovery_codes as [string, string];
    expect((await byPassword(username, first)).status).toBe(200);
    expect(refusalOf(await byPassword(username, first))).toBe(ANOTHER_NEEDED);
    const again = await register(app, session);
    expect(again.created.recovery_codes).toBeNull();
    expect((await byPassword(username, second)).status).toBe(200);
    const renewed = await session.post('/user/totp/recovery-codes', {});
    expect((await byPassword(username, renewed.body.recovery_codes[0])).status).toBe(200);
  });

  it('is renamed, and removed with the recovery codes of the last factor', async () => {
    const { username, session, created, passkey } = await newHolder();
    const path = `/user/passkeys/${created.passkey_id}`;
    expect((await session.patch(path, { name: 'Old phone' })).body).toMatchObject({ name: 'Old phone' });
    for (const name of ['', '   ', 'x'.repeat(101), 'a\u0000b', 'a\u202eb', 'a\nb', '\ud800', 7, null]) {
      expect((await session.patch(path, { name })).status, JSON.stringify(name)).toBe(400);
    }
    expect(await outcomeOf(session.patch('/user/passkeys/psk_7ZZZZZZZZZZ', { name: 'x' }))).toBe(
      '404 not_found',
    );
    const other = await register(app, session);
    expect((await session.delete(path)).status).toBe(204);
    expect(refusalOf(await session.delete(path))).toBe('404 not_found');
    expect(refusalOf(await tryPasskey(app, passkey))).toBe(NO_SUCH);
    expect(refusalOf(await byPassword(username))).toBe(ANOTHER_NEEDED);
    expect((await session.delete(`/user/passkeys/${other.created.passkey_id}`)).status).toBe(204);
    expect((await byPassword(username)).status).toBe(200);
    expect((await session.get('/user/totp')).body).toMatchObject({ recovery_codes_left: 0 });
    expect(await auditOf(username, 'deletePasskey')).toMatchObject([
      { outcome: 'succeeded', details: { passkey_id: created.passkey_id } },
      { outcome: 'succeeded', details: { passkey_id: other.created.passkey_id } },
    ]);
  });

  it('is one of twenty at most, also of many that come at once', async () => {
    const { session } = await newPerson();
    for (let count = 0; count < 17; count++) await register(app, session);
    const responses = [];
    for (let count = 0; count < 6; count++) {
      const options = await optionsOf(session.post('/user/passkeys/options', {}));
      expect(options.excludeCredentials).toHaveLength(17);
      responses.push(newPasskey('ES256').create(options));
    }
    const outcomes = await Promise.all(
      responses.map((response) => outcomeOf(session.post('/user/passkeys', { name: 'x', response }))),
    );
    expect(outcomes.toSorted()).toEqual([...Array(3).fill('409 conflict'), ...Array(3).fill('done')]);
    expect(await outcomeOf(session.post('/user/passkeys/options', {}))).toBe('409 conflict');
    expect(await session.walk('/user/passkeys', 7)).toHaveLength(20);
  });

  it('goes with a user who is closed, and is no way in for one who is locked', async () => {
    const closed = await newHolder();
    expect((await closed.session.delete(`/user/${closed.username}`)).status).toBe(200);
    expect(refusalOf(await tryPasskey(app, closed.passkey))).toBe(NO_SUCH);
    const { rows } = await database.query(
      'SELECT passkey_id FROM passkeys JOIN users USING (user_id) WHERE username = $1',
      [closed.username],
    );
    expect(rows).toEqual([]);

    const locked = await newHolder();
    const operator = await clientOf(app, 'admin');
    await expectStatus(operator.post(`/admin/users/${locked.username}/lock`, { reason: 'theft' }), 200);
    expect(refusalOf(await tryPasskey(app, locked.passkey))).toBe('403 user_locked');
    // Who cannot sign by it does not learn of the lock.
    expect(refusalOf(await tryPasskey(app, locked.passkey, { flags: FLAGS.present }))).toBe(NO_SUCH);
  });

  it('is each user’s own affair: clients, keys and others cannot touch it', async () => {
    const { session, created, passkey } = await newHolder();
    const path = `/user/passkeys/${created.passkey_id}`;
    const key = await session.post('/auth/api-keys', { name: 'k', scopes: ['account:read'] });
    for (const caller of [
      await clientOf(app, 'demo'),
      new UserCaller(app.url).withApiKey(key.body.api_key),
    ]) {
      for (const act of ['/user/passkeys/options', '/user/step-up/options']) {
        expect(await outcomeOf(caller.post(act, {}))).toBe('403 forbidden');
      }
      expect(await outcomeOf(caller.get('/user/passkeys'))).toBe('403 forbidden');
      expect(await outcomeOf(caller.post('/user/passkeys', { name: 'x', response: {} }))).toBe(
        '403 forbidden',
      );
      expect(await outcomeOf(caller.patch(path, { name: 'x' }))).toBe('403 forbidden');
      expect(await outcomeOf(caller.delete(path))).toBe('403 forbidden');
    }
    const { session: stranger } = await newHolder();
    expect(await outcomeOf(stranger.patch(path, { name: 'x' }))).toBe('404 not_found');
    expect(await outcomeOf(stranger.delete(path))).toBe('404 not_found');
    expect((await tryPasskey(app, passkey)).status).toBe(200);
  });

  it('is neither added nor removed by a session that is stolen', async () => {
    const { session, created, passkey } = await newHolder();
    const options = await optionsOf(session.post('/user/passkeys/options', {}));
    wait(5 * 60_000 + 1_000);
    const response = newPasskey('ES256').create(options);
    expect(await outcomeOf(session.post('/user/passkeys/options', {}))).toBe(STEP_UP);
    expect(await outcomeOf(session.post('/user/passkeys', { name: 'x', response }))).toBe(STEP_UP);
    expect(await outcomeOf(session.delete(`/user/passkeys/${created.passkey_id}`))).toBe(STEP_UP);
    expect(await outcomeOf(stepUpBy(session, passkey))).toBe('done');
    expect(await outcomeOf(session.delete(`/user/passkeys/${created.passkey_id}`))).toBe('done');
  });
});

describe('a registration', () => {
  const registered = async (session: UserCaller, response: Json, name: unknown = 'x'): Promise<string> =>
    outcomeOf(session.post('/user/passkeys', { name, response }));

  it.each([
    ...Object.entries(DEVIATIONS),
    ['of the other kind', { type: 'webauthn.get' }],
    ['by no algorithm', { algorithm: 0 }],
    ['by an algorithm that nobody asked for', { algorithm: -35 }],
    ['with an attestation that does not hold', { format: 'packed', statement: new Map([['sig', 'x']]) }],
    ['with a certificate', { format: 'packed', statement: new Map([['x5c', [Buffer.from('x')]]]) }],
    ['of another format', { format: 'tpm' }],
  ] as [string, Deviation][])('%s is refused', async (_, deviation) => {
    const { session } = await newPerson();
    const options = await optionsOf(session.post('/user/passkeys/options', {}));
    expect(await registered(session, newPasskey('ES256').create(options, deviation))).toBe(NOT_PROVED);
    expect((await session.get('/user/passkeys')).body.data).toEqual([]);
  });

  it('is answered once, in time, and by the session that asked', async () => {
    const { username, session } = await newPerson();
    const { session: stranger } = await newPerson();
    const other = await logIn(app, username);
    const ask = () => optionsOf(session.post('/user/passkeys/options', {}));
    for (const caller of [stranger, other]) {
      expect(await registered(caller, newPasskey('ES256').create(await ask()))).toBe(NOT_PROVED);
    }
    const anyone = new UserCaller(app.url);
    const logInOptions = await optionsOf(anyone.post('/user/passkeys/log-in/options', {}));
    const mixed = { ...(await ask()), challenge: logInOptions.challenge };
    expect(await registered(session, newPasskey('ES256').create(mixed))).toBe(NOT_PROVED);
    const late = await ask();
    wait(5 * 60_000);
    expect(await outcomeOf(session.post('/user/step-up', { password: `${username}-password` }))).toBe('done');
    expect(await registered(session, newPasskey('ES256').create(late))).toBe(NOT_PROVED);

    const responses = newPasskey('ES256').create(await ask());
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => registered(session, responses)));
    expect(outcomes.toSorted()).toEqual([...Array(7).fill(NOT_PROVED), 'done']);
    expect(await registered(session, responses)).toBe(NOT_PROVED);
  });

  it('of a passkey that somebody has is refused, whoever that is', async () => {
    const holder = await newHolder();
    const { session: stranger } = await newPerson();
    for (const caller of [holder.session, stranger]) {
      const copy = newPasskey('EdDSA');
      copy.credentialId = holder.passkey.credentialId;
      const options = await optionsOf(caller.post('/user/passkeys/options', {}));
      expect(await registered(caller, copy.create(options))).toBe('409 conflict');
      expect(refusalOf(await tryPasskey(app, copy))).toBe(NO_SUCH);
    }
    expect((await stranger.get('/user/passkeys')).body.data).toEqual([]);
    expect((await stranger.get('/user/totp')).body.recovery_codes_left).toBe(0);
    expect((await tryPasskey(app, holder.passkey)).status).toBe(200);
  });

  it('is refused, and no failure, whatever is sent', async () => {
    const { session } = await newPerson();
    const options = await optionsOf(session.post('/user/passkeys/options', {}));
    const good = newPasskey('ES256').create(options);
    const { response: inner } = good;
    for (const response of [
      {},
      { ...good, response: null },
      { ...good, response: [] },
      { ...good, response: 'x' },
      { ...good, id: 7 },
      { ...good, id: 'other' },
      { ...good, response: { ...inner, attestationObject: 'AAAA' } },
      { ...good, response: { ...inner, attestationObject: '!' } },
      { ...good, response: { ...inner, attestationObject: 7 } },
      { ...good, response: { ...inner, clientDataJSON: 'e30' } },
      { ...good, response: { ...inner, clientDataJSON: 'bnVsbA' } },
    ]) {
      expect(await registered(session, response), JSON.stringify(response)).toBe(NOT_PROVED);
    }
    expect(await outcomeOf(session.post('/user/passkeys', { name: 'x', response: good, user_id: 1 }))).toBe(
      NOT_PROVED,
    );
    expect(await registered(session, { padding: 'x'.repeat(200_000) })).toBe('413 payload_too_large');
  });
});

describe('a log-in by passkey', () => {
  it.each([
    ...Object.entries(DEVIATIONS),
    ['of the other kind', { type: 'webauthn.create' }],
    ['that names no user', { userHandle: null }],
    ['that names another user', { userHandle: 'MQ' }],
  ] as [string, Deviation][])('%s is refused', async (_, deviation) => {
    const { username, passkey } = await newHolder();
    expect(refusalOf(await tryPasskey(app, passkey, deviation))).toBe(NO_SUCH);
    expect(await auditOf(username, 'logInByPasskey')).toMatchObject(
      'userHandle' in deviation ? [] : [{ actor_credential: null, outcome: 'failed' }],
    );
  });

  it('answers all alike that it does not know', async () => {
    const { passkey, session, created } = await newHolder();
    const stranger = newPasskey('ES256');
    const wrong = await tryPasskey(app, passkey, { rpId: 'evil.example' });
    expect((await session.delete(`/user/passkeys/${created.passkey_id}`)).status).toBe(204);
    const removed = await tryPasskey(app, passkey);
    const unknown = await tryPasskey(app, stranger);
    const { message } = wrong.body.error;
    for (const { status, body, headers } of [wrong, removed, unknown]) {
      expect({ status, code: body.error.code, message: body.error.message }).toEqual({
        status: 401,
        code: 'invalid_credentials',
        message,
      });
      expect(headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  it('takes what was signed once, of many at once too, and in time', async () => {
    const { passkey } = await newHolder();
    const anyone = new UserCaller(app.url);
    const ask = () => optionsOf(anyone.post('/user/passkeys/log-in/options', {}));
    const send = (response: Json) => outcomeOf(anyone.post('/user/passkeys/log-in', { response }));
    const response = passkey.get(await ask());
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => send(response)));
    expect(outcomes.toSorted()).toEqual([...Array(7).fill(NO_SUCH), 'done']);
    expect(await send(response)).toBe(NO_SUCH);
    const late = await ask();
    wait(5 * 60_000);
    expect(await send(passkey.get(late))).toBe(NO_SUCH);
    // A response that was refused has used up its challenge, too.
    const options = await ask();
    expect(await send(passkey.get(options, { flags: FLAGS.present }))).toBe(NO_SUCH);
    expect(await send(passkey.get(options))).toBe(NO_SUCH);
  });

  it('takes no challenge of a session, nor one of a step-up', async () => {
    const { session, passkey } = await newHolder();
    const options = await optionsOf(session.post('/user/step-up/options', {}));
    const response = passkey.get(options);
    expect(await outcomeOf(new UserCaller(app.url).post('/user/passkeys/log-in', { response }))).toBe(
      NO_SUCH,
    );
  });

  it('is refused where the passkey counts back, since there is a copy of it', async () => {
    const { username, passkey } = await newHolder();
    expect((await tryPasskey(app, passkey, { signCount: 40 })).status).toBe(200);
    expect(refusalOf(await tryPasskey(app, passkey, { signCount: 40 }))).toBe(NO_SUCH);
    expect(refusalOf(await tryPasskey(app, passkey, { signCount: 39 }))).toBe(NO_SUCH);
    expect(refusalOf(await tryPasskey(app, passkey, { signCount: 0 }))).toBe(NO_SUCH);
    expect((await tryPasskey(app, passkey, { signCount: 41 })).status).toBe(200);
    const refusals = (await auditOf(username, 'logInByPasskey')).filter(
      ({ outcome }) => outcome === 'failed',
    );
    expect(refusals.map(({ details }) => details.reason)).toEqual(Array(3).fill('sign_count'));

    const uncounted = await newHolder(newPasskey('ES256', null));
    for (let count = 0; count < 2; count++)
      expect((await tryPasskey(app, uncounted.passkey)).status).toBe(200);
  });

  it('is refused after too many failures of an address', async () => {
    const limited = await startTestApp();
    try {
      const passkey = new SoftwarePasskey(limited.config.publicUrl);
      const holder = await newHolder(passkey, limited);
      const stranger = new SoftwarePasskey(limited.config.publicUrl);
      for (let failures = 0; failures < 100; failures++) {
        expect(refusalOf(await tryPasskey(limited, stranger))).toBe(NO_SUCH);
      }
      expect(refusalOf(await tryPasskey(limited, holder.passkey))).toBe('429 rate_limited');
    } finally {
      await limited.close();
    }
  });
});

describe('a step-up by passkey', () => {
  it.each([
    ...Object.entries(DEVIATIONS),
    ['of the other kind', { type: 'webauthn.create' }],
    ['that names another user', { userHandle: 'MQ' }],
  ] as [string, Deviation][])('%s is refused', async (_, deviation) => {
    const { session, passkey } = await newHolder();
    expect(await outcomeOf(stepUpBy(session, passkey, deviation))).toBe(ANOTHER_NEEDED);
  });

  it('takes one of one’s own passkeys, for the session that asked', async () => {
    const { username, session, passkey } = await newHolder();
    const other = await newHolder();
    const elsewhere = await logInByPasskey(app, passkey);
    const ask = () => optionsOf(session.post('/user/step-up/options', {}));
    const options = await ask();
    expect(options.allowCredentials).toMatchObject([{ id: passkey.id, transports: ['internal'] }]);
    expect(await outcomeOf(session.post('/user/step-up', { passkey: other.passkey.get(options) }))).toBe(
      ANOTHER_NEEDED,
    );
    expect(await outcomeOf(other.session.post('/user/step-up', { passkey: passkey.get(options) }))).toBe(
      ANOTHER_NEEDED,
    );
    expect(
      await outcomeOf(other.session.post('/user/step-up', { passkey: other.passkey.get(options) })),
    ).toBe(ANOTHER_NEEDED);
    expect(await outcomeOf(elsewhere.post('/user/step-up', { passkey: passkey.get(options) }))).toBe(
      ANOTHER_NEEDED,
    );
    const response = passkey.get(options, { userHandle: null });
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => outcomeOf(session.post('/user/step-up', { passkey: response }))),
    );
    expect(outcomes.toSorted()).toEqual([...Array(7).fill(ANOTHER_NEEDED), 'done']);
    const proofs = (await auditOf(username, 'stepUp')).filter(({ outcome }) => outcome === 'succeeded');
    expect(proofs).toMatchObject([{ details: { proved_by: 'passkey' } }]);
    for (const passkeyResponse of [{}, { id: passkey.id }, { id: passkey.id, response: 7 }]) {
      expect(await outcomeOf(session.post('/user/step-up', { passkey: passkeyResponse }))).toBe(
        ANOTHER_NEEDED,
      );
    }
  });

  it('is asked of nobody without one', async () => {
    const { session } = await newPerson();
    expect(await outcomeOf(session.post('/user/step-up/options', {}))).toBe('409 conflict');
  });

  it('cannot be guessed: wrong ones are counted', async () => {
    const limited = await startTestApp();
    try {
      const { session, passkey } = await newHolder(new SoftwarePasskey(limited.config.publicUrl), limited);
      for (let failures = 0; failures < 10; failures++) {
        expect(await outcomeOf(session.post('/user/step-up', { passkey: {} }))).toBe(ANOTHER_NEEDED);
      }
      expect(await outcomeOf(stepUpBy(session, passkey))).toBe('429 rate_limited');
      // Another session of the same user has its own.
      expect(await outcomeOf(stepUpBy(await logInByPasskey(limited, passkey), passkey))).toBe('done');
    } finally {
      await limited.close();
    }
  });
});

describe('operators with a passkey', () => {
  it('are operators by it alone, and keep their last factor', async () => {
    const strict = await startTestApp({
      rateLimits: 'off',
      seedDemo: false,
      operatorsNeedSecondFactor: true,
      bootstrapAdmins: [{ username: 'first', password: 'first-password' }],
    });
    try {
      const session = await logIn(strict, 'first');
      const { passkey, created } = await register(strict, session);
      expect(await outcomeOf(session.get('/admin/users'))).toBe('403 insufficient_scope');
      const operator = await logInByPasskey(strict, passkey);
      expect(await outcomeOf(operator.get('/admin/users'))).toBe('done');
      expect(await outcomeOf(operator.delete(`/user/passkeys/${created.passkey_id}`))).toBe('409 conflict');
      expect((await tryPasskey(strict, passkey)).status).toBe(200);
      const other = await register(strict, operator);
      expect(await outcomeOf(operator.delete(`/user/passkeys/${created.passkey_id}`))).toBe('done');
      expect(await outcomeOf(operator.delete(`/user/passkeys/${other.created.passkey_id}`))).toBe(
        '409 conflict',
      );
    } finally {
      await strict.close();
    }
  });

  it('are two who take those of a user away', async () => {
    const house = await startTestApp({
      rateLimits: 'off',
      seedDemo: false,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    });
    try {
      const [first, second, third] = await Promise.all(OPERATORS.map((username) => logIn(house, username)));
      const user = await userMadeBy(house, third!, 'forgetful');
      const { passkey } = await register(house, user);
      const approval = await proposed(first!.delete('/admin/users/forgetful/second-factors'));
      expect(await outcomeOf(approve(first!, approval))).toBe('403 same_person');
      expect((await tryPasskey(house, passkey)).status).toBe(200);
      await expectStatus(approve(second!, approval), 200);
      expect(refusalOf(await tryPasskey(house, passkey))).toBe(NO_SUCH);
      expect((await byPassword('forgetful', undefined, house)).status).toBe(200);
    } finally {
      await house.close();
    }
  });
});
