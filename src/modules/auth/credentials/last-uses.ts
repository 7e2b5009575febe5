import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Principal } from '../../../platform/security/principal.js';

const FLUSH_EVERY_MS = 60_000;

/** More than these in one minute, and the rest is noted in the next. */
const NOTED_MAX = 20_000;

/** What is noted, and where it is written. */
const TABLES = {
  client: ['oauth_clients', 'client_id'],
  api_key: ['api_keys', 'api_key_id'],
} as const;

type Kind = keyof typeof TABLES;

/**
 * When clients and API keys were last used, kept in memory and written down once a minute: a request never
 * waits for it, and costs no write of its own. What a process that dies had noted is lost, which is a minute.
 */
@Injectable()
export class LastUses implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(LastUses.name);
  private flushing: NodeJS.Timeout | undefined;
  private noted: Record<Kind, Map<string, Date>> = { client: new Map(), api_key: new Map() };

  constructor(@InjectDataSource() private readonly database: DataSource) {}

  onApplicationBootstrap(): void {
    this.flushing = setInterval(() => void this.tryFlush(), FLUSH_EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.flushing);
    await this.tryFlush();
  }

  /** Notes that somebody called just now: an API key, a client in its own name, or one that a user let act. */
  note({ kind, id, delegatedTo }: Principal): void {
    if (kind === 'api_key') this.noteOne('api_key', id);
    else if (kind === 'client') this.noteOne('client', id);
    else if (delegatedTo !== undefined) this.noteOne('client', delegatedTo);
  }

  /** Writes down what was noted. Rejects where the database does. */
  async flush(): Promise<void> {
    const { noted } = this;
    this.noted = { client: new Map(), api_key: new Map() };
    for (const kind of Object.keys(TABLES) as Kind[]) {
      const [table, key] = TABLES[kind];
      if (noted[kind].size === 0) continue;
      await this.database.query(
        `UPDATE ${table} credential SET last_used_at = greatest(credential.last_used_at, used.at)
           FROM unnest($1::text[], $2::timestamptz[]) AS used (id, at)
          WHERE credential.${key} = used.id`,
        [[...noted[kind].keys()], [...noted[kind].values()]],
      );
    }
  }

  private noteOne(kind: Kind, id: string): void {
    const noted = this.noted[kind];
    if (noted.size < NOTED_MAX || noted.has(id)) noted.set(id, new Date());
  }

  private async tryFlush(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.logger.warn({ msg: 'the last uses of credentials could not be written', err: error });
    }
  }
}
