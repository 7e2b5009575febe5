import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { StartRefusal } from '../config/start-refusal.js';
import { DatabaseConnection } from './database-connection.js';

/** For commands that must not make a database where there is none: that would only hide a wrong folder. */
export async function openExisting(config: Config): Promise<DatabaseConnection> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new StartRefusal(
      `DATA_DIR ${config.dataDir} holds no database: name the folder of the service, or set DATABASE_URL.`,
    );
  }
  return DatabaseConnection.open(config);
}
