import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { DataOwner, PersonalErasure } from '../../../kit/personal-data/personal-data.js';
import { ExportFiles } from '../exports/export-files.js';
import { UserExportEntity } from '../exports/user-export.entity.js';
import { CREDENTIAL_RESET } from '../user-approvals.service.js';

/** Erases what this module has of a closed user beside the user's own row: exports, and proposed changes of the row. */
@Injectable()
export class UserRemains {
  readonly erasures: readonly PersonalErasure[] = [
    { name: 'exports', due: 'closing', erase: (owner) => this.eraseExports(owner) },
    { name: 'proposals', due: 'closing', erase: (owner) => this.eraseProposals(owner) },
  ];

  constructor(
    @InjectRepository(UserExportEntity) private readonly exports: Repository<UserExportEntity>,
    private readonly files: ExportFiles,
  ) {}

  private async eraseExports({ userId }: DataOwner): Promise<void> {
    for (const row of await this.exports.findBy({ userId })) {
      await this.files.discard(row, 'expired');
      await this.exports.delete({ exportId: row.exportId });
    }
  }

  /** New passwords and names that operators proposed. Who proposed and decided stays; what waits comes to nothing. */
  private async eraseProposals({ username }: DataOwner): Promise<void> {
    await this.exports.manager.query(
      `UPDATE approvals SET payload = payload - 'fields' - 'passwordHash',
         status = CASE status WHEN 'pending' THEN 'expired' ELSE status END
       WHERE kind = $2 AND subject_type = 'user' AND subject_id = $1`,
      [username, CREDENTIAL_RESET.name],
    );
  }
}
