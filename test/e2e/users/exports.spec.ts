import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UserCredentials } from '../../../src/modules/users/user-credentials.js';
import { ExportUpkeep } from '../../../src/modules/users/exports/export-upkeep.js';
import { csvText } from '../../../src/kit/http/csv/csv-text.js';
import { PersonalDataRegistry } from '../../../src/kit/personal-data/personal-data.js';
import type { TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { eventually, queryOnce } from '../../support/core.js';
import { submitKyc } from '../../support/clients/kyc-client.js';
import { startBank } from '../../support/clients/payouts-client.js';
import {
  addKycImage,
  download,
  exported,
  type Life,
  live,
  PASSWORD_OF,
  unpacked,
} from '../../support/clients/privacy-client.js';
import { clientOf, logIn, refusalOf, type UserCaller } from '../../support/clients/users-client.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

let app: TestApp;
let receiver: WebhookReceiver;
let operator: UserCaller;
let one: Life;
let other: Life;
let made = 0;

const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await startBank({}, 'fatal', { rateLimits: 'off', webhookAllowPrivate: true });
  operator = await clientOf(app, 'admin');
  one = await live(app, 'exporter', 'zorblatt', receiver.url('/one'));
  other = await live(app, 'neighbour', 'quixmoor', receiver.url('/other'));
  // A private word of the other's in a room that both are in.
  expect((await one.session.post(`/chat/rooms/${other.roomId}/members`, { member: 'me' })).status).toBe(201);
});
afterAll(async () => {
  await app?.close();
  await receiver?.close();
});

/** A user with nothing but an account. */
async function newUser(): Promise<{ username: string; session: UserCaller }> {
  const username = `plain-exporter-${++made}`;
  const reply = await operator.post('/user', { username, password: PASSWORD_OF(username) });
  expect(reply.status).toBe(200);
  return { username, session: await logIn(app, username) };
}

const jsonOf = (files: Map<string, Buffer>, name: string): Json[] =>
  JSON.parse(files.get(`${name}.json`)!.toString('utf8')) as Json[];

const withId = (name: string, id: string) => (item: Json) => ({ [name]: id, ...item });

describe('an export', () => {
  let zip: Buffer;
  let files: Map<string, Buffer>;
  let ready: Json;
  beforeAll(async () => {
    const kyc = await submitKyc(one.session, {
      first_name: `First${one.mark}`,
      last_name: `Last${one.mark}`,
      zone: { names: `LAST${one.mark}<<FIRST${one.mark}`.toUpperCase() },
    });
    await addKycImage(one.session, kyc.kyc_id);
    ready = await exported(one.session);
    ({ zip, files } = await unpacked(ready.download_url));
  });

  it('is a zip of the size and the digest that were told, with a manifest of the same kind', () => {
    expect(ready.size_bytes).toBe(zip.length);
    expect(ready.sha256).toBe(createHash('sha256').update(zip).digest('hex'));
    const manifest: Json = JSON.parse(files.get('manifest.json')!.toString('utf8'));
    expect(manifest).toMatchObject({ username: 'exporter', export_id: ready.export_id });
    expect(manifest.ledger_sequence).toBeGreaterThan(0);
    const told = manifest.sections.flatMap((section: Json) => section.files);
    expect(new Set([...told.map(({ name }: Json) => name), 'manifest.json', 'README.txt'])).toEqual(
      new Set(files.keys()),
    );
    for (const { name, bytes, sha256 } of told) {
      const content = files.get(name)!;
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    }
    for (const { name, rows } of manifest.sections) expect(jsonOf(files, name)).toHaveLength(rows);
    const { progress } = ready;
    expect(progress.sections_done).toBe(progress.sections_total);
    expect(progress.rows).toBe(
      manifest.sections.reduce((sum: number, { rows }: Json) => sum + (rows as number), 0),
    );
    const names = app.app.nest.get(PersonalDataRegistry).sections.map(({ name }) => name);
    for (const name of names) expect(files.get('README.txt')!.toString('utf8')).toContain(name);
  });

  it('has what the API lists, member by member', async () => {
    const { session, accountId, walletId } = one;
    const [webhook] = (await session.get('/news/webhooks')).body.data as Json[];
    const ofAccounts = async (path: string): Promise<Json[]> => {
      const ids = (await session.walk('/accounts', 100)).map(({ account_id }) => account_id as string).sort();
      const lists = await Promise.all(
        ids.map(async (id) =>
          (await session.walk(`/accounts/${id}/${path}`, 100)).map(withId('account_id', id)),
        ),
      );
      return lists.flat();
    };
    const expected: Record<string, Json[]> = {
      accounts: await session.walk('/accounts', 100),
      balances: await ofAccounts('balances'),
      entries: await ofAccounts('entries'),
      orders: (await session.walk('/orders', 100)).map(withId('account_id', accountId)),
      positions: (await session.walk('/accounts/me/positions', 100)).map(withId('account_id', accountId)),
      fills: (await session.walk('/accounts/me/fills', 100)).map(withId('account_id', accountId)),
      quotes: (await session.walk('/quotes', 100)).map(withId('account_id', accountId)),
      matched_bets: (await session.walk('/matched-bets', 100)).map(withId('account_id', accountId)),
      wallets: await session.walk('/wallets', 100),
      wallet_addresses: (await session.walk(`/wallets/${walletId}/addresses`, 100)).map(
        withId('wallet_id', walletId),
      ),
      wallet_deposits: (await session.walk(`/wallets/${walletId}/deposits`, 100)).map(
        withId('wallet_id', walletId),
      ),
      wallet_signatures: (await session.walk(`/wallets/${walletId}/signatures`, 100)).map(
        withId('wallet_id', walletId),
      ),
      wallet_destinations: await session.walk(`/wallets/${walletId}/destinations`, 100),
      wallet_transfers: (await session.walk(`/wallets/${walletId}/transfers`, 100)).map(
        withId('wallet_id', walletId),
      ),
      account_transfers: (await session.walk(`/accounts/${accountId}/transfers`, 100)).map(
        withId('account_id', accountId),
      ),
      payout_accounts: await session.walk('/payout-accounts', 100),
      payouts: await session.walk('/payouts', 100),
      webhooks: await session.walk('/news/webhooks', 100),
      webhook_deliveries: (await session.walk(`/news/webhooks/${webhook.webhook_id}/deliveries`, 100)).map(
        withId('webhook_id', webhook.webhook_id as string),
      ),
      api_keys: await session.walk('/auth/api-keys', 100),
      clients: await session.walk('/auth/clients', 100),
    };
    for (const [name, rows] of Object.entries(expected)) {
      expect(rows.length, name).toBeGreaterThan(0);
      // What goes on by itself, such as an attempt of a delivery or the last use of a key, is not compared.
      const still = (row: Json): Json => ({
        ...row,
        last_used_at: 0,
        attempts: 0,
        status: 0,
        updated_at: 0,
        next_attempt_at: 0,
      });
      expect(jsonOf(files, name).map(still), name).toEqual(rows.map(still));
    }
    const [{ password: _shown, ...user }] = [(await session.get('/user/exporter')).body];
    expect(jsonOf(files, 'user')).toEqual([{ ...user, created_at: expect.any(String) }]);
    expect(jsonOf(files, 'purchase_orders')).toMatchObject([{ quantity: 2 }]);
    expect(jsonOf(files, 'sessions').length).toBeGreaterThan(0);
    expect(jsonOf(files, 'chat_reactions')).toMatchObject([{ emoji: '👍' }]);
    expect(jsonOf(files, 'audit_log')).toContainEqual(
      expect.objectContaining({ by: 'you', outcome: 'succeeded' }),
    );
    const rooms = jsonOf(files, 'chat_rooms').map(({ room_id }) => room_id as string);
    expect(rooms).toEqual([other.roomId, one.roomId]);
    const messages = (await session.walk(`/chat/rooms/${one.roomId}/messages`, 100)).reverse();
    expect(jsonOf(files, 'chat_messages').map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
  });

  it('says the same in CSV as in JSON', () => {
    for (const name of [...files.keys()].filter((each) => each.endsWith('.csv'))) {
      const rows = jsonOf(files, name.slice(0, -'.csv'.length));
      const text = files.get(name)!.toString('utf8');
      if (rows.length === 0) {
        expect(text).toBe('');
        continue;
      }
      const parsed = parse<Record<string, string>>(text, { columns: true });
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
      expect(Object.keys(parsed[0]!), name).toEqual(columns);
      expect(text, name).toBe(csvText(rows, { columns, rows: 'data' }, true));
      expect(parsed, name).toHaveLength(rows.length);
    }
  });

  it('has KYC data in clear and the images, and notes that the owner looked', async () => {
    const cases = jsonOf(files, 'kyc_cases');
    expect(cases).toHaveLength(2);
    expect(cases[0]!.revealed).toMatchObject({
      first_name: `First${one.mark}`,
      address: { line1: 'Rua Augusta 24' },
    });
    expect(cases[0]!.images).toHaveLength(1);
    const image = [...files.keys()].find((name) => name.startsWith('kyc_cases/'))!;
    expect(image).toMatch(/^kyc_cases\/kim_[0-9A-Z]{11}\.\w+$/);
    expect(files.get(image)!.length).toBe(cases[0]!.images[0].size_bytes);
    const views = await query('SELECT image_id FROM kyc_views WHERE viewed_by = $1', [`user:${one.userId}`]);
    expect(views).toHaveLength(3);
  });

  it('has nothing that is of another user, and no secret or digest', async () => {
    const all = Buffer.concat([...files.values()])
      .toString('latin1')
      .toLowerCase();
    expect(all).toContain(one.mark);
    for (const foreign of [other.mark, other.accountId, other.walletId, 'neighbour']) {
      expect(all, foreign).not.toContain(foreign.toLowerCase());
    }
    const hashes = await query(
      `SELECT password_hash AS secret FROM users WHERE user_id = $1
       UNION ALL SELECT key_hash FROM api_keys WHERE owner_user_id = $1
       UNION ALL SELECT secret_hash FROM oauth_clients WHERE owner_user_id = $1 AND secret_hash IS NOT NULL
       UNION ALL SELECT token_hash FROM oauth_tokens WHERE user_id = $1`,
      [one.userId],
    );
    expect(hashes.length).toBeGreaterThan(3);
    const secrets = [
      one.apiKey,
      one.webhookSecret,
      PASSWORD_OF('exporter'),
      'argon2',
      '"password"',
      'sealed',
    ];
    for (const secret of [...secrets, ...hashes.map(({ secret: hash }) => hash as string)]) {
      expect(all, secret).not.toContain(secret.toLowerCase());
    }
  });

  it('is encrypted where it is stored', async () => {
    const [{ file_name: name, sealed_key: sealed }] = (await query(
      'SELECT file_name, sealed_key FROM user_exports WHERE user_id = $1 AND status = $2',
      [one.userId, 'ready'],
    )) as [Json];
    const { readFile } = await import('node:fs/promises');
    const stored = await readFile(`${app.config.dataDir}/files/${name as string}`);
    expect(stored.includes(Buffer.from('README.txt'))).toBe(false);
    expect(stored.length).toBeGreaterThan(zip.length);
    expect(sealed).toBeInstanceOf(Buffer);
  });
});

describe('asking for an export', () => {
  it('begins one, however many ask at once, and tells how far it is', async () => {
    const { session } = await newUser();
    const { body: list } = await session.get('/user/exports');
    expect(list).toEqual({ data: [], next_cursor: null });
    const answers = await Promise.all(Array.from({ length: 8 }, () => session.post('/user/exports', {})));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expect(refusalOf(answer)).toBe('409 conflict');
    }
    expect(accepted[0]!.body).toEqual({
      export_id: expect.stringMatching(/^exp_[0-9A-Z]{11}$/),
      status: 'pending',
      progress: { sections_done: 0, sections_total: expect.any(Number), rows: 0 },
      created_at: expect.stringMatching(/Z$/),
      ready_at: null,
      expires_at: null,
      size_bytes: null,
      sha256: null,
      download_url: null,
    });
    await eventually(async () => {
      expect((await session.get('/user/exports')).body.data).toMatchObject([{ status: 'ready' }]);
    });
  });

  it('is answered once for an Idempotency-Key', async () => {
    const { session } = await newUser();
    const key = { 'idempotency-key': 'my-data' };
    const first = await session.post('/user/exports', {}, key);
    const again = await session.post('/user/exports', {}, key);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body.export_id).toBe(first.body.export_id);
  });

  it('works five times in a day', async () => {
    const { session } = await newUser();
    for (let time = 0; time < 5; time++) await exported(session);
    const refused = await session.post('/user/exports', {});
    expect(refusalOf(refused)).toBe('429 rate_limited');
    expect(refused.headers.get('retry-after')).toBe('86400');
  });

  it('takes the user in person, who was there a moment ago', async () => {
    const { username, session } = await newUser();
    const { body: key } = await session.post('/auth/api-keys', { name: 'Key' });
    for (const caller of [session.withApiKey(key.api_key as string), operator]) {
      for (const answer of [
        await caller.post('/user/exports', {}),
        await caller.get('/user/exports'),
        await caller.get('/user/exports/exp_00000000001'),
      ]) {
        expect(refusalOf(answer)).toBe('403 forbidden');
      }
    }
    const byQuery = await logIn(app, username, PASSWORD_OF(username), 'query');
    expect(refusalOf(await byQuery.post('/user/exports', {}))).toBe('403 step_up_required');
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 6 * 60_000);
      expect(refusalOf(await session.post('/user/exports', {}))).toBe('403 step_up_required');
      expect((await session.post('/user/step-up', { password: PASSWORD_OF(username) })).status).toBe(204);
      expect((await session.post('/user/exports', {})).status).toBe(202);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is nobody else’s business', async () => {
    const { session } = await newUser();
    const { export_id, download_url } = await exported(session);
    const { session: stranger } = await newUser();
    for (const id of [export_id, 'exp_7ZZZZZZZZZZ', 'exp_', 'x', '%20']) {
      expect(refusalOf(await stranger.get(`/user/exports/${id}`)), id).toBe('404 not_found');
    }
    // The link of one export opens no other.
    const ticket = new URL(download_url as string).searchParams.get('ticket')!;
    const { export_id: foreign } = await exported(stranger);
    const path = `${app.url}/user/exports/${foreign}/file?ticket=${ticket}`;
    expect((await download(path)).status).toBe(404);
  });
});

describe('the link of an export', () => {
  it('is the same each time, and is all that it takes', async () => {
    const { session } = await newUser();
    const { export_id, download_url: url, expires_at, ready_at } = await exported(session);
    expect(new Date(expires_at).getTime() - new Date(ready_at).getTime()).toBe(86_400_000);
    expect((await session.get(`/user/exports/${export_id}`)).body.download_url).toBe(url);
    const answer = await download(url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="tradepost-plain/);
    await answer.arrayBuffer();
    expect((await (await download(url)).arrayBuffer()).byteLength).toBe(
      Number(answer.headers.get('content-length')),
    );
    const ticketless = url.split('?')[0] as string;
    expect((await download(ticketless)).status).toBe(400);
    for (const wrong of ['x', 'A'.repeat(43), '%20', '']) {
      expect((await download(`${ticketless}?ticket=${wrong}`)).status, wrong).toBe(404);
    }
    expect((await download(`${ticketless}?ticket=${'A'.repeat(129)}`)).status).toBe(400);
    expect((await download(`${ticketless}?ticket=a&ticket=b`)).status).toBe(400);
  });

  it('ends with a change of the password, which gives another one', async () => {
    const { username, session } = await newUser();
    const { export_id, download_url: url } = await exported(session);
    const change = { current_password: PASSWORD_OF(username), new_password: 'another-password' };
    expect((await session.post('/user/password', change)).status).toBe(204);
    expect((await download(url)).status).toBe(404);
    const { body } = await session.get(`/user/exports/${export_id}`);
    expect(body.download_url).not.toBe(url);
    expect((await unpacked(body.download_url)).files.has('user.json')).toBe(true);
  });

  it('ends with a lock, also one that is being looked at, and with the user', async () => {
    const locked = await newUser();
    const { download_url: url } = await exported(locked.session);
    await operator.post(`/admin/users/${locked.username}/lock`, { reason: 'A stolen phone was reported.' });
    expect((await download(url)).status).toBe(404);
    await operator.post(`/admin/users/${locked.username}/unlock`, {});
    expect((await download(url)).status).toBe(404);

    const closed = await newUser();
    const { download_url: last } = await exported(closed.session);
    expect((await closed.session.delete(`/user/${closed.username}`)).status).toBe(200);
    expect((await download(last)).status).toBe(404);
  });

  it('ends after a day, and the file goes', async () => {
    const { session } = await newUser();
    const { export_id, download_url: url } = await exported(session);
    const [{ file_name: name }] = (await query(
      `UPDATE user_exports SET expires_at = now() - interval '1 second' WHERE ticket_hash IS NOT NULL
         AND export_id = (SELECT max(export_id) FROM user_exports) RETURNING file_name`,
    )) as [Json];
    expect((await download(url)).status).toBe(404);
    await app.app.nest.get(ExportUpkeep).discardNext();
    const { body } = await session.get(`/user/exports/${export_id}`);
    expect(body).toMatchObject({ status: 'expired', download_url: null });
    const { access } = await import('node:fs/promises');
    await expect(access(`${app.config.dataDir}/files/${name as string}`)).rejects.toThrow('ENOENT');
  });

  it('ends with all sessions of a user, whoever ends them', async () => {
    const { username, session } = await newUser();
    const { download_url: url } = await exported(session);
    const [{ user_id }] = (await query('SELECT user_id FROM users WHERE username = $1', [username])) as [
      Json,
    ];
    await app.app.nest.get(UserCredentials, { strict: false }).suspend(user_id as string);
    expect((await download(url)).status).toBe(404);
  });
});
