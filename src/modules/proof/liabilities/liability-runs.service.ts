import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, LessThan, Repository } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { CONFLICT, RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { Jobs } from '../../../kit/jobs/jobs.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { TAKE_CUT } from './cut-job.js';
import { type LiabilityRunDto, toLiabilityRunDto } from './liabilities.dto.js';
import { LiabilityCutEntity, LiabilityRunEntity } from './liability-cut.entity.js';
import { CUT_IDS } from '../ids.js';

const PER_DAY_MAX = 24;
const LOCK = 'liability_runs';

/** Cuts as operators ask for them and see them. */
@Injectable()
export class LiabilityRuns {
  constructor(
    @InjectRepository(LiabilityRunEntity) private readonly runs: Repository<LiabilityRunEntity>,
    @InjectRepository(LiabilityCutEntity) private readonly cuts: Repository<LiabilityCutEntity>,
    private readonly answers: AnswerTransaction,
    private readonly jobs: Jobs,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Asks for a cut of the present. Throws `conflict` (409) while another one is under way, and `rate_limited` (429) after
   * many in a day.
   */
  request(principal: Principal): Promise<LiabilityRunDto> {
    return this.answers.run(async (manager) => {
      // One after the other, so that each sees those before it.
      await lockUntilCommit(manager, LOCK);
      await requireNoneUnderWay(manager);
      await requireFewToday(manager);
      const { cutId } = await manager.save(
        manager.create(LiabilityRunEntity, { kind: 'on_demand', requestedBy: personOf(principal) }),
      );
      await this.jobs.add(manager, TAKE_CUT, { cutId });
      await this.audit.record(manager, {
        target: { type: 'liabilities', id: CUT_IDS.format(Number(cutId)) },
      });
      return toLiabilityRunDto(await manager.findOneByOrFail(LiabilityRunEntity, { cutId }), null);
    });
  }

  /** Newest first. Throws `invalid_cursor` (400). */
  async list({ limit, cursor }: PageQueryDto): Promise<Page<LiabilityRunDto>> {
    const before = decodeCursor(cursor, ['integer'])?.[0];
    const rows = await this.runs.find({
      where: before === undefined ? {} : { cutId: LessThan(String(before)) },
      order: { cutId: 'DESC' },
      take: limit + 1,
    });
    const published = await this.cuts.find({
      where: { cutId: In(rows.map(({ cutId }) => cutId)) },
      select: { cutId: true, asOf: true },
    });
    const times = new Map(published.map(({ cutId, asOf }) => [cutId, asOf]));
    return pageOf(
      rows,
      limit,
      ({ cutId }) => [Number(cutId)],
      (run) => toLiabilityRunDto(run, times.get(run.cutId) ?? null),
    );
  }
}

async function requireNoneUnderWay(manager: EntityManager): Promise<void> {
  const isUnderWay = await manager.existsBy(LiabilityRunEntity, { status: In(['pending', 'running']) });
  if (isUnderWay) throw new ApiError(CONFLICT, 'A cut is under way. See GET /admin/liabilities.');
}

async function requireFewToday(manager: EntityManager): Promise<void> {
  const [{ asked }] = await manager.query<[{ asked: number }]>(
    `SELECT count(*)::integer AS asked FROM liability_runs
     WHERE kind = 'on_demand' AND created_at > now() - interval '24 hours'`,
  );
  if (asked < PER_DAY_MAX) return;
  throw new ApiError(RATE_LIMITED, `${PER_DAY_MAX} cuts were asked for today; try again tomorrow.`, {
    headers: { 'Retry-After': '86400' },
  });
}
