import { Inject, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import {
  Column,
  Entity,
  type MigrationInterface,
  PrimaryColumn,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, createTestDatabase } from '../../../test/support/database.js';
import { DatabaseConnection } from './database-connection.js';
import { DatabaseModule } from './database.module.js';
import { PG_POOL } from './pg-pool.js';
import { eventually } from '../../../test/support/eventually.js';

@Entity('parcels')
class Parcel {
  @PrimaryColumn()
  code: string;

  /** Its column type comes from the property's type, so this also shows that types reach the run time. */
  @Column()
  grams: number;
}

class CreateParcels1790000000000 implements MigrationInterface {
  name = 'CreateParcels1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE parcels (code text PRIMARY KEY, grams integer NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE parcels');
  }
}

@Injectable()
class Shelf {
  constructor(
    @InjectRepository(Parcel) readonly parcels: Repository<Parcel>,
    @Inject(PG_POOL) readonly pool: Pool,
    // Injected by its type alone.
    readonly connection: DatabaseConnection,
  ) {}
}

@Module({ imports: [TypeOrmModule.forFeature([Parcel])], providers: [Shelf] })
class ShelfModule {}

describe('DatabaseModule', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  const openShelf = async () => {
    const connection = await DatabaseConnection.open({ databaseUrl: database.url, dataDir: '/nowhere' });
    const imports = [
      DatabaseModule.forRoot({ connection, migrations: [CreateParcels1790000000000] }),
      ShelfModule,
    ];
    const module = await Test.createTestingModule({ imports }).compile();
    await module.init();
    return { module, shelf: module.get(Shelf, { strict: false }) };
  };

  it('hands out repositories, pool and connection on a migrated schema', async () => {
    const { module, shelf } = await openShelf();
    await shelf.parcels.insert({ code: 'a', grams: 5 });
    expect((await shelf.pool.query('SELECT code, grams FROM parcels')).rows).toEqual([
      { code: 'a', grams: 5 },
    ]);
    expect(shelf.connection.url).toBe(database.url);
    await module.close();
    await expect(shelf.pool.query('SELECT')).rejects.toThrow();
  });

  it('migrates once, however many start together', async () => {
    const opened = await Promise.all([openShelf(), openShelf(), openShelf()]);
    expect(await opened[0].shelf.parcels.count()).toBe(1);
    for (const { module } of opened) await module.close();
  });

  it('survives that the server ends its connections', async () => {
    const { module, shelf } = await openShelf();
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await shelf.parcels.count();
    await shelf.pool.query(terminate);
    // A connection may be handed out before the pool hears of its end.
    await eventually(async () => expect(await shelf.parcels.count()).toBe(1));
    await module.close();
  });

  it('limits how long a statement may take, and says who it is', async () => {
    const { module, shelf } = await openShelf();
    const settings = `SELECT current_setting('statement_timeout') AS limit, current_setting('application_name') AS name`;
    expect((await shelf.pool.query(settings)).rows).toEqual([{ limit: '30s', name: 'tradepost' }]);
    expect(await shelf.parcels.query(settings)).toEqual([{ limit: '30s', name: 'tradepost' }]);
    await module.close();
  });
});
