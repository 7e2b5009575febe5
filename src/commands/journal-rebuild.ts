import { operatorCommand } from './operator-command.js';
import { rebuildTables, type Rebuild } from '../core/journal/rebuild.js';
import { DERIVED_TABLES } from '../modules/markets/derived-tables.js';
import { loadConfig } from '../kit/config/config.js';
import { withJournal } from './journal-connection.js';
import { existingArchive } from './journal-folder.js';

export const journalRebuild = operatorCommand({
  name: 'journal rebuild',
  summary: 'makes every projected table anew from the journal, and compares',
  usage: `[options]

Makes orders, trades, matched bets, transfers, balances, positions, books, account changes and keys anew from the
journal, and from these fills, candles, volumes and marks of balances; and names the rows in which the tables differ.

  --archive DIR   the folder that journal:archive has filled (default: JOURNAL_ARCHIVE, where it exists)
  --repair        put the rebuilt rows in the place of those that differ; the service must be stopped
`,
  options: {
    archive: { type: 'string' },
    repair: { type: 'boolean', default: false },
  },
  failure: 'The tables could not be compared',
  needs: 'journal',
  async run(values) {
    const config = loadConfig();
    const archive = existingArchive(config, values.archive);
    const rebuild = await withJournal(config, 'Rebuilding', (client, onProgress) =>
      rebuildTables(client, {
        repair: values.repair,
        derived: DERIVED_TABLES,
        onProgress,
        ...(archive && { archive }),
      }),
    );
    return report(rebuild);
  },
});

function report({ sequence, stateHash, hashFault, differences, isRepaired, foreignRows }: Rebuild): number {
  for (const foreign of foreignRows) process.stdout.write(`Not read: ${foreign}\n`);
  for (const { table, missing, surplus, changed, examples } of differences) {
    const counts = [
      [missing, 'missing'],
      [surplus, 'not in the journal'],
      [changed, 'different'],
    ] as const;
    const counted = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    process.stdout.write(`${table}: ${counted.join(', ')}\n${examples.map((row) => `  ${row}\n`).join('')}`);
  }
  if (hashFault !== null) process.stdout.write(`At sequence ${sequence}, ${hashFault}\n`);
  const whole = differences.length === 0 && hashFault === null;
  const what = whole ? 'The tables are what the journal makes' : 'The journal makes tables';
  process.stdout.write(
    `${isRepaired && !whole ? 'Repaired. ' : ''}${what} up to sequence ${sequence}, state hash ${stateHash}\n`,
  );
  return whole || isRepaired ? 0 : 1;
}
