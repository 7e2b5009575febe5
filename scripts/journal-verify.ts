/**
 * `npm run journal:verify`: replays the journal through the engine and compares hash chain, state and
 * tables. Works on the database of `DATABASE_URL`, or on the embedded one of `DATA_DIR`, whether the
 * service runs or not. Exit code 0 where all agree, 1 where a row differs, 2 where nothing could be compared.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import {
  type Verification,
  verifyJournal,
  type VerifyOptions,
} from '../src/core/journal/journal-verifier.js';
import { loadConfig } from '../src/platform/config/config.js';
import { openExisting, reasonOf } from './support/existing-database.js';
import { type Progress, showProgress } from './support/progress.js';

const USAGE = `Usage: npm run journal:verify [-- options]

Replays the journal and names the first row that differs from what the engine makes of it.

  --checkpoint        keep the proven state, so that a later run may start from it
  --from-checkpoint   start at the newest checkpoint instead of the first row
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      checkpoint: { type: 'boolean', default: false },
      'from-checkpoint': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const connection = await openExisting(loadConfig());
  try {
    const result = await verify(connection.url, {
      saveCheckpoint: values.checkpoint,
      fromCheckpoint: values['from-checkpoint'],
    });
    return report(result, values.checkpoint);
  } finally {
    await connection.close();
  }
}

async function verify(url: string, options: VerifyOptions): Promise<Verification> {
  const client = new pg.Client({ connectionString: url, application_name: 'tradepost-verify' });
  await client.connect();
  let progress: Progress | undefined;
  try {
    return await verifyJournal(client, {
      ...options,
      onProgress: ({ sequence, lastSequence }) => {
        progress ??= showProgress('Replaying', lastSequence);
        progress.update(sequence);
      },
    });
  } finally {
    progress?.stop();
    await client.end();
  }
}

function report(result: Verification, savedCheckpoint: boolean): number {
  if (!result.ok) {
    process.stdout.write(`Differs at the journal row of sequence ${result.sequence}: ${result.reason}\n`);
    return 1;
  }
  const { entries, commands, sequence, stateHash } = result;
  const kept = savedCheckpoint ? ', kept as a checkpoint' : '';
  process.stdout.write(
    `Verified: ${entries} journal rows with ${commands} commands lead to sequence ${sequence}, state hash ${stateHash}${kept}\n`,
  );
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The journal could not be verified: ${reasonOf(error, 'journal')}\n`);
  process.exitCode = 2;
}
