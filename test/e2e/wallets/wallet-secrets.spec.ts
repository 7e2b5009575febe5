import { base58 } from '@scure/base';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, it } from 'vitest';
import { schemeOf } from '../../../src/modules/wallets/keys/chain-scheme.js';
import { CHAINS } from '../../../src/modules/wallets/keys/chain.js';
import { decrypt, encrypt } from '../../../src/kit/vault/encryption.js';
import { TradepostPlugin } from '../../../src/kit/module/tradepost-module.js';
import { KeyVault, UnreadableSecret, type WrappedKey } from '../../../src/kit/vault/key-vault.js';
import { SecretBox } from '../../../src/kit/vault/secret-box.js';
import { TEST_PASSPHRASE, startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { createTestDatabase } from '../../support/database.js';
import { recordStandardOutput } from '../../support/standard-output.js';
import { callerFor, type Json } from '../../support/caller.js';

const SEED_BYTES = 64;

describe('key material', () => {
  it('is in no log, answer, error or metric', async () => {
    const output = recordStandardOutput();
    const answers: string[] = [];
    let secrets: Secrets;
    try {
      const app = await startTestApp({ logLevel: 'trace', rateLimits: 'off' });
      try {
        secrets = await useKeys(app, answers);
      } finally {
        await app.close();
      }
    } finally {
      output.stop();
    }
    const told = `${output.text()}\n${answers.join('\n')}`;
    // The search works: it finds what the answers do contain.
    expect(told).toContain('wlt_');
    expect(told).toContain('internal_error');
    expect(output.text()).toContain('cannot be opened');
    expect(secrets.bytes.length).toBe(7);
    for (const text of secrets.bytes.flatMap(waysToWrite)) expect(told.includes(text)).toBe(false);
    expect(told).not.toContain(TEST_PASSPHRASE);
    expect(told.toLowerCase()).not.toContain(secrets.words.split(' ').slice(0, 3).join(' '));
  });
});

interface Secrets {
  readonly bytes: readonly Buffer[];
  readonly words: string;
}

/** Uses a wallet's keys in every way, including failures, and returns the secrets that must not appear. */
async function useKeys({ app, url, config }: TestApp, answers: string[]): Promise<Secrets> {
  const [demo, operator] = await Promise.all([callerFor(url, 'demo'), callerFor(url, 'admin')]);
  const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
    queryOnce<Json>(config.databaseUrl!, text, values);
  const keep = (reply: Json): Json => {
    answers.push(JSON.stringify([reply.body, ...reply.headers.entries()]));
    return reply.body;
  };
  const { wallet_id } = keep(await demo.post('/wallets', { name: 'Kept' }));
  const addresses: Json[] = [];
  for (const chain of CHAINS) {
    addresses.push(keep(await demo.post(`/wallets/${wallet_id}/addresses`, { chain, purpose: 'signing' })));
  }
  const signAll = async (): Promise<void> => {
    for (const { address } of addresses) {
      keep(await demo.post(`/wallets/${wallet_id}/sign`, { address, type: 'raw', payload: 'hello' }));
      keep(await demo.post(`/wallets/${wallet_id}/sign`, { address, type: 'typed', typed_data: {} }));
    }
  };
  await signAll();

  const [{ wallet_id: row, sealed_seed }] = await query('SELECT wallet_id, sealed_seed FROM wallets');
  const place = { table: 'wallets', row: String(row), column: 'sealed_seed' };
  const secret = await app.nest.get(SecretBox).open(sealed_seed, place);
  const keys = addresses.map(({ chain, derivation_path }) =>
    Buffer.from(
      schemeOf(chain, 'mainnet').derive(secret.subarray(0, SEED_BYTES), derivation_path).privateKey,
    ),
  );
  const dataKey = await query('SELECT * FROM vault_data_keys');
  const [opened] = await Promise.all(
    dataKey.map(({ key_version, wrapped, context }) =>
      app.nest.get(KeyVault).unwrap({ keyVersion: key_version, bytes: wrapped }, context),
    ),
  );

  // An address that the seed does not derive, another wallet's seed, and one that cannot be opened.
  await query(
    `UPDATE wallet_addresses SET derivation_path = derivation_path || '/0' WHERE chain = 'bitcoin'`,
  );
  await signAll();
  await query(
    `UPDATE wallets SET sealed_seed = set_byte(sealed_seed, 20, 1 + get_byte(sealed_seed, 20) % 255)`,
  );
  await signAll();
  await query('DELETE FROM vault_data_keys');
  await signAll();
  answers.push(await (await fetch(`${url}/openapi.json`)).text());
  const metrics = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${await tokenOf(url)}` },
  });
  answers.push(await metrics.text());
  keep(await operator.get('/admin/ledger/check'));
  return {
    bytes: [
      secret.subarray(0, SEED_BYTES),
      secret.subarray(0, SEED_BYTES / 2),
      secret.subarray(SEED_BYTES),
      ...keys,
      opened!,
    ],
    words: entropyToMnemonic(secret.subarray(SEED_BYTES), wordlist),
  };
}

async function tokenOf(url: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'admin',
      client_secret: 'admin-secret',
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

function waysToWrite(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  return [
    hex,
    hex.toUpperCase(),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    base58.encode(bytes),
    BigInt(`0x${hex}`).toString(),
    [...bytes].join(),
    [...bytes].map((byte, i) => `"${i}":${byte}`).join(),
  ];
}

/** Like a KMS: its key never leaves it. */
class HouseKms extends KeyVault {
  private readonly key = Buffer.alloc(32, 7);

  override currentVersion(): Promise<string> {
    return Promise.resolve('kms/house');
  }

  override wrap(dataKey: Uint8Array, context: string): Promise<WrappedKey> {
    return Promise.resolve({
      keyVersion: 'kms/house',
      bytes: encrypt(this.key, dataKey, Buffer.from(context)),
    });
  }

  override async unwrap({ bytes }: WrappedKey, context: string): Promise<Buffer> {
    try {
      return await Promise.resolve(decrypt(this.key, bytes, Buffer.from(context)));
    } catch (error) {
      throw new UnreadableSecret(context, { cause: error });
    }
  }
}

@TradepostPlugin({ name: 'house', compatibility: '*', implementations: [HouseKms] })
class HousePlugin {}

describe('a vault of the house', () => {
  it('takes the place of the passphrase', async () => {
    // The database of other specs has a key store already.
    const database = await createTestDatabase();
    const app = await startTestApp({
      databaseUrl: database.url,
      plugins: [HousePlugin],
    });
    try {
      const demo = await callerFor(app.url, 'demo');
      const { body: wallet } = await demo.post('/wallets', { name: 'By KMS' });
      const address = await demo.post(`/wallets/${wallet.wallet_id}/addresses`, {
        chain: 'ethereum',
        purpose: 'signing',
      });
      expect(address.status).toBe(201);
      const rows = await queryOnce(
        app.config.databaseUrl!,
        'SELECT DISTINCT key_version FROM vault_data_keys',
      );
      expect(rows).toEqual([{ key_version: 'kms/house' }]);
      expect(await queryOnce(app.config.databaseUrl!, 'SELECT FROM vault_locks')).toEqual([]);
    } finally {
      await app.close();
      await database.drop();
    }
  });
});
