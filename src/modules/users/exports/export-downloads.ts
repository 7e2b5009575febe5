import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import { UserStatus } from '../user.entity.js';
import { UsersService } from '../users.service.js';
import { ExportFiles } from './export-files.js';
import { ticketHashOf } from './export-links.js';
import { exportNotFound } from './exports.service.js';
import { UserExportEntity } from './user-export.entity.js';
import { EXPORT_IDS } from '../ids.js';

/** An export on its way to whoever has the link. */
export interface ExportDownload {
  readonly name: string;
  readonly sizeBytes: number;
  readonly content: Readable;
}

/** The files of exports, by their links alone. */
@Injectable()
export class ExportDownloads {
  constructor(
    @InjectRepository(UserExportEntity) private readonly exports: Repository<UserExportEntity>,
    private readonly users: UsersService,
    private readonly files: ExportFiles,
  ) {}

  /** Throws `not_found` (404) for all but the link of a file that is there, of a user who may log in. */
  async open(text: string, ticket: string): Promise<ExportDownload> {
    const exportId = EXPORT_IDS.parse(text);
    const row =
      exportId === undefined
        ? null
        : await this.exports.findOneBy({
            exportId: String(exportId),
            ticketHash: ticketHashOf(ticket),
            status: 'ready',
            expiresAt: MoreThan(new Date()),
          });
    if (row === null || row.fileName === null || row.sealedKey === null) throw exportNotFound();
    const user = await this.users.find(row.userId);
    if (user?.userStatus !== UserStatus.active) throw exportNotFound();
    const key = await this.files.keyOf(row.exportId, row.sealedKey);
    const content = await this.files.open(row.fileName, key);
    if (content === undefined) throw exportNotFound();
    const day = row.createdAt.toISOString().slice(0, 10);
    return { name: `tradepost-${user.username}-${day}.zip`, sizeBytes: Number(row.sizeBytes), content };
  }
}
