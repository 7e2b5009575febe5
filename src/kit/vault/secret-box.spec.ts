import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openPool } from '../../../test/support/pool.js';
import { loadConfig, type Config } from '../config/config.js';
import { typeOrmOptions } from '../database/database.module.js';
import { PassphraseVault } from './passphrase-vault.js';
import type { KeyVault } from './key-vault.js';
import { type HouseSecretPlace, SecretBox, type SecretPlace } from './secret-box.js';

const SECRET = Buffer.from('abandon abandon about');
const PLACE: SecretPlace = { table: 'wallets', row: '7', column: 'sealed_entropy' };

describe('the vault', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let dataDir: string;
  let vaults: PassphraseVault[];
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    dataDir = await mkdtemp(join(tmpdir(), 'tradepost-vault-'));
    vaults = [];
  });
  afterEach(async () => {
    for (const vault of vaults) await vault.onApplicationShutdown();
    await pool.end();
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  const config = (overrides: Partial<Config> = {}): Config => ({
    ...loadConfig({ NODE_ENV: 'test', DATA_DIR: dataDir }),
    ...overrides,
  });
  const open = async (overrides: Partial<Config> = {}): Promise<SecretBox> => {
    const vault = new PassphraseVault(config(overrides), pool);
    vaults.push(vault);
    await vault.onModuleInit();
    return new SecretBox(vault, pool);
  };
  const passphraseFile = (): string => join(dataDir, 'keystore-passphrase');

  describe('the passphrase', () => {
    it('is made once, into a file that only the service reads', async () => {
      const sealed = await (await open()).seal(SECRET, PLACE);
      expect((await stat(passphraseFile())).mode & 0o777).toBe(0o600);
      const made = await readFile(passphraseFile(), 'utf8');
      expect(made).toMatch(/^[\w-]{43}\n$/);
      expect(await (await open()).open(sealed, PLACE)).toEqual(SECRET);
      expect(await readFile(passphraseFile(), 'utf8')).toBe(made);
    });

    it('is the same for all who start at once', async () => {
      const boxes = await Promise.all([open(), open(), open(), open()]);
      const sealed = await boxes[0].seal(SECRET, PLACE);
      for (const box of boxes) expect(await box.open(sealed, PLACE)).toEqual(SECRET);
      expect((await pool.query('SELECT FROM vault_locks')).rowCount).toBe(1);
    });

    it('must be set in production, and is not made there', async () => {
      await expect(open({ nodeEnv: 'production' })).rejects.toMatchObject({
        setting: 'KEYSTORE_PASSPHRASE',
        message: expect.stringMatching(/^KEYSTORE_PASSPHRASE or [^\n]+$/),
      });
      await expect(stat(passphraseFile())).rejects.toThrow('ENOENT');
      const box = await open({ nodeEnv: 'production', keystorePassphrase: 'correct horse' });
      expect(await box.open(await box.seal(SECRET, PLACE), PLACE)).toEqual(SECRET);
    });

    it('keeps the service from starting where it is wrong, in a line that does not tell it', async () => {
      await open({ keystorePassphrase: 'correct horse' });
      const refused = await open({ keystorePassphrase: 'battery staple' }).catch((error: Error) => error);
      expect(refused).toMatchObject({ setting: 'KEYSTORE_PASSPHRASE' });
      expect((refused as Error).message).toMatch(/^KEYSTORE_PASSPHRASE is not the passphrase [^\n]+$/);
      expect((refused as Error).message).not.toContain('battery');
    });

    it('keeps the service from starting where it is lost, instead of making another', async () => {
      await open();
      await rm(passphraseFile());
      await expect(open()).rejects.toMatchObject({ setting: 'KEYSTORE_PASSPHRASE' });
      await expect(stat(passphraseFile())).rejects.toThrow('ENOENT');
      await writeFile(passphraseFile(), '\n');
      await expect(open()).rejects.toMatchObject({ setting: 'DATA_DIR' });
    });
  });

  describe('SecretBox', () => {
    let box: SecretBox;
    beforeEach(async () => {
      box = await open();
    });

    it('opens what it sealed, under a data key of its own', async () => {
      const first = await box.seal(SECRET, PLACE);
      const second = await box.seal(SECRET, PLACE);
      expect(first).not.toEqual(second);
      expect(await box.open(first, PLACE)).toEqual(SECRET);
      expect(await box.open(second, PLACE)).toEqual(SECRET);
      expect(await box.open(await box.seal(Buffer.alloc(0), PLACE), PLACE)).toEqual(Buffer.alloc(0));
      const { rows } = await pool.query('SELECT context, key_version FROM vault_data_keys');
      expect(rows).toEqual(Array(3).fill({ context: 'wallets.sealed_entropy:7', key_version: '1' }));
    });

    it('opens nothing in another place', async () => {
      const sealed = await box.seal(SECRET, PLACE);
      for (const other of [{ row: '8' }, { table: 'walletz' }, { column: 'sealed' }]) {
        await expect(box.open(sealed, { ...PLACE, ...other })).rejects.toMatchObject({
          name: 'UnreadableSecret',
        });
      }
      await expect(box.seal(SECRET, { ...PLACE, table: 'a.b' })).rejects.toThrow(RangeError);
    });

    it('opens nothing that has a single bit flipped, wherever it is', async () => {
      const sealed = await box.seal(SECRET, PLACE);
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        await expect(box.open(flipped(sealed, bit), PLACE)).rejects.toMatchObject({
          name: 'UnreadableSecret',
        });
      }
      for (const length of [0, 8, 9, 36, sealed.length - 1]) {
        await expect(box.open(sealed.subarray(0, length), PLACE)).rejects.toMatchObject({
          name: 'UnreadableSecret',
        });
      }
    });

    it('opens nothing whose data key has a single bit flipped, or is another’s', async () => {
      const sealed = await box.seal(SECRET, PLACE);
      const { rows } = await pool.query<{ wrapped: Buffer }>('SELECT wrapped FROM vault_data_keys');
      const { wrapped } = rows[0]!;
      for (let bit = 0; bit < wrapped.length * 8; bit++) {
        await pool.query('UPDATE vault_data_keys SET wrapped = $1', [flipped(wrapped, bit)]);
        await expect(box.open(sealed, PLACE)).rejects.toMatchObject({ name: 'UnreadableSecret' });
      }
      const other = await box.seal(SECRET, { ...PLACE, row: '8' });
      await pool.query(
        `UPDATE vault_data_keys SET wrapped = (SELECT wrapped FROM vault_data_keys WHERE context LIKE '%:8')`,
      );
      await expect(box.open(sealed, PLACE)).rejects.toMatchObject({ name: 'UnreadableSecret' });
      expect(await box.open(other, { ...PLACE, row: '8' })).toEqual(SECRET);
      await pool.query('DELETE FROM vault_data_keys');
      await expect(box.open(sealed, PLACE)).rejects.toMatchObject({ name: 'UnreadableSecret' });
    });

    it('opens nothing once a master key has a single bit flipped', async () => {
      const { rows } = await pool.query<{ wrapped: Buffer }>('SELECT wrapped FROM vault_master_keys');
      const { wrapped } = rows[0]!;
      for (const bit of [0, 95, 96, 200, wrapped.length * 8 - 1]) {
        await pool.query('UPDATE vault_master_keys SET wrapped = $1', [flipped(wrapped, bit)]);
        await expect(open()).rejects.toMatchObject({ name: 'ConfigError' });
      }
      await pool.query('UPDATE vault_master_keys SET wrapped = $1', [wrapped]);
      await open();
    });

    describe('with a secret of the house', () => {
      const HOUSE: HouseSecretPlace = {
        table: 'journal_secrets',
        key: 'name',
        row: 'statements',
        column: 'sealed_secret',
      };

      it('makes it once, for all processes that start at once', async () => {
        // Each has found none, and made its own, before any of them is stored.
        const processes = 3;
        let made = 0;
        let allMade: () => void;
        const together = new Promise<void>((resolve) => (allMade = resolve));
        const vault = {
          wrap: async (key: Uint8Array) => {
            const bytes = Buffer.from(key);
            if (++made === processes) allMade();
            await together;
            return { keyVersion: '1', bytes };
          },
          unwrap: async ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes),
        } as unknown as KeyVault;
        const pools = Array.from({ length: processes }, () => openPool(database.url));
        try {
          const opened = await Promise.all(pools.map((each) => new SecretBox(vault, each).openOrMake(HOUSE)));
          expect(made).toBe(processes);
          expect(opened[0]).toHaveLength(32);
          for (const each of opened) expect(each).toEqual(opened[0]);
          expect(await new SecretBox(vault, pool).openOrMake(HOUSE)).toEqual(opened[0]);
          expect(made).toBe(processes);
        } finally {
          for (const each of pools) await each.end();
        }
      });

      it('has another one in each row', async () => {
        const first = await box.openOrMake(HOUSE);
        expect(await box.openOrMake({ ...HOUSE, row: 'other' })).not.toEqual(first);
        expect(await box.openOrMake(HOUSE)).toEqual(first);
        await expect(box.openOrMake({ ...HOUSE, key: 'name = name OR name' })).rejects.toThrow(RangeError);
      });
    });

    describe('in a transaction', () => {
      let source: DataSource;
      beforeEach(async () => {
        source = await new DataSource(typeOrmOptions(database.url)).initialize();
      });
      afterEach(() => source.destroy());

      it('leaves nothing behind where that is rolled back', async () => {
        const sealed = await source.transaction(async (manager) => {
          const kept = await box.seal(SECRET, PLACE, manager);
          expect(await box.open(kept, PLACE, manager)).toEqual(SECRET);
          return kept;
        });
        expect(await box.open(sealed, PLACE)).toEqual(SECRET);
        await source
          .transaction(async (manager) => {
            await box.seal(SECRET, PLACE, manager);
            throw new Error('rolled back');
          })
          .catch(() => undefined);
        expect((await pool.query('SELECT FROM vault_data_keys')).rowCount).toBe(1);
      });
    });
  });
});

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}
