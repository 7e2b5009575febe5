import {
  type DynamicModule,
  Global,
  Inject,
  Logger,
  Module,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import pg, { type Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { DatabaseConnection } from './database-connection.js';
import { GuardedPool, type SecondConnections, watchTransactions } from './held-connections.js';
import { type InspectMigrations, type MigrationClass, migrate } from './migrate.js';
import { PostgresNames } from './naming.js';
import {
  APPLICATION_NAME,
  CONNECTION_LIMITS,
  PG_POOL,
  TYPEORM_CONNECTIONS_MAX,
  createPgPool,
  reportLostConnection,
} from './pg-pool.js';
import { typeOrmServer } from './primary-client.js';

export interface DatabaseModuleOptions {
  readonly connection: DatabaseConnection;
  /** Of the service and of its plugins, in any order: their timestamps decide. */
  readonly migrations: readonly MigrationClass[];
  readonly inspectMigrations?: InspectMigrations;
  /** Beside those that modules name in `TypeOrmModule.forFeature`. */
  readonly entities?: readonly Type[];
  /** Called with all entities before anything is migrated; what it throws stops the start. */
  readonly inspectEntities?: (entities: readonly unknown[]) => void;
  /** What becomes of who asks for a connection while holding one; refused if left out. */
  readonly secondConnections?: SecondConnections;
}

/**
 * The database for every module: TypeORM's `DataSource` and repositories, `PG_POOL` for plain SQL, and
 * `DatabaseConnection` for connections of one's own. The schema is up to date before any of them is
 * handed out. On shutdown it closes all three, and with them the connection that it was given.
 * Global, since Nest ends global modules after all others, which may need the database until then.
 */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly connection: DatabaseConnection,
    private readonly dataSource: DataSource,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  static forRoot({
    connection,
    migrations,
    inspectMigrations,
    entities = [],
    inspectEntities,
    secondConnections = 'refused',
  }: DatabaseModuleOptions): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            ...typeOrmOptions(connection.url),
            entities: [...entities],
            autoLoadEntities: true,
            // The server was waited for when the connection was opened.
            toRetry: () => false,
          }),
          dataSourceFactory: async (options) => {
            inspectEntities?.(Object.values(options?.entities ?? {}));
            const done = await migrate(connection.url, migrations, inspectMigrations);
            if (done.length > 0) new Logger('Database').log(migratedLine(done));
            return watchTransactions(new DataSource(options as DataSourceOptions), secondConnections);
          },
        }),
      ],
      providers: [
        { provide: DatabaseConnection, useValue: connection },
        // After the data source, and so after the migrations.
        {
          provide: PG_POOL,
          inject: [DataSource],
          useFactory: () => createPgPool(connection.url, secondConnections),
        },
      ],
      exports: [DatabaseConnection, PG_POOL, TypeOrmModule],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    if (!this.pool.ended) await this.pool.end();
    await this.connection.close();
  }
}

function migratedLine(done: readonly string[]): string {
  const count = done.length === 1 ? 'One migration' : `${done.length} migrations`;
  return `${count} applied, up to ${done.at(-1)}.`;
}

/** `pg` with a pool of ours. */
const GUARDED_DRIVER: unknown = Object.assign(Object.create(pg) as object, { Pool: GuardedPool });

/** How the service's TypeORM connects; the command line's differs only in its entities. */
export function typeOrmOptions(url: string): DataSourceOptions & { type: 'postgres' } {
  return {
    type: 'postgres',
    driver: GUARDED_DRIVER,
    ...typeOrmServer(url),
    applicationName: APPLICATION_NAME,
    synchronize: false,
    uuidExtension: 'pgcrypto',
    namingStrategy: new PostgresNames(),
    poolSize: TYPEORM_CONNECTIONS_MAX,
    poolErrorHandler: reportLostConnection,
    extra: { ...typeOrmServer(url).extra, ...CONNECTION_LIMITS },
  };
}
