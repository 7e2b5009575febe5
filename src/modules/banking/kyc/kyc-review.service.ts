import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import type { Proposable } from '../../../kit/approvals/proposed.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import type { PersonalData } from './kyc-provider.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { AUTOMATIC_LEVEL } from './checks/automatic-decision.js';
import { KycAccess } from './kyc-access.js';
import { KycApprovals } from './kyc-approvals.service.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { approveCase, changeCase, lockPerson } from './kyc-changes.js';
import { KycData } from './kyc-data.js';
import { requireDecidable } from './kyc-decision.js';
import { KycExpiry } from './kyc-expiry.js';
import { KycLevels } from './kyc-levels.js';
import { KycImageEntity, KycStateEntity, KycViewEntity } from './kyc-records.entity.js';
import {
  toKycCaseDetailDto,
  toKycCaseDto,
  type KycCaseDetailDto,
  type KycCaseDto,
} from './kyc-review.dto.js';
import type { KycDecisionDto } from './kyc-decision.dto.js';
import type { KycQueryDto } from './kyc.dto.js';
import { namesIn } from './personal-words.js';
import { SanctionsList } from './sanctions/sanctions-list.js';

/** What operators see of cases, and what they decide. */
@Injectable()
export class KycReviewService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly access: KycAccess,
    private readonly approvals: KycApprovals,
    private readonly secondPerson: SecondPerson,
    private readonly answerTransaction: AnswerTransaction,
    private readonly audit: AuditLog,
    private readonly data: KycData,
    private readonly expiry: KycExpiry,
    private readonly levels: KycLevels,
    private readonly sanctions: SanctionsList,
    @InjectRepository(KycCaseEntity) private readonly cases: Repository<KycCaseEntity>,
    @InjectRepository(KycImageEntity) private readonly images: Repository<KycImageEntity>,
    @InjectRepository(KycStateEntity) private readonly states: Repository<KycStateEntity>,
    @InjectRepository(KycViewEntity) private readonly views: Repository<KycViewEntity>,
  ) {}

  /** Newest first. Throws `invalid_cursor` (400). */
  async list({ status, limit, cursor }: KycQueryDto): Promise<Page<KycCaseDto>> {
    const before = decodeCursor(cursor, ['integer'])?.[0];
    await this.expiry.expireAll();
    const rows = await this.cases.find({
      where: {
        ...(status !== undefined && { status }),
        ...(before !== undefined && { kycId: LessThan(String(before)) }),
      },
      order: { kycId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(
      rows,
      limit,
      ({ kycId }) => [Number(kycId)],
      (kyc) => this.toDto(kyc),
    );
  }

  /** With `reveal` the personal data in the clear, once it is recorded who looks. Throws `not_found` (404). */
  async get(operator: Principal, text: string, reveal: boolean): Promise<KycCaseDetailDto> {
    const kyc = await this.access.anyCase(text);
    const { kycId } = kyc;
    if (reveal) await this.views.insert({ kycId, imageId: null, viewedBy: operator.key });
    const revealed = reveal ? await this.personOf(this.cases.manager, kyc) : null;
    const [images, states, views] = await Promise.all([
      this.images.find({ where: { kycId }, order: { imageId: 'ASC' } }),
      this.states.find({ where: { kycId }, order: { stateId: 'ASC' } }),
      this.views.countBy({ kycId }),
    ]);
    const shown = images.filter(({ erasedAt }) => erasedAt === null);
    return toKycCaseDetailDto(this.toDto(kyc), { revealed, images: shown, states, views });
  }

  /**
   * Decides an open case, or takes an approval back. Of several operators at once, one decides. Throws
   * `not_found` (404), `forbidden` (403) for one's own case, `conflict` (409) for a case that is decided,
   * `unprocessable` (422) for an approval that no operator may give, and `validation_failed` (400) for a
   * reason with personal data in it. With `FOUR_EYES`, a level above the automatic one is a proposal, and
   * whoever is related to the person is told `related_person` (403).
   */
  async decide(operator: Principal, text: string, body: KycDecisionDto): Promise<Proposable<KycCaseDto>> {
    const found = await this.access.anyCase(text);
    const { kycId, owner } = found;
    const person = personOf(operator);
    if (person === owner) {
      throw new ApiError(FORBIDDEN, 'Another operator must decide: nobody decides on oneself.');
    }
    await this.secondPerson.require(this.cases.manager, person, { proposedBy: null, owner });
    const { decision, level = AUTOMATIC_LEVEL, reason } = body;
    if (this.config.fourEyes && decision === 'approved' && level > AUTOMATIC_LEVEL) {
      requireDecidable(found, body);
      await this.requireNoPersonalData(this.cases.manager, found, reason);
      return this.approvals.propose(operator, found, { level, reason });
    }
    const answer = await this.answerTransaction.run(async (manager) => {
      await lockPerson(manager, owner);
      const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId });
      requireDecidable(kyc, body);
      await this.requireNoPersonalData(manager, kyc, body.reason);
      const change = { changedBy: operator.key, code: 'operator_decision', reason: body.reason };
      const reasons = [{ code: 'operator_decision', message: body.reason }];
      if (body.decision === 'approved') {
        await approveCase(manager, kyc, { ...change, reasons, level: body.level ?? AUTOMATIC_LEVEL });
      } else {
        await changeCase(manager, kyc, {
          ...change,
          reasons,
          status: 'rejected',
          requirements: kyc.requirements,
        });
      }
      await this.audit.record(manager, { target: { type: 'kyc', id: text }, details: { decision, level } });
      return this.toDto(kyc);
    });
    await this.levels.applyOrLeave(owner);
    return { body: answer, replayed: false };
  }

  /** A reason is shown and kept for good, also when the data is erased. */
  private async requireNoPersonalData(
    manager: EntityManager,
    kyc: KycCaseEntity,
    reason: string,
  ): Promise<void> {
    const person = await this.personOf(manager, kyc);
    if (person === null || !namesIn(reason, person)) return;
    throw ApiError.validation([
      {
        field: 'reason',
        message: 'reason must not have the person’s last name, document number or birth date',
      },
    ]);
  }

  private async personOf(manager: EntityManager, { kycId }: KycCaseEntity): Promise<PersonalData | null> {
    const row = await manager.findOneOrFail(KycCaseEntity, {
      select: { kycId: true, sealedData: true },
      where: { kycId },
    });
    return row.sealedData && this.data.open(kycId, row.sealedData, manager);
  }

  private toDto(kyc: KycCaseEntity): KycCaseDto {
    return toKycCaseDto(kyc, (uid) => this.sanctions.entry(uid));
  }
}
