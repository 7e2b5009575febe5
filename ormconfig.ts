import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { loadConfig } from './src/kit/config/config.js';
import { typeOrmOptions } from './src/kit/database/database.module.js';

const { databaseUrl } = loadConfig();
if (databaseUrl === undefined) {
  throw new Error('Set DATABASE_URL: the command line of TypeORM does not start the embedded database.');
}

/** For TypeORM's command line: `typeorm -d dist/ormconfig.js migration:show`. The service does not read it. */
export default new DataSource({
  ...typeOrmOptions(databaseUrl),
  entities: [join(import.meta.dirname, 'src/**/*.entity.js')],
  migrations: [join(import.meta.dirname, 'src/**/migrations/*.js')],
});
