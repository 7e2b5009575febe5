import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type pg from 'pg';
import { tryLockSession } from '../database/advisory-locks.js';
import { DatabaseConnection } from '../database/database-connection.js';
import { PrimaryClient } from '../database/primary-client.js';
import { FieldCatalogue } from './field-catalogue.js';
import { FieldedTables } from './fielded-table.js';

const LOCK = 'indexes of fields';
/** As `FieldedTable` names them. */
const INDEX_NAMES = 'field\\_%\\_%';

/**
 * Makes an index for each filterable field, once the service has started and while it runs: until then a list with such
 * a filter is right and slow. An index whose field nobody declares any more is named in the log, and left alone: its
 * plugin may come back.
 */
@Injectable()
export class FieldIndexes implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Fields');
  private client: pg.Client | null = null;
  private making: Promise<void> = Promise.resolve();

  constructor(
    private readonly catalogue: FieldCatalogue,
    private readonly connection: DatabaseConnection,
    private readonly tables: FieldedTables,
  ) {}

  onApplicationBootstrap(): void {
    if (this.catalogue.all.length === 0) return;
    this.making = this.make().catch((error: unknown) => {
      this.logger.warn({
        err: error,
        msg: 'indexes of fields could not be made; the next start tries again',
      });
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.client?.end();
    await this.making;
  }

  /** Resolves when the indexes that are needed are there, or are made by another process. */
  async settled(): Promise<void> {
    await this.making;
  }

  private async make(): Promise<void> {
    this.client = new PrimaryClient({
      connectionString: this.connection.url,
      application_name: 'tradepost-fields',
    });
    try {
      await this.client.connect();
      if (await tryLockSession(this.client, LOCK)) await this.makeMissing(this.client);
    } finally {
      await this.client.end();
    }
  }

  private async makeMissing(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ readonly name: string; readonly isValid: boolean }>(
      `SELECT relname AS name, indisvalid AS "isValid" FROM pg_index JOIN pg_class ON oid = indexrelid
       WHERE relname LIKE $1 AND relnamespace = current_schema()::regnamespace`,
      [INDEX_NAMES],
    );
    const needed = new Map<string, string>();
    for (const { on, name, filterable } of this.catalogue.all) {
      const table = filterable ? this.tables.of(on) : undefined;
      if (table !== undefined) needed.set(table.indexName(name), table.createIndex(name));
    }
    for (const [name, statement] of needed) {
      const known = rows.find((row) => row.name === name);
      if (known?.isValid === true) continue;
      // One that was not finished fills up with every change and is of no use.
      if (known !== undefined) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
      await client.query(statement);
      this.logger.log(`The index ${name} was ${known === undefined ? 'made' : 'made anew'}.`);
    }
    for (const { name } of rows) {
      if (!needed.has(name))
        this.logger.log(
          `The index ${name} is of no filterable field of a plugin that is loaded; it is left as it is.`,
        );
    }
  }
}
