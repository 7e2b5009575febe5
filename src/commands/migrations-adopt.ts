import { modulesWith } from '../app.module.js';
import { baselinesOf, requireWhole } from '../former-migrations.js';
import { type Config, loadConfig } from '../kit/config/config.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { withMigrations } from '../kit/database/migrate.js';
import { openExisting } from './existing-database.js';
import { operatorCommand } from './operator-command.js';

export const migrationsAdopt = operatorCommand({
  name: 'migrations adopt',
  summary: 'makes this version take over the tables of the version before',
  usage: `

Writes down the baselines as done where the version before made the same tables by many migrations, all of which must be
done. Changes nothing else. The service may run.
`,
  options: {},
  failure: 'The migrations could not be adopted',
  needs: 'tables',
  async run() {
    process.stdout.write(`${await adopt(loadConfig())}\n`);
    return 0;
  },
});

/** Returns what happened, in one line; throws a StartRefusal where it cannot. */
export async function adopt(config: Config): Promise<string> {
  const baselines = baselinesOf(modulesWith([], config).migrations);
  const connection = await openExisting(config);
  try {
    return await withMigrations(connection.url, async (areDone, client) => {
      if (baselines.every((name) => areDone.has(name)))
        return 'Nothing to adopt: this version can start on the database.';
      if (areDone.size === 0)
        throw new StartRefusal('The database has no tables to adopt: the service makes them when it starts.');
      requireWhole(areDone);
      await client.query(
        `INSERT INTO migrations (timestamp, name)
         SELECT right(name, 13)::bigint, name FROM unnest($1::text[]) name`,
        [baselines],
      );
      return `Adopted ${baselines.length} migrations: this version can start on the database.`;
    });
  } finally {
    await connection.close();
  }
}
