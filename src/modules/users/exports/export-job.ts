import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { type JobRun, JobTask } from '../../../kit/jobs/job-task.js';
import { PersonalDataRegistry } from '../../../kit/personal-data/personal-data.js';
import { DataOwners } from '../data-owners.js';
import { type UserEntity, UserStatus } from '../user.entity.js';
import { UsersService } from '../users.service.js';
import { ExportArchive } from './export-archive.js';
import { ExportFiles } from './export-files.js';
import { exportIdOf } from './user-export.dto.js';
import { UserExportEntity } from './user-export.entity.js';

/** For how long a file is there. */
const KEPT_FOR = '24 hours';

export const EXPORT_USER = new JobTask<{ readonly exportId: string }>('users.export', 6);

/** What a finished run knows of its file. */
interface Written {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/**
 * Makes the file of an export. Each run begins anew, under a name of its own, and the row names the file as ready only
 * once it is whole: a run that was cut short leaves nothing that is served.
 */
@Injectable()
export class ExportJob {
  private readonly logger = new Logger('Exports');

  constructor(
    @InjectRepository(UserExportEntity) private readonly exports: Repository<UserExportEntity>,
    private readonly users: UsersService,
    private readonly owners: DataOwners,
    private readonly data: PersonalDataRegistry,
    private readonly files: ExportFiles,
    private readonly core: CoreService,
  ) {}

  async run(exportId: string, { attempt, signal }: JobRun): Promise<void> {
    const row = await this.exports.findOneBy({ exportId });
    const user = row && (await this.users.find(row.userId));
    if (row === null || user === null || user.userStatus === UserStatus.closed) return;
    if (row.status !== 'pending' && row.status !== 'running') return;
    if (row.fileName !== null) await this.files.delete(row.fileName);
    const fileName = this.files.newName();
    await this.exports.update(
      { exportId },
      { status: 'running', fileName, sectionsDone: 0, rowsDone: '0', updatedAt: new Date() },
    );
    const key = this.files.newKey();
    try {
      const written = await this.write(row, user, { fileName, key, signal });
      await this.finish(exportId, fileName, key, written);
    } catch (error) {
      await this.files.delete(fileName);
      if (attempt >= EXPORT_USER.attemptsMax) {
        this.logger.error({ err: error, export_id: exportIdOf(row), msg: 'an export was given up' });
        await this.files.discard({ ...row, fileName }, 'failed');
      }
      throw error;
    } finally {
      key.fill(0);
    }
  }

  /** Writes the file while it is being encrypted and stored. Where one of the two fails, the other ends. */
  private async write(
    row: UserExportEntity,
    user: UserEntity,
    file: { readonly fileName: string; readonly key: Buffer; readonly signal: AbortSignal },
  ): Promise<Written> {
    const failed = new AbortController();
    const archive = new ExportArchive(
      this.progressOf(row, file.fileName),
      AbortSignal.any([file.signal, failed.signal]),
    );
    await this.core.projected();
    const head = {
      exportId: exportIdOf(row),
      username: user.username,
      startedAt: new Date().toISOString(),
      ledgerSequence: this.core.sequence(),
    };
    const measure = new Measure();
    const { content } = archive;
    content.on('error', (error) => measure.destroy(error));
    const storing = this.files.store(file.fileName, file.key, content.pipe(measure));
    const writing = archive.write(this.data.sections, await this.owners.of(user), head);
    const outcomes = await Promise.allSettled([
      storing.catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
      writing.catch((error: unknown) => {
        measure.destroy(error as Error);
        throw error;
      }),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return measure.result();
  }

  private progressOf(
    { exportId }: UserExportEntity,
    fileName: string,
  ): ConstructorParameters<typeof ExportArchive>[0] {
    // Where another process has begun anew, this run counts no more.
    const add = (column: 'rows_done' | 'sections_done', count: number): Promise<void> =>
      this.exports.query(
        `UPDATE user_exports SET ${column} = ${column} + $3, updated_at = now()
         WHERE export_id = $1 AND file_name = $2`,
        [exportId, fileName, count],
      );
    return {
      onRows: (count) => add('rows_done', count),
      onSection: () => add('sections_done', 1),
    };
  }

  /** Unless the user was closed meanwhile, or another run has begun: then the file goes. */
  private async finish(
    exportId: string,
    fileName: string,
    key: Buffer,
    { sizeBytes, sha256 }: Written,
  ): Promise<void> {
    const sealedKey = await this.files.seal(exportId, key);
    const [, count] = await this.exports.query<[unknown, number]>(
      `UPDATE user_exports SET status = 'ready', sealed_key = $3, size_bytes = $4, sha256 = $5, ready_at = now(),
         expires_at = now() + interval '${KEPT_FOR}', updated_at = now()
       WHERE export_id = $1 AND file_name = $2 AND status = 'running'`,
      [exportId, fileName, sealedKey, sizeBytes, sha256],
    );
    if (count > 0) return;
    await this.exports.manager.transaction((manager) => this.files.forgetKey(sealedKey, manager));
    await this.files.delete(fileName);
  }
}

/** Counts and digests what passes. */
class Measure extends Transform {
  private readonly hash = createHash('sha256');
  private bytes = 0;

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: null, chunk: Buffer) => void,
  ): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }

  result(): Written {
    return { sizeBytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}
