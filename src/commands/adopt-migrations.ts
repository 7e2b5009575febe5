import { modulesWith } from '../app.module.js';
import { baselinesOf, requireWhole } from '../former-migrations.js';
import type { Config } from '../kit/config/config.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { openExisting } from '../kit/database/existing-database.js';
import { withMigrations } from '../kit/database/migrate.js';

/**
 * Writes down the baselines as done where an earlier version made the same tables by many migrations, all of which must
 * be done. The service may run. Returns what happened, in one line; throws a StartRefusal where it cannot.
 */
export async function adoptMigrations(config: Config): Promise<string> {
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
