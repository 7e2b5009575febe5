import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { faultOfHead, knownKeysOf, type SignedJournalHead } from '../../domain/proof/journal-head.js';
import { readJournalKeys } from './journal-keys.js';

const NAME = /^heads-\d{4}-\d\d-\d\d\.ndjson$/;
/** A row's time is taken somewhat before its commit, by which PostgreSQL stops. */
const COMMIT_MS_MAX = 60_000;

/** The last head of a folder by its time, before `until`; null where the folder has none, or is none. */
export async function lastHeadIn(folder: string, until?: Date): Promise<SignedJournalHead | null> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const untilMs = until === undefined ? Infinity : until.getTime() - COMMIT_MS_MAX;
  for (const name of names
    .filter((file) => NAME.test(file))
    .sort()
    .reverse()) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    const heads = lines.flatMap(headIn).filter(({ time }) => Date.parse(time) <= untilMs);
    const last = heads.sort((one, other) => Date.parse(one.time) - Date.parse(other.time)).at(-1);
    if (last !== undefined) return last;
  }
  return null;
}

/** Why the database does not go on from a head that was signed; null where it does. */
export async function faultOfLastHead(
  client: pg.ClientBase,
  head: SignedJournalHead,
): Promise<string | null> {
  const { rows } = await client.query<{ hash: string | null; last: string }>(
    `SELECT (SELECT last_sequence FROM core_leader) AS last, coalesce(
       (SELECT hash FROM journal WHERE last_sequence = $1),
       (SELECT encode(chain_hash, 'hex') FROM journal_leaves WHERE last_sequence = $1)) AS hash`,
    [head.sequence],
  );
  const { hash, last } = rows[0]!;
  if (hash !== head.chain_hash) {
    const found =
      Number(last) < head.sequence
        ? `the journal ends at ${last}`
        : 'the journal has another row there, or none';
    return `wrong timeline: the last signed head, of ${head.time}, is at sequence ${head.sequence}, and ${found}`;
  }
  const keys = knownKeysOf(await readJournalKeys(client));
  return typeof keys === 'string' ? keys : faultOfHead(head, keys);
}

/** The last line may have been cut short. */
function headIn(line: string): SignedJournalHead[] {
  try {
    return [JSON.parse(line) as SignedJournalHead];
  } catch {
    return [];
  }
}
