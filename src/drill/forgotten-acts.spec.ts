import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onClient } from '../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import type { SealedAct } from '../kit/audit/audit-files.js';
import { ACTIONS, repeatActs } from './forgotten-acts.js';

const actOf = (action: string, target: string, details = '{}'): SealedAct => {
  const [target_type, target_id] = target.split(':') as [string, string];
  return { action, target_type, target_id, details, at_ms: '0', outcome: 'succeeded' } as SealedAct;
};

describe('what a restore brings back', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await onClient(database.url, async (client) => {
      for (const name of ['alice', 'bob'])
        await client.query(
          `WITH made AS (
             INSERT INTO users (username, user_status, password_hash, email, email_verified_at)
             VALUES ($1, 0, 'of before', $1 || '@example.com', now()) RETURNING user_id
           ), keys AS (
             INSERT INTO api_keys (api_key_id, name, owner_user_id, account_owner, key_hash, prefix, scopes)
             SELECT 'key_' || $1 || n, 'key', user_id, 'user:' || user_id, $1 || n, '', '{}' FROM made, generate_series(1, 2) n
           )
           INSERT INTO sessions (session_id, user_id, device, address, started_at, last_used_at, expires_at)
           SELECT 'ses_' || $1, user_id, '', '', now(), now(), now() + interval '1 hour' FROM made`,
          [name],
        );
    });
  });
  afterAll(() => database.drop());

  it('is ended again, by the operation ids of the acts and by what these were called before', async () => {
    await onClient(database.url, async (client) => {
      const lines = await repeatActs(client, [
        actOf('loginUser', 'user:bob'),
        actOf('deleteApiKey', 'api_key:key_alice1'),
        actOf('ApiKeys_remove', 'api_key:key_alice2'),
        actOf('rotateApiKey', 'api_key:key_bob1'),
        actOf('changePassword', 'user:alice', '{"changed": ["password"]}'),
        actOf('freezeAccount', 'account:acc_1'),
      ]);
      expect(lines.map((line) => /^ {2}(.*?): /.exec(line)?.[1])).toEqual([
        'a revoked key',
        'a revoked key',
        'the former half of a rotated key',
        'an old password',
        'freezeAccount',
      ]);
      const { rows: keys } = await client.query('SELECT api_key_id FROM api_keys');
      expect(keys).toEqual([{ api_key_id: 'key_bob2' }]);
      const { rows: sessions } = await client.query('SELECT session_id FROM sessions');
      expect(sessions).toEqual([{ session_id: 'ses_bob' }]);
      const { rows: users } = await client.query('SELECT username FROM users WHERE password_hash IS NULL');
      expect(users).toEqual([{ username: 'alice' }]);
    });
  });

  it('is found by names that the document has', () => {
    const document = readFileSync('openapi.json', 'utf8');
    const ids = [...document.matchAll(/"operationId": "(\w+)"/g)].map(([, id]) => id);
    const current = [...ACTIONS].filter((action) => /^[a-z]+[A-Z]\w*$/.test(action));
    expect(current.length).toBeGreaterThan(5);
    expect(ids).toEqual(expect.arrayContaining(current));
  });
});
