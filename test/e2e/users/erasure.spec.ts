import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UserErasure } from '../../../src/modules/users/erasure/user-erasure.service.js';
import type { TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { eventually, onClient, queryOnce } from '../../support/core.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { startBank } from '../../support/clients/payouts-client.js';
import { addKycImage, exported, type Life, live, PASSWORD_OF } from '../../support/clients/privacy-client.js';
import { clientOf, logIn, refusalOf, type UserCaller } from '../../support/clients/users-client.js';
import { submitKyc } from '../../support/clients/kyc-client.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

/**
 * Where the words of a closed user may still stand: the journal never changes, and has the first names of wallets, which
 * the accounts have from it.
 */
const KEPT = /^(?:accounts\.name|journal(?:_\d+)?\.commands)$/;
/** And until KYC records are erased. */
const KEPT_FOR_YEARS = 'payouts.reference';

let app: TestApp;
let receiver: WebhookReceiver;
let operator: UserCaller;

const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await startBank({}, 'fatal', { rateLimits: 'off', webhookAllowPrivate: true });
  operator = await clientOf(app, 'admin');
});
afterAll(async () => {
  await app?.close();
  await receiver?.close();
});

/** Each column of the database that has the word in it, in any case, in texts, JSON, lists and bytes. */
async function columnsWith(word: string): Promise<string[]> {
  return onClient(app.config.databaseUrl!, async (client) => {
    const { rows: columns } = await client.query<{ table: string; column: string; type: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS "table", column_name AS "column", data_type AS type
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema IN ('public', 'graphile_worker') AND table_type = 'BASE TABLE'
         AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY', 'tsvector')`,
    );
    expect(columns.length).toBeGreaterThan(200);
    const found: string[] = [];
    for (const { table, column, type } of columns) {
      const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
      const { rowCount } = await client.query(
        `SELECT FROM ${table} WHERE position($1 IN lower(${text})) > 0 LIMIT 1`,
        [word.toLowerCase()],
      );
      if (rowCount !== 0) found.push(`${table.replace('public.', '')}.${column}`);
    }
    return found;
  });
}

async function erased(username: string, column = 'erased_at'): Promise<void> {
  await eventually(async () => {
    const [user] = await query(`SELECT ${column} AS at FROM users WHERE username = $1`, [username]);
    expect(user!.at).not.toBeNull();
  });
}

describe('a user who is closed', () => {
  let life: Life;
  let reader: UserCaller;
  let before: Json[];

  beforeAll(async () => {
    life = await live(app, 'leaver', 'zorblatt', receiver.url('/leaver'));
    const kyc = await submitKyc(life.session, {
      first_name: `First${life.mark}`,
      last_name: `Last${life.mark}`,
    });
    await addKycImage(life.session, kyc.kyc_id);
    await exported(life.session);
    // Others follow the room by webhooks, whose events hold what was said.
    reader = await logIn(app, 'alice');
    expect((await reader.post(`/chat/rooms/${life.roomId}/members`, { member: 'me' })).status).toBe(201);
    const hook = { url: receiver.url('/reader'), event_types: ['message.new'] };
    expect((await reader.post('/news/webhooks', hook)).status).toBe(201);
    const said = { text: `For all: ${life.mark}` };
    expect((await life.session.post(`/chat/rooms/${life.roomId}/messages`, said)).status).toBe(201);
    await eventually(() => receiver.at('/reader').length > 0, 'the message is delivered');
    expect((await columnsWith(life.mark)).length).toBeGreaterThan(10);
    before = await query(
      'SELECT asset, available, held FROM balances JOIN accounts USING (account_id) WHERE owner = $1 ORDER BY 1, 2',
      [`user:${life.userId}`],
    );
    expect((await operator.delete('/user/leaver')).status).toBe(200);
    await erased('leaver');
  });
  afterAll(() => expectBalancedBooks(operator));

  it('leaves none of its words anywhere, but where they must stay', async () => {
    const found = await columnsWith(life.mark);
    expect(found.filter((column) => !KEPT.test(column))).toEqual([KEPT_FOR_YEARS]);
  });

  it('leaves its money, its orders and its payouts as they were, without the orders in the book', async () => {
    const owner = `user:${life.userId}`;
    await eventually(async () => {
      const after = await query(
        'SELECT asset, available + held AS total FROM balances JOIN accounts USING (account_id) WHERE owner = $1 ORDER BY 1, 2',
        [owner],
      );
      const totals = before.map(({ asset, available, held }) => ({
        asset,
        total: String(BigInt(available as string) + BigInt(held as string)),
      }));
      expect(after).toEqual(expect.arrayContaining(totals));
    });
    const [payout] = await query('SELECT status FROM payouts WHERE owner = $1', [owner]);
    expect(payout).toMatchObject({ status: 'pending' });
  });

  it('leaves rooms that others read, without gaps', async () => {
    const messages = await reader.walk(`/chat/rooms/${life.roomId}/messages`, 2);
    expect(messages).toHaveLength(3);
    for (const message of messages) {
      expect(message).toMatchObject({ author: 'leaver', text: null, deleted_at: expect.any(String) });
    }
    const events = await reader.walk(`/chat/rooms/${life.roomId}/events`, 3);
    expect(events.map(({ sequence }) => sequence as number)).toEqual(events.map((_event, at) => at + 1));
    expect((await reader.get(`/chat/messages?q=${life.mark}`)).body.data).toEqual([]);
  });

  it('is erased once, and that is on record', async () => {
    expect(await app.app.nest.get(UserErasure, { strict: false }).eraseNext()).toBe(false);
    const rows = await query(
      `SELECT target_id, details FROM audit_log WHERE actor_credential = 'system:erasure' AND target_id = 'leaver'`,
    );
    expect(rows).toEqual([
      {
        target_id: 'leaver',
        details: { due: 'closing', parts: expect.arrayContaining(['chat_messages', 'webhooks']) },
      },
    ]);
  });

  it('has KYC records and bank accounts until the law lets them go, and then not', async () => {
    const owner = `user:${life.userId}`;
    const sealed = (): Promise<Json[]> =>
      query('SELECT kyc_id FROM kyc_cases WHERE owner = $1 AND sealed_data IS NOT NULL', [owner]);
    expect(await sealed()).toHaveLength(2);
    await query("UPDATE users SET closed_at = now() - interval '1824 days' WHERE user_id = $1", [
      life.userId,
    ]);
    const erasure = app.app.nest.get(UserErasure, { strict: false });
    await erasure.eraseNext();
    expect(await sealed()).toHaveLength(2);

    await query("UPDATE users SET closed_at = now() - interval '1826 days' WHERE user_id = $1", [
      life.userId,
    ]);
    await erasure.eraseNext();
    // The payout is still on its way: it may come back to its account.
    expect(
      await query('SELECT FROM payout_accounts WHERE owner = $1 AND last4 <> $2', [owner, '']),
    ).toHaveLength(1);
    await query(`UPDATE payouts SET status = 'paid' WHERE owner = $1`, [owner]);
    await erasure.eraseNext();
    await erased('leaver', 'kept_data_erased_at');
    expect(await sealed()).toEqual([]);
    expect(await query('SELECT last4, bic FROM payout_accounts WHERE owner = $1', [owner])).toEqual([
      { last4: '', bic: null },
    ]);
    const found = await columnsWith(life.mark);
    expect(found.filter((column) => !KEPT.test(column))).toEqual([]);
    const cases = await query('SELECT status, erased_at FROM kyc_cases WHERE owner = $1', [owner]);
    expect(cases.map(({ status, erased_at: at }) => [status, at !== null])).toEqual([
      ['expired', true],
      ['expired', true],
    ]);
    const keys = await query(`SELECT FROM vault_data_keys WHERE context LIKE 'kyc_%'`);
    expect(keys).toEqual([]);
  });
});

describe('closing oneself', () => {
  async function newUser(): Promise<{ username: string; session: UserCaller }> {
    const username = `closer-${crypto.randomUUID().slice(0, 8)}`;
    expect((await operator.post('/user', { username, password: PASSWORD_OF(username) })).status).toBe(200);
    return { username, session: await logIn(app, username) };
  }

  it('takes more than a session that somebody may have stolen', async () => {
    const { username, session } = await newUser();
    const byQuery = await logIn(app, username, PASSWORD_OF(username), 'query');
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 6 * 60_000);
      for (const stolen of [session, byQuery]) {
        expect(refusalOf(await stolen.delete(`/user/${username}`))).toBe('403 step_up_required');
      }
      expect((await session.get(`/user/${username}`)).status).toBe(200);
      expect((await session.post('/user/step-up', { password: PASSWORD_OF(username) })).status).toBe(204);
      expect((await session.delete(`/user/${username}`)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  it('works with a log-in of a moment ago, also one that the Petstore’s clients make', async () => {
    const { username } = await newUser();
    const byQuery = await logIn(app, username, PASSWORD_OF(username), 'query');
    expect((await byQuery.delete(`/user/${username}`)).status).toBe(200);
    await erased(username);
  });

  it('is made up for where an older version did it', async () => {
    const { username, session } = await newUser();
    const { body: room } = await session.post('/chat/rooms', { type: 'public', name: 'Old' });
    await session.post(`/chat/rooms/${room.room_id}/messages`, { text: 'quixmoor' });
    await query(
      `UPDATE users SET user_status = 2, password_hash = NULL, closed_at = NULL WHERE username = $1`,
      [username],
    );
    await erased(username);
    expect(await columnsWith('quixmoor')).toEqual([]);
    const [{ closed_at: closedAt }] = (await query('SELECT closed_at FROM users WHERE username = $1', [
      username,
    ])) as [Json];
    expect(closedAt).toBeInstanceOf(Date);
  });
});
