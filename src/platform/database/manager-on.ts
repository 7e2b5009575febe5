import type { ClientBase } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';

/** Uses a connection that somebody else has made, and gives back. */
class RunnerOnClient extends PostgresQueryRunner {
  constructor(dataSource: DataSource, client: ClientBase) {
    super(dataSource.driver as PostgresDriver, 'master');
    this.databaseConnection = client;
  }
}

/** The entities of the data source, read on a connection that is not of its pool, such as one to another server. */
export function managerOn(dataSource: DataSource, client: ClientBase): EntityManager {
  const runner = new RunnerOnClient(dataSource, client);
  const manager = dataSource.createEntityManager(runner);
  Object.assign(runner, { manager });
  return manager;
}
