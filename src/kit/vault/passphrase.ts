import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashRaw } from '@node-rs/argon2';
import { ConfigError, type Config } from '../config/config.js';
import { KEY_BYTES } from './encryption.js';

/** The cost of trying one passphrase. */
export interface StretchingCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** A passphrase that a person chose: the second of the two settings that RFC 9106 recommends, on one lane. */
const CHOSEN_COST: StretchingCost = { memoryKib: 64 * 1024, passes: 3 };
/** A passphrase that the service made has 256 random bits: it cannot be guessed, however cheap a try is. */
const MADE_COST: StretchingCost = { memoryKib: 19 * 1024, passes: 2 };
const MADE_BYTES = 32;

const FILE_MODE = 0o600;

/** What opens the key store. */
export interface Passphrase {
  readonly text: string;
  /** The setting or file that it comes from, for messages. */
  readonly source: string;
  /** The cost for a new lock; an existing lock keeps its own. */
  readonly cost: StretchingCost;
}

/** Where the service keeps the passphrase that it made itself. */
export function madePassphrasePath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'keystore-passphrase');
}

/**
 * The passphrase that the operator set, or else, outside production, the one that the service made itself.
 * `undefined` where there is neither. Throws a ConfigError in production where none is set.
 */
export async function findPassphrase(config: Config): Promise<Passphrase | undefined> {
  if (config.keystorePassphrase !== undefined) return chosenPassphrase(config.keystorePassphrase);
  if (config.nodeEnv === 'production') {
    throw new ConfigError(
      'KEYSTORE_PASSPHRASE',
      'or KEYSTORE_PASSPHRASE_FILE must be set when NODE_ENV is production: it encrypts the seeds of wallets and stored secrets, which are lost with it.',
    );
  }
  return readMadePassphrase(madePassphrasePath(config));
}

/** A passphrase that a person chose; `source` is for messages. */
export function chosenPassphrase(text: string, source = 'KEYSTORE_PASSPHRASE'): Passphrase {
  return { text, source, cost: CHOSEN_COST };
}

async function readMadePassphrase(path: string): Promise<Passphrase | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (text === '') throw new ConfigError('DATA_DIR', `holds an empty ${path}: put its passphrase back.`);
    return { text, source: path, cost: MADE_COST };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes a passphrase and keeps it in a file that only the service can read, complete and on disk once this resolves.
 * Processes that make one at the same time all get the same.
 */
export async function makePassphrase(path: string): Promise<Passphrase> {
  const unfinished = `${path}.${randomBytes(8).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeMadePassphrase(unfinished);
    // Unlike a rename, a link never replaces an existing file.
    await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncFolder(dirname(path));
  const made = await readMadePassphrase(path);
  if (made === undefined) throw new Error(`${path} vanished while it was made`);
  return made;
}

/**
 * Makes another passphrase, and replaces the one at `path` once `adopt` has resolved. A crash before leaves the old
 * file, a crash after the new one; both open everything.
 */
export async function replaceMadePassphrase(
  path: string,
  adopt: (passphrase: Passphrase) => Promise<void>,
): Promise<void> {
  const unfinished = `${path}.next`;
  await rm(unfinished, { force: true });
  const text = await writeMadePassphrase(unfinished);
  await adopt({ text, source: path, cost: MADE_COST });
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}

async function writeMadePassphrase(path: string): Promise<string> {
  const text = randomBytes(MADE_BYTES).toString('base64url');
  await writeFile(path, `${text}\n`, { flag: 'wx', mode: FILE_MODE, flush: true });
  return text;
}

/** argon2id. Returns a key in a buffer that the caller wipes. */
export function stretch(passphrase: string, salt: Uint8Array, cost: StretchingCost): Promise<Buffer> {
  return hashRaw(passphrase.normalize(), {
    salt,
    memoryCost: cost.memoryKib,
    timeCost: cost.passes,
    parallelism: 1,
    outputLen: KEY_BYTES,
  });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
