import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository, type EntityManager } from 'typeorm';
import { KycProvider, type PersonalData } from './kyc-provider.js';
import { Settings } from '../../../kit/config/settings.js';
import { RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { Fingerprints } from '../fingerprints.js';
import { checkPerson } from './checks/built-in-checks.js';
import { threeLettersOf } from './validation/countries.js';
import { KycAccess } from './kyc-access.js';
import { KycCaseEntity, type MaskedPerson } from './kyc-case.entity.js';
import { changeCase, lockPerson, supersede } from './kyc-changes.js';
import { KycData } from './kyc-data.js';
import { KycExpiry } from './kyc-expiry.js';
import { KycLevels } from './kyc-levels.js';
import { KycOutcomes } from './kyc-outcomes.js';
import { KycProviderCases } from './kyc-provider-cases.js';
import { KycStateEntity } from './kyc-records.entity.js';
import {
  toKycDto,
  toKycStateDto,
  toPersonalData,
  type KycDto,
  type KycHistoryDto,
  type KycStateDto,
  type SubmitKycDto,
} from './kyc.dto.js';
import { SanctionsList } from './sanctions/sanctions-list.js';
import { KYC_SETTINGS } from './kyc-settings.js';

/** In 24 hours: enough for every mistake that one can correct, and too few to find out what passes. */
export const CASES_PER_DAY_MAX = 10;

/**
 * Users' own KYC cases: submitting and reading them. The built-in checks run before anything is written, and their
 * result is committed with the case.
 */
@Injectable()
export class KycCasesService {
  constructor(
    private readonly settings: Settings,
    private readonly access: KycAccess,
    private readonly answerTransaction: AnswerTransaction,
    private readonly data: KycData,
    private readonly expiry: KycExpiry,
    private readonly fingerprints: Fingerprints,
    private readonly levels: KycLevels,
    private readonly outcomes: KycOutcomes,
    private readonly provider: KycProvider,
    private readonly providerCases: KycProviderCases,
    private readonly sanctions: SanctionsList,
    @InjectRepository(KycCaseEntity) private readonly cases: Repository<KycCaseEntity>,
    @InjectRepository(KycStateEntity) private readonly states: Repository<KycStateEntity>,
  ) {}

  /**
   * Takes a new case, which takes the place of one that is still open; an approved one stays in force until
   * the new one is approved too. Throws `rate_limited` (429) for more than ten in 24 hours.
   */
  async submit(principal: Principal, body: SubmitKycDto): Promise<KycDto> {
    const owner = personOf(principal);
    const person = toPersonalData(body);
    const [documentFingerprint, sanctions] = await Promise.all([
      this.fingerprintOf(person),
      this.sanctions.search(`${person.firstName} ${person.lastName}`),
    ]);
    const list = this.sanctions.state();
    const answer = await this.answerTransaction.run(async (manager) => {
      await lockPerson(manager, owner);
      await requireRoom(manager, owner);
      const facts = await factsOf(manager, owner, documentFingerprint);
      const checks = checkPerson(person, {
        ...facts,
        ageMinYears: this.settings.get(KYC_SETTINGS).ageMinYears,
        sanctions,
        sanctionsListSize: list?.people ?? null,
      });
      await this.supersedeOpen(manager, owner);
      const kyc = await this.insert(manager, person, {
        owner,
        submittedBy: principal.key,
        documentFingerprint,
        checks,
        sanctionsVersion: list?.version ?? null,
      });
      await this.outcomes.afterChecks(manager, kyc);
      return toKycDto(kyc);
    });
    await this.follow(owner);
    return answer;
  }

  /** Throws `not_found` (404). */
  async get(principal: Principal, kycId: string): Promise<KycDto> {
    return toKycDto(await this.access.caseOf(principal, kycId));
  }

  /** Newest first. Throws `invalid_cursor` (400). */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<KycDto>> {
    const before = decodeCursor(cursor, ['integer'])?.[0];
    const owner = personOf(principal);
    await this.expiry.expireOf(owner);
    const rows = await this.cases.find({
      where: { owner, ...(before !== undefined && { kycId: LessThan(String(before)) }) },
      order: { kycId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ kycId }) => [Number(kycId)], toKycDto);
  }

  /** Shows only the role of who made a change: operators stay anonymous to others. Throws `not_found` (404). */
  async history(principal: Principal, text: string): Promise<KycHistoryDto> {
    const { kycId, submittedBy } = await this.access.caseOf(principal, text);
    const states = await this.states.find({ where: { kycId }, order: { stateId: 'ASC' } });
    return { data: states.map((state) => toOwnersStateDto(state, submittedBy)) };
  }

  /** Starts the work that follows the commit. The answer is already sent; the sweep repeats what fails here. */
  private async follow(owner: string): Promise<void> {
    await this.levels.applyOrLeave(owner);
    if (!this.outcomes.isProviderOutside) return;
    const open = await this.cases.findOneBy({ owner, status: 'pending' });
    if (open) void this.providerCases.ask(open.kycId);
  }

  private fingerprintOf({ document }: PersonalData): Promise<Buffer> {
    const number = document.number.toUpperCase().replace(/[^A-Z0-9]/g, '');
    return this.fingerprints.of('kyc_document', [
      threeLettersOf(document.issuingCountry),
      document.type,
      number,
    ]);
  }

  private async supersedeOpen(manager: EntityManager, owner: string): Promise<void> {
    const open = await manager.findBy(KycCaseEntity, [
      { owner, status: 'pending' },
      { owner, status: 'in_review' },
    ]);
    for (const kyc of open) await supersede(manager, kyc);
  }

  private async insert(
    manager: EntityManager,
    person: PersonalData,
    columns: Pick<
      KycCaseEntity,
      'owner' | 'submittedBy' | 'documentFingerprint' | 'checks' | 'sanctionsVersion'
    >,
  ): Promise<KycCaseEntity> {
    const [next] = await manager.query<[{ readonly kyc_id: string }]>(
      `SELECT nextval(pg_get_serial_sequence('kyc_cases', 'kyc_id')) AS kyc_id`,
    );
    const kycId = next.kyc_id;
    const kyc = manager.create(KycCaseEntity, {
      ...(columns as object),
      kycId,
      status: 'pending',
      level: 0,
      documentExpiresOn: person.document.expiresOn,
      masked: masked(person),
      reasons: [],
      requirements: [],
      provider: this.provider.name,
      providerReference: null,
      providerAskedAt: null,
      sealedData: await this.data.seal(kycId, person, manager),
      decidedAt: null,
      erasedAt: null,
    });
    await manager.insert(KycCaseEntity, kyc);
    const inserted = await manager.findOneByOrFail(KycCaseEntity, { kycId });
    await changeCase(manager, inserted, {
      status: 'pending',
      changedBy: columns.submittedBy,
      code: 'submitted',
    });
    return inserted;
  }
}

async function requireRoom(manager: EntityManager, owner: string): Promise<void> {
  const [{ count }] = await manager.query<[{ readonly count: string }]>(
    `SELECT count(*) AS count FROM kyc_cases WHERE owner = $1 AND created_at > now() - interval '24 hours'`,
    [owner],
  );
  if (Number(count) < CASES_PER_DAY_MAX) return;
  throw new ApiError(
    RATE_LIMITED,
    `You have submitted ${CASES_PER_DAY_MAX} cases today; try again tomorrow.`,
    {
      headers: { 'Retry-After': '86400' },
    },
  );
}

async function factsOf(
  manager: EntityManager,
  owner: string,
  documentFingerprint: Buffer,
): Promise<{ today: string; documentIsUsed: boolean }> {
  const [facts] = await manager.query<[{ readonly today: string; readonly document_is_used: boolean }]>(
    `SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date::text AS today,
       EXISTS (SELECT FROM kyc_cases WHERE document_fingerprint = $1 AND owner <> $2) AS document_is_used`,
    [documentFingerprint, owner],
  );
  return { today: facts.today, documentIsUsed: facts.document_is_used };
}

function masked({ firstName, lastName, document }: PersonalData): MaskedPerson {
  return {
    name: `${initialOf(firstName)}*** ${initialOf(lastName)}***`,
    documentType: document.type,
    documentNumber: document.number.length > 6 ? `***${document.number.slice(-3)}` : '***',
  };
}

function initialOf(name: string): string {
  return [...name][0] ?? '';
}

function toOwnersStateDto(state: KycStateEntity, submittedBy: string): KycStateDto {
  const { changedBy } = state;
  if (changedBy === submittedBy) return toKycStateDto(state, 'owner');
  if (changedBy === 'service') return toKycStateDto(state, 'service');
  return toKycStateDto(state, changedBy.startsWith('provider:') ? 'provider' : 'operator');
}
