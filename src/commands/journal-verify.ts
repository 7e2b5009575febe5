import { operatorCommand } from './operator-command.js';
import { type Verification, verifyJournal } from '../core/journal/journal-verifier.js';
import { DERIVED_TABLES } from '../modules/markets/derived-tables.js';
import { loadConfig } from '../kit/config/config.js';
import { withJournal } from './journal-connection.js';
import { existingArchive } from './journal-folder.js';

export const journalVerify = operatorCommand({
  name: 'journal verify',
  summary: 'replays the journal, and compares hash chain, state and tables',
  usage: `[options]

Replays the journal and names the first row that differs from what the engine makes of it.

  --checkpoint        keep the proven state, so that a later run may start from it
  --from-checkpoint   start at the newest checkpoint instead of the first row
  --archive DIR       the folder that journal:archive has filled (default: JOURNAL_ARCHIVE, where it exists);
                      without it, what was archived is left to the checkpoint
`,
  options: {
    checkpoint: { type: 'boolean', default: false },
    'from-checkpoint': { type: 'boolean', default: false },
    archive: { type: 'string' },
  },
  failure: 'The journal could not be verified',
  needs: 'journal',
  async run(values) {
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
  },
});

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
