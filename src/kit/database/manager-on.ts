import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/** Uses a connection that the caller opened and will close. */
class RunnerOnClient extends PostgresQueryRunner {
  constructor(dataSource: DataSource, client: ClientBase) {
    super(dataSource.driver as PostgresDriver, 'master');
    this.databaseConnection = client;
  }
}

/** The data source's entities on a connection outside its pool, such as one to another server. */
export function managerOn(dataSource: DataSource, client: ClientBase): EntityManager {
  const runner = new RunnerOnClient(dataSource, client);
  const manager = dataSource.createEntityManager(runner);
  Object.assign(runner, { manager });
  return manager;
}
