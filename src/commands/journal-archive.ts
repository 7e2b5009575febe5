import { operatorCommand } from './operator-command.js';
import { ArchiveDamage } from '../core/journal/journal-archive.js';
import { archiveJournal } from '../core/journal/journal-archiver.js';
import { loadConfig } from '../kit/config/config.js';
import { withJournal } from './journal-connection.js';
import { archiveFolder } from './journal-folder.js';

export const journalArchive = operatorCommand({
  name: 'journal archive',
  summary: 'moves what a proven checkpoint covers of the journal into compressed files',
  usage: `[options]

Moves what a proven checkpoint covers of the journal into compressed files.

  --archive DIR   the folder of the files (default: JOURNAL_ARCHIVE, from which the service reads them)
`,
  options: { archive: { type: 'string' } },
  failure: 'The journal could not be archived',
  needs: 'journal',
  async run(values) {
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
  },
  exitCodeOf: (error) => (error instanceof ArchiveDamage ? 1 : 2),
});
