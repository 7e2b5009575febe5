import { openExisting } from './existing-database.js';
import { operatorCommand } from './operator-command.js';
import type pg from 'pg';
import { type Config, loadConfig } from '../kit/config/config.js';
import { readSecret } from '../kit/config/secret-file.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { createPgPool } from '../kit/database/pg-pool.js';
import { countStaleDataKeys, rewrapDataKeys, type Rewrapped } from '../kit/vault/key-rotation.js';
import { Keystore } from '../kit/vault/keystore.js';
import { openKeystore } from '../kit/vault/passphrase-vault.js';
import { chosenPassphrase, madePassphrasePath, replaceMadePassphrase } from '../kit/vault/passphrase.js';
import { type Progress, showProgress } from '../kit/progress.js';

interface Options {
  readonly passphrase: boolean;
  readonly newPassphraseFile: string | undefined;
}

export const keysRotate = operatorCommand({
  name: 'keys rotate',
  summary: 'gives the key store a new master key, or another passphrase',
  usage: `[options]

Makes a new master key and wraps the key of every wallet and stored secret by it. The service may run.

  --passphrase            change the passphrase instead
  --new-passphrase-file   file that holds the new passphrase; without it, and where the service made
                          its own passphrase, another one is made

The service starts with the old and the new passphrase until it has started with the new one once.
`,
  options: {
    passphrase: { type: 'boolean', default: false },
    'new-passphrase-file': { type: 'string' },
  },
  failure: 'The keys could not be rotated',
  needs: 'keys',
  async run(values) {
    const config = loadConfig();
    const connection = await openExisting(config);
    const pool = createPgPool(connection.url);
    try {
      return await rotate(config, pool, {
        passphrase: values.passphrase || values['new-passphrase-file'] !== undefined,
        newPassphraseFile: values['new-passphrase-file'],
      });
    } finally {
      await pool.end();
      await connection.close();
    }
  },
});

async function rotate(config: Config, pool: pg.Pool, options: Options): Promise<number> {
  if (!(await Keystore.exists(pool))) {
    throw new StartRefusal('This database has no keys yet: start the service on it once.');
  }
  const keystore = await openKeystore(config, pool);
  try {
    if (!options.passphrase) return await rotateMasterKey(pool, keystore);
    await changePassphrase(config, keystore, options.newPassphraseFile);
    return 0;
  } finally {
    keystore.close();
  }
}

async function rotateMasterKey(pool: pg.Pool, keystore: Keystore): Promise<number> {
  const left = await countStaleDataKeys(pool, keystore);
  if (left > 0) process.stdout.write(`Continues the rotation that was cut short: ${left} keys are left.\n`);
  let result = left > 0 ? await rewrap(pool, keystore) : undefined;
  // The rest may be impossible to open; it must not block the rotation for ever.
  if (result === undefined || result.wrapped === 0) {
    await keystore.addMasterKey();
    result = await rewrap(pool, keystore);
  }
  const { wrapped, unreadable } = result;
  const version = await keystore.currentVersion();
  process.stdout.write(`Master key ${version} wraps everything now: ${wrapped} keys were wrapped anew.\n`);
  if (unreadable.length === 0) return 0;
  process.stdout.write(`These could not be opened, and stay as they are: ${unreadable.join(', ')}\n`);
  return 1;
}

async function rewrap(pool: pg.Pool, keystore: Keystore): Promise<Rewrapped> {
  let progress: Progress | undefined;
  try {
    return await rewrapDataKeys(pool, keystore, ({ done, total }) => {
      progress ??= showProgress('Wrapping keys', total);
      progress.update(done);
    });
  } finally {
    progress?.stop();
  }
}

async function changePassphrase(
  config: Config,
  keystore: Keystore,
  newPassphraseFile: string | undefined,
): Promise<void> {
  if (newPassphraseFile !== undefined) {
    const text = readSecret('--new-passphrase-file', newPassphraseFile);
    await keystore.addLock(chosenPassphrase(text, newPassphraseFile));
    process.stdout.write(
      'The new passphrase opens the keys. Give it to the service by KEYSTORE_PASSPHRASE_FILE and start that again: from then on the old one opens nothing.\n',
    );
    return;
  }
  if (config.keystorePassphrase !== undefined) {
    throw new StartRefusal('Name the file that holds the new passphrase by --new-passphrase-file.');
  }
  const path = madePassphrasePath(config);
  await replaceMadePassphrase(path, (passphrase) => keystore.addLock(passphrase));
  process.stdout.write(
    `${path} holds a new passphrase. Once the service has started again, the old one opens nothing.\n`,
  );
}
