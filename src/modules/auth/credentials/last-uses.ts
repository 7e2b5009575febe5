import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Principal } from '../../../kit/security/principal.js';

const FLUSH_EVERY_MS = 60_000;

/** The most notes in one minute; the next minute takes the rest. */
const NOTED_MAX = 20_000;

/** What is noted, and where it is written. */
const TABLES = {
  client: ['oauth_clients', 'client_id', 'last_used_at'],
  api_key: ['api_keys', 'api_key_id', 'last_used_at'],
  former_key: ['api_keys', 'api_key_id', 'previous_last_used_at'],
  session: ['sessions', 'session_id', 'last_used_at'],
} as const;

type Kind = keyof typeof TABLES;

function nothingNoted(): Record<Kind, Map<string, Date>> {
  return { client: new Map(), api_key: new Map(), former_key: new Map(), session: new Map() };
}

/**
 * Records when sessions, clients and API keys were last used. Notes stay in memory and are written once a minute, so requests do
 * not wait and cost no writes. If the process dies, up to a minute of notes is lost.
 */
@Injectable()
export class LastUses implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(LastUses.name);
  private flushing: NodeJS.Timeout | undefined;
  private noted: Record<Kind, Map<string, Date>> = nothingNoted();

  constructor(@InjectDataSource() private readonly database: DataSource) {}

  onApplicationBootstrap(): void {
    this.flushing = setInterval(() => void this.tryFlush(), FLUSH_EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.flushing);
    await this.tryFlush();
  }

  /** Notes a use now: of an API key, of a client in its own name or acting for a user, or of a user's session. */
  note({ kind, id, delegatedTo, sessionId, isByFormerKey }: Principal): void {
    if (isByFormerKey === true) this.noteOne('former_key', id);
    if (sessionId !== undefined) this.noteOne('session', sessionId);
    if (kind === 'api_key') this.noteOne('api_key', id);
    else if (kind === 'client') this.noteOne('client', id);
    else if (delegatedTo !== undefined) this.noteOne('client', delegatedTo);
  }

  /** Writes the notes. Rejects if the database does. */
  async flush(): Promise<void> {
    const { noted } = this;
    this.noted = nothingNoted();
    for (const kind of Object.keys(TABLES) as Kind[]) {
      const [table, key, column] = TABLES[kind];
      if (noted[kind].size === 0) continue;
      await this.database.query(
        `UPDATE ${table} credential SET ${column} = greatest(credential.${column}, used.at)
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
