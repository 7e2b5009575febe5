import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../kit/config/config.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { DatabaseConnection } from '../kit/database/database-connection.js';

const UNDEFINED_TABLE = '42P01';

/** Verifying must not make a database where there is none: that would only hide a wrong folder. */
export async function openExisting(config: Config): Promise<DatabaseConnection> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new StartRefusal(
      `DATA_DIR ${config.dataDir} holds no database: name the folder of the service, or set DATABASE_URL.`,
    );
  }
  return DatabaseConnection.open(config);
}

/** Why something of a database could not be verified; `what` it is, such as `journal`. */
export function reasonOf(error: unknown, what: string): string {
  const { code, message } = error as { code?: unknown; message: string };
  return code === UNDEFINED_TABLE
    ? `this database has no ${what} yet; start the service on it once`
    : message;
}
