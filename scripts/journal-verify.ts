/**
 * `npm run journal:verify`: replays the journal through the engine and compares hash chain, state and
 * tables. Works on the database of `DATABASE_URL`, or on the embedded one of `DATA_DIR`, whether the
 * service runs or not. Exit code 0 where all agree, 1 where a row differs, 2 where nothing could be compared.
 */
import { parseArgs } from 'node:util';
import { type Verification, verifyJournal } from '../src/core/journal/journal-verifier.js';
import { DERIVED_TABLES } from '../src/modules/markets/derived-tables.js';
import { loadConfig } from '../src/kit/config/config.js';
import { withJournal } from './support/journal-connection.js';
import { reasonOf } from './support/existing-database.js';
import { existingArchive } from './support/journal-folder.js';

const USAGE = `Usage: npm run journal:verify [-- options]

Replays the journal and names the first row that differs from what the engine makes of it.

  --checkpoint        keep the proven state, so that a later run may start from it
  --from-checkpoint   start at the newest checkpoint instead of the first row
  --archive DIR       the folder that journal:archive has filled (default: JOURNAL_ARCHIVE, where it exists);
                      without it, what was archived is left to the checkpoint
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      checkpoint: { type: 'boolean', default: false },
      'from-checkpoint': { type: 'boolean', default: false },
      archive: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const config = loadConfig();
  const archive = existingArchive(config, values.archive);
  const result = await withJournal(config, 'Replaying', (client, onProgress) =>
    verifyJournal(client, {
      saveCheckpoint: values.checkpoint,
      fromCheckpoint: values['from-checkpoint'],
      derived: DERIVED_TABLES,
      onProgress,
      ...(archive && { archive }),
    }),
  );
  return report(result, values.checkpoint);
}

function report(result: Verification, savedCheckpoint: boolean): number {
  if (!result.ok) {
    process.stdout.write(`Differs at the journal row of sequence ${result.sequence}: ${result.reason}\n`);
    return 1;
  }
  const { from, entries, commands, sequence, stateHash, foreignRows } = result;
  for (const foreign of foreignRows) process.stdout.write(`Not read: ${foreign}\n`);
  const start = from === 0 ? '' : ` after the checkpoint at sequence ${from}`;
  const kept = savedCheckpoint ? ', kept as a checkpoint' : '';
  process.stdout.write(
    `Verified: ${entries} journal rows with ${commands} commands${start} lead to sequence ${sequence}, state hash ${stateHash}${kept}\n`,
  );
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The journal could not be verified: ${reasonOf(error, 'journal')}\n`);
  process.exitCode = 2;
}
