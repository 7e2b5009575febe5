import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Row } from '../../../kit/database/rows.js';
import { KycProvider, type KycExamination } from './kyc-provider.js';
import { VALIDATION_FAILED, CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { BY_SERVICE, changeCase, lockPerson } from './kyc-changes.js';
import { KycData } from './kyc-data.js';
import { KycLevels } from './kyc-levels.js';
import { KycOutcomes } from './kyc-outcomes.js';
import { KYC_CASE_IDS } from '../ids.js';

/** A provider that is silent for longer has failed. */
const EXAMINATION_MAX_MS = 30_000;
const ASKED_AGAIN_AFTER_S = 60;
const ASKED_AT_ONCE_MAX = 20;
const REFERENCE_LENGTH_MAX = 200;

type ClaimedRow = Row<KycCaseEntity, 'kycId' | 'owner' | 'sealedData'>;

/** Cases under examination by an outside provider: requests, retries, and callbacks. */
@Injectable()
export class KycProviderCases {
  private readonly logger = new Logger('KycProvider');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly provider: KycProvider,
    private readonly data: KycData,
    private readonly outcomes: KycOutcomes,
    private readonly levels: KycLevels,
  ) {}

  /** Requests an opinion on one case unless a request is running. Never rejects: the sweep retries failures. */
  async ask(kycId: string): Promise<void> {
    try {
      const claimed = await this.claim(kycId);
      if (claimed) await this.take(claimed, await this.examine(claimed));
    } catch (error) {
      // The error of a provider may quote the person, who belongs in no log: its name must do.
      this.logger.warn({ kycId, error: (error as Error).name, msg: 'the KYC provider has no answer' });
    }
  }

  /** Asks again about cases that have waited for long; tells about how many. */
  async sweep(): Promise<number> {
    await this.reviewThoseOfAnother();
    const rows = await this.dataSource.query<{ readonly kyc_id: string }[]>(
      `SELECT kyc_id FROM kyc_cases WHERE status = 'pending' AND provider = $1 AND provider_reference IS NULL
         AND coalesce(provider_asked_at, created_at) < now() - make_interval(secs => $2)
       ORDER BY kyc_id LIMIT ${ASKED_AT_ONCE_MAX}`,
      [this.provider.name, ASKED_AGAIN_AFTER_S],
    );
    for (const { kyc_id } of rows) await this.ask(kyc_id);
    return rows.length;
  }

  /**
   * Processes a callback with a valid signature once; `messageId` is the provider's. Throws `validation_failed` (400)
   * for an empty message, `not_found` (404) if no case has the reference (yet), and `conflict` (409) for a repeated
   * message.
   */
  async receive(messageId: string, payload: unknown): Promise<void> {
    const callback = this.provider.readCallback(payload);
    if (callback === undefined) {
      throw new ApiError(VALIDATION_FAILED, 'The message says nothing about a case.');
    }
    const owner = await this.dataSource.transaction(async (manager) => {
      await this.requireNew(manager, messageId);
      const found = await this.findOpenable(manager, callback.reference);
      await lockPerson(manager, found.owner);
      const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId: found.kycId });
      if (kyc.status === 'pending' || kyc.status === 'in_review') {
        await this.outcomes.afterOpinion(manager, kyc, callback.opinion);
      } else {
        this.logger.warn({ kycId: kyc.kycId, status: kyc.status, msg: 'a callback came for a decided case' });
      }
      return kyc.owner;
    });
    await this.levels.applyOrLeave(owner);
  }

  /** A case is claimed for as long as an answer may take, so that two do not ask at once. */
  private async claim(kycId: string): Promise<ClaimedRow | undefined> {
    const [rows] = await this.dataSource.query<[ClaimedRow[], number]>(
      `UPDATE kyc_cases SET provider_asked_at = now()
       WHERE kyc_id = $1 AND status = 'pending' AND provider = $2 AND provider_reference IS NULL
         AND (provider_asked_at IS NULL OR provider_asked_at < now() - make_interval(secs => $3))
       RETURNING kyc_id, owner, sealed_data`,
      [kycId, this.provider.name, ASKED_AGAIN_AFTER_S],
    );
    return rows[0];
  }

  private async examine({ kyc_id, sealed_data }: ClaimedRow): Promise<KycExamination> {
    if (sealed_data === null) return { verdict: 'review' };
    const person = await this.data.open(kyc_id, sealed_data);
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer in time')), EXAMINATION_MAX_MS);
    });
    try {
      return await Promise.race([
        this.provider.examine(KYC_CASE_IDS.format(Number(kyc_id)), person),
        silence,
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async take({ kyc_id, owner }: ClaimedRow, examination: KycExamination): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await lockPerson(manager, owner);
      const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId: kyc_id });
      if (kyc.status !== 'pending') return;
      if (examination.verdict === 'later') {
        const reference = examination.reference.slice(0, REFERENCE_LENGTH_MAX);
        await manager.update(KycCaseEntity, { kycId: kyc_id }, { providerReference: reference });
      } else {
        await this.outcomes.afterOpinion(manager, kyc, examination);
      }
    });
    await this.levels.applyOrLeave(owner);
  }

  /** An unbound provider will never answer, so an operator takes over. */
  private async reviewThoseOfAnother(): Promise<void> {
    const orphans = await this.dataSource.query<{ readonly kyc_id: string; readonly owner: string }[]>(
      `SELECT kyc_id, owner FROM kyc_cases WHERE status = 'pending' AND provider <> $1 LIMIT ${ASKED_AT_ONCE_MAX}`,
      [this.provider.name],
    );
    for (const { kyc_id, owner } of orphans) {
      await this.dataSource.transaction(async (manager) => {
        await lockPerson(manager, owner);
        const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId: kyc_id });
        if (kyc.status !== 'pending') return;
        const change = { changedBy: BY_SERVICE, code: 'provider_gone', requirements: kyc.requirements };
        await changeCase(manager, kyc, { ...change, status: 'in_review' });
      });
    }
  }

  private async requireNew(manager: EntityManager, messageId: string): Promise<void> {
    const rows = await manager.query<unknown[]>(
      `INSERT INTO kyc_callbacks (provider, message_id) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING message_id`,
      [this.provider.name, messageId],
    );
    if (rows.length === 0) throw new ApiError(CONFLICT, 'This message was taken before.');
  }

  private async findOpenable(manager: EntityManager, providerReference: string): Promise<KycCaseEntity> {
    const kyc = await manager.findOneBy(KycCaseEntity, { provider: this.provider.name, providerReference });
    if (kyc === null) throw new ApiError(NOT_FOUND, 'There is no case of this reference (yet).');
    return kyc;
  }
}
