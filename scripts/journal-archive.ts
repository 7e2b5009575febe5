/**
 * `npm run journal:archive`: proves the journal, keeps a checkpoint, and moves what comes before it into compressed
 * files, from which `journal:verify` and `journal:rebuild` still read. Works on the database of `DATABASE_URL`, or
 * on the embedded one of `DATA_DIR`, whether the service runs or not, and can be interrupted at any time. Exit code
 * 0 where it is done, 1 where the journal or a file is not what it should be, 2 where nothing could be archived.
 */
import { parseArgs } from 'node:util';
import { ArchiveDamage } from '../src/core/journal/journal-archive.js';
import { archiveJournal } from '../src/core/journal/journal-archiver.js';
import { loadConfig } from '../src/kit/config/config.js';
import { withJournal } from './support/journal-connection.js';
import { reasonOf } from './support/existing-database.js';
import { archiveFolder } from './support/journal-folder.js';

const USAGE = `Usage: npm run journal:archive [-- options]

Moves what a proven checkpoint covers of the journal into compressed files.

  --archive DIR   the folder of the files (default: JOURNAL_ARCHIVE, from which the service reads them)
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { archive: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const config = loadConfig();
  const folder = archiveFolder(config, values.archive);
  const archived = await withJournal(config, 'Replaying', (client, onProgress) =>
    archiveJournal(client, { folder, onProgress }),
  );
  if ('ok' in archived) {
    process.stdout.write(
      `Nothing archived: the journal differs at sequence ${archived.sequence}: ${archived.reason}\n`,
    );
    return 1;
  }
  const { files, rows, sequence } = archived;
  process.stdout.write(
    `Archived up to sequence ${sequence}: ${files.length} new files in ${folder}, ${rows} rows removed\n`,
  );
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The journal could not be archived: ${reasonOf(error, 'journal')}\n`);
  process.exitCode = error instanceof ArchiveDamage ? 1 : 2;
}
