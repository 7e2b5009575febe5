import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { NOT_FOUND, CONFLICT, RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { Jobs } from '../../../kit/jobs/jobs.js';
import { PersonalDataRegistry } from '../../../kit/personal-data/personal-data.js';
import { isInPerson, type Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { loginRequired } from '../user-access.js';
import { userIdOf } from '../user.entity.js';
import { EXPORT_USER } from './export-job.js';
import { ExportLinks } from './export-links.js';
import { type ExportDto, exportIdOf, toExportDto } from './user-export.dto.js';
import { UserExportEntity } from './user-export.entity.js';
import { EXPORT_IDS } from '../ids.js';

const EXPORTS_PER_DAY_MAX = 5;

/** Exports as their owners see them. Every method throws `forbidden` (403) unless the user is there in person. */
@Injectable()
export class ExportsService {
  constructor(
    @InjectRepository(UserExportEntity) private readonly exports: Repository<UserExportEntity>,
    private readonly answers: AnswerTransaction,
    private readonly jobs: Jobs,
    private readonly data: PersonalDataRegistry,
    private readonly links: ExportLinks,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Begins an export, which a job carries out. Throws `step_up_required` (403), `conflict` (409) while another one of
   * the user is under way, and `rate_limited` (429) for the sixth in a day.
   */
  async request(principal: Principal): Promise<ExportDto> {
    const userId = ownUserId(principal);
    requireStepUp(principal);
    return this.answers.run(async (manager) => {
      // One after the other, so that each counts those before it.
      await lockUntilCommit(manager, `user_exports:${userId}`);
      await requireNoneUnderWay(manager, userId);
      await requireFewToday(manager, userId);
      const row = await manager.save(
        manager.create(UserExportEntity, { userId, sectionsTotal: this.data.sections.length }),
      );
      const { exportId } = row;
      await this.jobs.add(manager, EXPORT_USER, { exportId });
      await this.audit.record(manager, {
        target: { type: 'user', id: principal.id },
        details: { export_id: exportIdOf(row) },
      });
      return toExportDto(await manager.findOneByOrFail(UserExportEntity, { exportId }), null);
    });
  }

  /** Throws `not_found` (404). */
  async get(principal: Principal, text: string): Promise<ExportDto> {
    const userId = ownUserId(principal);
    const exportId = EXPORT_IDS.parse(text);
    const row =
      exportId === undefined ? null : await this.exports.findOneBy({ exportId: String(exportId), userId });
    if (row === null) throw exportNotFound();
    return this.show(row);
  }

  /** Newest first. Throws `invalid_cursor` (400). */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<ExportDto>> {
    const userId = ownUserId(principal);
    const before = decodeCursor(cursor, ['integer'])?.[0];
    const rows = await this.exports.find({
      where: { userId, ...(before !== undefined && { exportId: LessThan(String(before)) }) },
      order: { exportId: 'DESC' },
      take: limit + 1,
    });
    const page = pageOf(
      rows,
      limit,
      (row) => [Number(row.exportId)],
      (row) => row,
    );
    const data: ExportDto[] = [];
    for (const row of page.data) data.push(await this.show(row));
    return { data, next_cursor: page.next_cursor };
  }

  private async show(row: UserExportEntity): Promise<ExportDto> {
    return toExportDto(row, await this.links.urlOf(row));
  }
}

export function exportNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such export of yours. See GET /user/exports.');
}

function ownUserId(principal: Principal): string {
  const userId = userIdOf(principal.key);
  if (userId === undefined || !isInPerson(principal)) throw loginRequired();
  return userId;
}

async function requireNoneUnderWay(manager: EntityManager, userId: string): Promise<void> {
  const isUnderWay = await manager.existsBy(UserExportEntity, [
    { userId, status: 'pending' },
    { userId, status: 'running' },
  ]);
  if (isUnderWay) throw new ApiError(CONFLICT, 'An export is under way. See GET /user/exports.');
}

async function requireFewToday(manager: EntityManager, userId: string): Promise<void> {
  const [{ made }] = await manager.query<[{ made: number }]>(
    `SELECT count(*)::integer AS made FROM user_exports
     WHERE user_id = $1 AND created_at > now() - interval '24 hours'`,
    [userId],
  );
  if (made < EXPORTS_PER_DAY_MAX) return;
  throw new ApiError(
    RATE_LIMITED,
    `You have asked for ${EXPORTS_PER_DAY_MAX} exports today; try again tomorrow.`,
    { headers: { 'Retry-After': '86400' } },
  );
}
