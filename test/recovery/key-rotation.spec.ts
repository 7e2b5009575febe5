import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/kit/config/config.js';
import { PassphraseVault } from '../../src/kit/vault/passphrase-vault.js';
import { SecretBox, type SecretPlace } from '../../src/kit/vault/secret-box.js';
import { eventually } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { openPool } from '../support/pool.js';

const SERVICE = resolve('dist/bundle/main.js');
const SECRETS = 150;

/** The key store of a service, and the script that rotates it, as a process of its own that may be killed. */
describe('tradepost keys rotate', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let dataDir: string;
  let box: SecretBox;
  let sealed: Buffer[];
  let vaults: PassphraseVault[];
  let scripts: ChildProcess[];
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    dataDir = await mkdtemp(join(tmpdir(), 'tradepost-rotation-'));
    vaults = [];
    scripts = [];
    box = await start();
    sealed = [];
  });
  afterEach(async () => {
    for (const script of scripts) script.kill('SIGKILL');
    for (const vault of vaults) await vault.onApplicationShutdown();
    await pool.end();
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  /** Handles the keys as a start of the service does. */
  async function start(env: NodeJS.ProcessEnv = {}): Promise<SecretBox> {
    const vault = new PassphraseVault(
      loadConfig({ NODE_ENV: 'test', DATA_DIR: dataDir, DATABASE_URL: database.url, ...env }),
      pool,
    );
    vaults.push(vault);
    await vault.onModuleInit();
    return new SecretBox(vault, pool);
  }

  async function seal(count: number): Promise<void> {
    for (let i = 0; i < count; i++) sealed.push(await box.seal(secretOf(i), placeOf(i)));
  }

  /** `descriptor` is the script's file descriptor 3. */
  function rotate(args: string[] = [], env: NodeJS.ProcessEnv = {}, descriptor?: number): ChildProcess {
    const script = spawn(process.execPath, [SERVICE, 'keys', 'rotate', ...args], {
      stdio: ['ignore', 'pipe', 'pipe', descriptor],
      env: { ...process.env, NODE_ENV: 'test', DATA_DIR: dataDir, DATABASE_URL: database.url, ...env },
    });
    scripts.push(script);
    return script;
  }

  async function finished(script: ChildProcess): Promise<{ code: number; told: string }> {
    const [told, complaints, [code]] = await Promise.all([
      text(script.stdout!),
      text(script.stderr!),
      once(script, 'exit') as Promise<[number]>,
    ]);
    return { code, told: told + complaints };
  }

  async function expectAllReadable(...boxes: SecretBox[]): Promise<void> {
    for (const each of boxes) {
      for (const [i, bytes] of sealed.entries()) {
        expect((await each.open(bytes, placeOf(i))).equals(secretOf(i))).toBe(true);
      }
    }
  }

  async function versions(): Promise<Record<string, number>> {
    const { rows } = await pool.query<{ key_version: string; count: string }>(
      'SELECT key_version, count(*) FROM vault_data_keys GROUP BY key_version',
    );
    return Object.fromEntries(rows.map(({ key_version, count }) => [key_version, Number(count)]));
  }

  it('wraps everything by a new master key, while the service runs, and shows how far it is', async () => {
    await seal(SECRETS);
    const { code, told } = await finished(rotate());
    expect(told).toContain('Wrapping keys 100 %');
    expect(told).toContain(`Master key 2 wraps everything now: ${SECRETS} keys were wrapped anew.`);
    expect(code).toBe(0);
    expect(await versions()).toEqual({ '2': SECRETS });
    // The service that ran throughout, and one that starts now.
    await expectAllReadable(box, await start());
    await box.seal(secretOf(0), placeOf(0));
    expect(await versions()).toEqual({ '2': SECRETS + 1 });
    const { rows } = await pool.query<{ wrapped: Buffer }>('SELECT wrapped FROM vault_data_keys');
    expect(new Set(rows.map(({ wrapped }) => wrapped.toString('hex'))).size).toBe(SECRETS + 1);
  });

  it('leaves everything readable when it is killed half way, and does the rest the next time', async () => {
    await seal(SECRETS);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      // The script blocks at this row until it is killed.
      await client.query('BEGIN');
      await client.query('SELECT FROM vault_data_keys WHERE data_key_id = 130 FOR UPDATE');
      const script = rotate();
      await eventually(async () => {
        const { rowCount } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rowCount! > 0;
      }, 'the rotation is half way');
      expect(await versions()).toEqual({ '1': SECRETS - 100, '2': 100 });
      const late = await box.seal(secretOf(0), placeOf(0));
      script.kill('SIGKILL');
      await once(script, 'exit');
      await expectAllReadable(box, await start());
      expect((await box.open(late, placeOf(0))).equals(secretOf(0))).toBe(true);
    } finally {
      await client.end();
    }
    const { code, told } = await finished(rotate());
    expect(told).toContain(`Continues the rotation that was cut short: ${SECRETS - 100} keys are left.`);
    expect(code).toBe(0);
    expect(await versions()).toEqual({ '2': SECRETS + 1 });
    await expectAllReadable(box, await start());
  });

  it('leaves everything readable whenever it is killed', async () => {
    await seal(SECRETS);
    for (let killed = 0; killed < 2; killed++) {
      const script = rotate();
      // Somewhere after the first rows: each run gets further than the last.
      script.stderr!.once('data', () => script.kill('SIGKILL'));
      await once(script, 'exit');
      await expectAllReadable(box, await start());
    }
    expect((await finished(rotate())).code).toBe(0);
    await expectAllReadable(box, await start());
  });

  it('names what cannot be opened, and wraps the rest', async () => {
    await seal(SECRETS);
    await pool.query(`UPDATE vault_data_keys SET wrapped = '\\x00' WHERE data_key_id = 7`);
    const { code, told } = await finished(rotate());
    expect(code).toBe(1);
    expect(told).toContain('could not be opened, and stay as they are: wallets.sealed_seed:6');
    expect(await versions()).toEqual({ '1': 1, '2': SECRETS - 1 });
    // It does not block the next rotation either.
    expect(await finished(rotate())).toMatchObject({ code: 1 });
    expect(await versions()).toEqual({ '1': 1, '3': SECRETS - 1 });
  });

  it('makes another passphrase where the service made its own', async () => {
    await seal(2);
    const path = join(dataDir, 'keystore-passphrase');
    const old = await readFile(path, 'utf8');
    expect(await finished(rotate(['--passphrase']))).toMatchObject({ code: 0 });
    const made = await readFile(path, 'utf8');
    expect(made).toMatch(/^[\w-]{43}\n$/);
    expect(made).not.toBe(old);
    // Until the service has restarted, it could not open a new master key.
    expect(await finished(rotate())).toMatchObject({
      code: 2,
      told: expect.stringContaining('has not been started with the new one yet'),
    });
    await expectAllReadable(box, await start());
    expect(await finished(rotate())).toMatchObject({ code: 0 });
    await writeFile(path, old);
    await expect(start()).rejects.toMatchObject({ name: 'ConfigError' });
  });

  it('takes a passphrase from a file or a descriptor, and both the old and the new one open until the new one did', async () => {
    await seal(2);
    const path = join(dataDir, 'keystore-passphrase');
    const old = (await readFile(path, 'utf8')).trim();
    const newFile = join(dataDir, 'new');
    await writeFile(newFile, 'correct horse\n');
    const changed = await finished(rotate(['--new-passphrase-file', newFile]));
    expect(changed).toMatchObject({ code: 0 });
    expect(changed.told).not.toContain('correct horse');
    // Both, with the settings in either order.
    await expectAllReadable(await start({ KEYSTORE_PASSPHRASE: old }));
    await expectAllReadable(await start({ KEYSTORE_PASSPHRASE_FILE: newFile }));
    await expect(start({ KEYSTORE_PASSPHRASE: old })).rejects.toMatchObject({
      setting: 'KEYSTORE_PASSPHRASE',
    });
    const handle = await open(newFile);
    const again = rotate([], { KEYSTORE_PASSPHRASE_FILE: '/dev/fd/3' }, handle.fd);
    expect(await finished(again)).toMatchObject({ code: 0 });
    await handle.close();
    await expectAllReadable(await start({ KEYSTORE_PASSPHRASE: 'correct horse' }));
  });

  it('follows the last change of a passphrase, where one before was not followed up', async () => {
    await seal(2);
    for (const name of ['first', 'second']) await writeFile(join(dataDir, name), `${name} passphrase`);
    expect(await finished(rotate(['--new-passphrase-file', join(dataDir, 'first')]))).toMatchObject({
      code: 0,
    });
    expect(await finished(rotate(['--new-passphrase-file', join(dataDir, 'second')]))).toMatchObject({
      code: 0,
    });
    await expect(start({ KEYSTORE_PASSPHRASE: 'first passphrase' })).rejects.toThrow();
    await expectAllReadable(await start({ KEYSTORE_PASSPHRASE: 'second passphrase' }));
  });

  it('changes nothing with a wrong passphrase, and does not tell it', async () => {
    await seal(2);
    const { code, told } = await finished(rotate([], { KEYSTORE_PASSPHRASE: 'battery staple' }));
    expect(code).toBe(2);
    expect(told).toContain('KEYSTORE_PASSPHRASE is not the passphrase');
    expect(told).not.toContain('battery');
    expect(await versions()).toEqual({ '1': 2 });
  });
});

function placeOf(i: number): SecretPlace {
  return { table: 'wallets', row: String(i), column: 'sealed_seed' };
}

function secretOf(i: number): Buffer {
  return Buffer.from(`secret ${i}`);
}
