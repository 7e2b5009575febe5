/**
 * `npm run journal:rebuild`: makes every projected table anew from the journal, beside the stored ones, and says
 * where those differ. Works on the database of `DATABASE_URL`, or on the embedded one of `DATA_DIR`, whether the
 * service runs or not. Exit code 0 where all agree, 1 where something differs, 2 where nothing could be compared.
 */
import { parseArgs } from 'node:util';
import { rebuildTables, type Rebuild } from '../src/core/journal/rebuild.js';
import { DERIVED_TABLES } from '../src/modules/markets/derived-tables.js';
import { loadConfig } from '../src/kit/config/config.js';
import { withJournal } from './support/journal-connection.js';
import { reasonOf } from './support/existing-database.js';
import { existingArchive } from './support/journal-folder.js';

const USAGE = `Usage: npm run journal:rebuild [-- options]

Makes orders, trades, matched bets, transfers, balances, positions, books, account changes and keys anew from the
journal, and from these fills, candles, volumes and marks of balances; and names the rows in which the tables differ.

  --archive DIR   the folder that journal:archive has filled (default: JOURNAL_ARCHIVE, where it exists)
  --repair        put the rebuilt rows in the place of those that differ; the service must be stopped
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      archive: { type: 'string' },
      repair: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
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
}

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

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The tables could not be compared: ${reasonOf(error, 'journal')}\n`);
  process.exitCode = 2;
}
