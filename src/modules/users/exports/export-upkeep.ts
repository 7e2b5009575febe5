import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { ExportFiles } from './export-files.js';
import { UserExportEntity } from './user-export.entity.js';

const LOOK_EVERY_MS = 60_000;
const AT_ONCE_MAX = 100;

/** The file is long gone: what stays for some weeks says that there was one. */
export const OLD_EXPORTS: PurgedRows = {
  table: 'user_exports',
  key: ['export_id'],
  over: `created_at < now() - interval '30 days' AND status IN ('expired', 'failed')`,
  orderBy: 'created_at',
};

/** Deletes files whose day is over. A job that has shown no progress for hours was lost, and counts as failed. */
@Injectable()
export class ExportUpkeep {
  readonly duty = new BackgroundLoop({ name: 'Exports', everyMs: LOOK_EVERY_MS }, () => this.discardNext());

  constructor(
    @InjectRepository(UserExportEntity) private readonly exports: Repository<UserExportEntity>,
    private readonly files: ExportFiles,
  ) {}

  /** Returns whether more may be left. */
  async discardNext(): Promise<boolean> {
    const overdue = await this.find(`status = 'ready' AND expires_at <= now()`);
    for (const row of overdue) await this.files.discard(row, 'expired');
    const lost = await this.find(
      `status IN ('pending', 'running') AND updated_at < now() - interval '12 hours'`,
    );
    for (const row of lost) await this.files.discard(row, 'failed');
    return overdue.length === AT_ONCE_MAX || lost.length === AT_ONCE_MAX;
  }

  private find(condition: string): Promise<UserExportEntity[]> {
    return this.exports.createQueryBuilder('export').where(condition).limit(AT_ONCE_MAX).getMany();
  }
}
