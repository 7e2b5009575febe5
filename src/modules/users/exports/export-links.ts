import { createHmac, hash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { type CredentialKeeper, UserCredentials } from '../user-credentials.js';
import { ExportFiles } from './export-files.js';
import { exportIdOf } from './user-export.dto.js';
import { UserExportEntity } from './user-export.entity.js';

/**
 * The one link to each file. Its ticket is made of the file's key and a number, so it need not be stored to be shown
 * again; the number goes up when links must end.
 */
@Injectable()
export class ExportLinks implements CredentialKeeper, OnModuleInit {
  constructor(
    @InjectRepository(UserExportEntity) private readonly exports: Repository<UserExportEntity>,
    private readonly files: ExportFiles,
    private readonly credentials: UserCredentials,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.credentials.keptBy(this);
  }

  /** For the owner of a file that is ready; null where there is none. */
  async urlOf(row: UserExportEntity): Promise<string | null> {
    const { exportId, linkNumber, sealedKey } = row;
    if (row.status !== 'ready' || sealedKey === null || row.expiresAt! <= new Date()) return null;
    const key = await this.files.keyOf(exportId, sealedKey);
    const ticket = createHmac('sha256', key).update(`download ${linkNumber}`).digest('base64url');
    key.fill(0);
    if (row.ticketHash === null) {
      const isUnchanged = { exportId, linkNumber, ticketHash: IsNull() };
      await this.exports.update(isUnchanged, { ticketHash: ticketHashOf(ticket) });
    }
    return `${this.config.publicUrl}/user/exports/${exportIdOf(row)}/file?ticket=${ticket}`;
  }

  /** After a change of the password, which others may have known. */
  endSessions(userId: string): Promise<void> {
    return this.endAll(userId);
  }

  suspend(userId: string): Promise<void> {
    return this.endAll(userId);
  }

  async endAll(userId: string): Promise<void> {
    await this.exports.query(
      `UPDATE user_exports SET link_number = link_number + 1, ticket_hash = NULL WHERE user_id = $1`,
      [userId],
    );
  }
}

export function ticketHashOf(ticket: string): string {
  return hash('sha256', ticket, 'base64url');
}
