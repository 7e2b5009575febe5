import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TEST_PASSPHRASE, startTestApp, type TestAppOverrides } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

describe('what a start leaves in the database', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  async function startOnce(overrides: TestAppOverrides): Promise<void> {
    const app = await startTestApp({ databaseUrl: database.url, ...overrides });
    await app.close();
  }

  async function column(sql: string): Promise<string[]> {
    const { rows } = await client.query<[string]>({ text: sql, rowMode: 'array' });
    return rows.map(([value]) => value);
  }

  const deposits = (): Promise<string[]> =>
    column(`SELECT account.owner || ' ' || transfer.asset || ' ' || (transfer.amount / 10::numeric ^ 18)::bigint
              FROM transfers transfer JOIN accounts account ON account.account_id = transfer.credit_account_id
             ORDER BY 1`);
  const clients = (): Promise<string[]> => column('SELECT client_id FROM oauth_clients ORDER BY 1');

  const DEPOSITS = ['client:demo', 'client:maker'].flatMap((owner) =>
    ['BTC 1000', 'ETH 10000', 'EUR 1000000', 'USD 10000000', 'USDC 10000000'].map(
      (money) => `${owner} ${money}`,
    ),
  );

  it('is the demo data, once', async () => {
    await startOnce({});
    expect(await deposits()).toEqual(DEPOSITS);
    expect(await clients()).toEqual(['admin', 'console', 'demo', 'explorer', 'maker', 'petstore-ui']);
    expect(await column('SELECT username FROM users WHERE is_operator')).toEqual(['admin']);
    expect(await column('SELECT market_id FROM markets ORDER BY 1')).toEqual([
      'BTC-USD',
      'ETH-USD',
      'ETH-USDC',
      'RAIN-LISBON',
    ]);
    expect(await column('SELECT owner FROM accounts WHERE owner IS NOT NULL ORDER BY 1')).toEqual([
      'client:admin',
      'client:demo',
      'client:maker',
      'user:1',
      'user:2',
      'user:3',
    ]);

    await client.query(`DELETE FROM oauth_clients WHERE client_id = 'maker'`);
    await startOnce({});
    expect(await clients()).toEqual(['admin', 'console', 'demo', 'explorer', 'petstore-ui']);
  });

  it('is completed by the next start when one was cut short, however long ago', async () => {
    await startOnce({});
    await client.query(`
      UPDATE seeds SET completed_at = NULL;
      DELETE FROM command_keys;
      DELETE FROM oauth_clients WHERE client_id = 'maker';
      DELETE FROM users WHERE username = 'bob'`);
    await startOnce({});
    expect(await deposits()).toEqual(DEPOSITS);
    expect(await clients()).toContain('maker');
    expect(await column('SELECT username FROM users ORDER BY 1')).toEqual(['admin', 'alice', 'bob']);
    expect(await column('SELECT count(*) FROM seeds WHERE completed_at IS NOT NULL')).toEqual(['1']);
  });

  it('keeps production from starting on demo data, and other machines from reaching them unasked', async () => {
    await startOnce({});
    await expect(
      startOnce({ nodeEnv: 'production', seedDemo: false, keystorePassphrase: TEST_PASSPHRASE }),
    ).rejects.toMatchObject({
      setting: 'NODE_ENV',
    });
    await expect(
      startOnce({ host: '0.0.0.0', seedDemo: false, demoDataAccepted: false }),
    ).rejects.toMatchObject({
      setting: 'HOST',
    });
  });

  it('is the first operators that the settings name, and no others', async () => {
    const operators = (): Promise<string[]> => column('SELECT username FROM users WHERE is_operator');
    await startOnce({
      seedDemo: false,
      bootstrapAdmins: [{ username: 'Root', password: 'a long password' }],
    });
    expect(await operators()).toEqual(['Root']);
    expect((await column('SELECT password_hash FROM users'))[0]).toMatch(/^\$argon2id\$/);
    expect(await column('SELECT owner FROM accounts WHERE owner IS NOT NULL')).toEqual(['user:1']);

    const other = { username: 'other', password: 'a long password' };
    await startOnce({ seedDemo: false, bootstrapAdmins: [other] });
    expect(await operators()).toEqual(['Root']);

    // A lone operator gets a second one, whom nobody created.
    const root = { username: 'root', password: 'another password' };
    await startOnce({ seedDemo: false, bootstrapAdmins: [root, other] });
    expect((await operators()).sort()).toEqual(['Root', 'other']);
    expect(await column('SELECT created_by FROM users WHERE created_by IS NOT NULL')).toEqual([]);
    expect(await column('SELECT name FROM seeds')).toEqual([]);
  });
});
