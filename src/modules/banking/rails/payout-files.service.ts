import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, LessThan, Repository } from 'typeorm';
import type { Act } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';
import { type Amount, formatAmount, ZERO } from '../../../domain/money/amount.js';
import { Clock } from '../../../kit/clock.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { localTimeOf } from '../bank-rails/local-time.js';
import { PayoutRail, type RailTerms } from '../bank-rails/payout-rail.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { PayoutLifecycle } from '../payouts/payout-lifecycle.service.js';
import { PayoutEntity } from '../payouts/payout.entity.js';
import { type PayoutFileDto, toPayoutFileDto } from './payout-file.dto.js';
import { PayoutFileEntity, PayoutRailEntity } from './payout-file.entity.js';
import { paidAfterOf, settlementDayOf } from './rail-clock.js';
import { lockRail, PayablePayouts } from './payable-payouts.js';
import { PAYOUT_FILE_IDS } from '../ids.js';

/** What one transaction has made: a file, or none, and whose money goes back because of it. */
interface Batch {
  readonly file: PayoutFileEntity | null;
  readonly failedPayoutIds: readonly string[];
  /** More waits than one file may have. */
  readonly isFull: boolean;
}

export interface FileContent {
  readonly file: PayoutFileEntity;
  readonly content: Buffer;
}

/**
 * Makes files of pending payouts. One transaction has the file, its number and its payouts' transition to `processing`,
 * so a payment is in exactly one file or in none, even after a crash. The rail's row is locked, so files are made one
 * after the other and numbered without gaps.
 */
@Injectable()
export class PayoutFilesService {
  constructor(
    @InjectRepository(PayoutFileEntity) private readonly files: Repository<PayoutFileEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rail: PayoutRail,
    private readonly payable: PayablePayouts,
    private readonly box: SecretBox,
    private readonly lifecycle: PayoutLifecycle,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(query: PageQueryDto): Promise<Page<PayoutFileDto>> {
    const before = decodeCursor(query.cursor, ['integer']);
    const rows = await this.files.find({
      where: before === undefined ? {} : { fileId: LessThan(String(before[0])) },
      order: { fileId: 'DESC' },
      take: query.limit + 1,
    });
    return pageOf(rows, query.limit, ({ fileId }) => [Number(fileId)], toPayoutFileDto);
  }

  /** Throws `not_found` (404). */
  async content(text: string): Promise<FileContent> {
    const { fileId } = await this.find(text);
    const file = await this.files.findOneOrFail({ where: { fileId }, select: allColumns(this.files) });
    return { file, content: await this.box.open(file.sealedContent, placeOf(fileId)) };
  }

  /**
   * Makes files of all that waits for the rail, now. Throws `not_found` (404) for rails that there are not,
   * and `conflict` (409) with the names of settings that are missing.
   */
  async close(principal: Principal, railName: string): Promise<PayoutFileDto[]> {
    const terms = this.rail.rails().find(({ name }) => name === railName);
    if (terms === undefined) {
      const names = this.rail.rails().map(({ name }) => name);
      throw new ApiError(NOT_FOUND, `There is no such rail. There are: ${names.join(', ')}.`);
    }
    if (terms.isSentByPlugin === true)
      throw new ApiError(CONFLICT, `Payouts by ${railName} go out one by one, and in no file.`);
    const missing = this.rail.missingSettings(railName);
    if (missing.length > 0)
      throw new ApiError(CONFLICT, `Files cannot be made yet: set ${missing.join(' and ')} first.`);
    const files = await this.makeFiles(terms, new Date(this.clock.nowMs()), {
      by: personOf(principal),
      isAct: true,
    });
    // An empty run is an operator's act too.
    if (files.length === 0) await this.audit.recordAlone({ target: { type: 'rail', id: railName } });
    return files.map(toPayoutFileDto);
  }

  /**
   * Makes the files of a cut-off once for each business day, however often it is called. The caller has checked that no
   * setting is missing.
   */
  keepCutOff(terms: RailTerms, now: Date, cutOffDay: CalendarDate): Promise<PayoutFileEntity[]> {
    return this.makeFiles(terms, now, { by: null, cutOffDay });
  }

  /**
   * The bank has the file: its payouts are in transit, and from now on silence means that they were paid.
   * Doing it again changes nothing. Throws `not_found` (404).
   */
  async deliver(principal: Principal, text: string): Promise<PayoutFileDto> {
    const { fileId } = await this.find(text);
    const by = personOf(principal);
    const file = await this.dataSource.transaction(async (manager) => {
      await manager
        .createQueryBuilder()
        .update(PayoutFileEntity)
        .set({ deliveredBy: by, deliveredAt: () => 'now()' })
        .where('file_id = :fileId AND delivered_at IS NULL', { fileId })
        .execute();
      const delivered = await manager.findOneByOrFail(PayoutFileEntity, { fileId });
      await this.audit.record(manager, actOn(delivered));
      return delivered;
    });
    const payouts = await this.dataSource.manager.find(PayoutEntity, {
      where: { fileId, status: 'processing' },
      select: { payoutId: true },
    });
    for (const { payoutId } of payouts) await this.bringInTransit(payoutId, file, by);
    return toPayoutFileDto(file);
  }

  /** The bank has this payout: it is in transit, if it was not further already. Answers whether it moved. */
  async bringInTransit(payoutId: string, file: PayoutFileEntity, by: string): Promise<boolean> {
    const terms = this.rail.rails().find(({ name }) => name === file.rail);
    let isMoved = false;
    await this.lifecycle.take(payoutId, ({ status }) => {
      isMoved = status === 'processing';
      if (!isMoved) return null;
      return {
        to: 'in_transit',
        by,
        // Without its plugin a rail's days are unknown; then only reports complete the payouts.
        ...(terms && { paidAfter: paidAfterOf(terms, file.settlesOn, new Date(this.clock.nowMs())) }),
      };
    });
    return isMoved;
  }

  private async makeFiles(
    terms: RailTerms,
    now: Date,
    {
      by,
      cutOffDay,
      isAct = false,
    }: { readonly by: string | null; readonly cutOffDay?: CalendarDate; readonly isAct?: boolean },
  ): Promise<PayoutFileEntity[]> {
    const files: PayoutFileEntity[] = [];
    let isFirst = true;
    for (;;) {
      const batch = await this.dataSource.transaction(async (manager) => {
        const counters = await lockRail(manager, terms.name);
        if (isFirst && cutOffDay !== undefined) {
          if (counters.lastRunOn !== null && counters.lastRunOn >= cutOffDay) return EMPTY;
          await manager.update(PayoutRailEntity, { rail: terms.name }, { lastRunOn: cutOffDay });
        }
        const settlesOn = settlementDayOf(terms, now, cutOffDay);
        const made = await this.makeFile(manager, terms, counters, { now, by, settlesOn });
        if (isAct && made.file !== null) await this.audit.record(manager, actOn(made.file));
        return made;
      });
      isFirst = false;
      for (const payoutId of batch.failedPayoutIds) await this.lifecycle.settle(payoutId);
      if (batch.file !== null) files.push(batch.file);
      if (!batch.isFull) return files;
    }
  }

  private async makeFile(
    manager: EntityManager,
    terms: RailTerms,
    counters: PayoutRailEntity,
    {
      now,
      by,
      settlesOn,
    }: { readonly now: Date; readonly by: string | null; readonly settlesOn: CalendarDate },
  ): Promise<Batch> {
    const { payouts, payments, failedPayoutIds, isFull } = await this.payable.of(manager, terms);
    if (payouts.length === 0) return { file: null, failedPayoutIds, isFull };

    const createdOn = localTimeOf(terms, now).date;
    const fileOfDay = (await manager.countBy(PayoutFileEntity, { rail: terms.name, createdOn })) + 1;
    if (fileOfDay > terms.filesPerDayMax) {
      throw new ApiError(
        CONFLICT,
        `A bank takes ${terms.filesPerDayMax} files of ${terms.name} a day. Go on tomorrow.`,
      );
    }
    const fileNumber = Number(counters.lastFile) + 1;
    const firstPaymentNumber = Number(counters.lastPayment) + 1;
    const written = this.rail.write({
      rail: terms.name,
      fileNumber,
      fileOfDay,
      firstPaymentNumber,
      createdAt: now,
      createdOn,
      settlesOn,
      payments,
    });
    const fileId = await nextFileId(manager);
    await manager.insert(PayoutFileEntity, {
      fileId,
      rail: terms.name,
      number: String(fileNumber),
      name: written.name,
      mediaType: written.mediaType,
      currency: terms.currency,
      payments: payments.length,
      total: payouts.reduce((sum, { amount }) => (sum + amount) as Amount, ZERO),
      settlesOn,
      createdOn,
      sha256: hash('sha256', written.content, 'hex'),
      sealedContent: await this.box.seal(written.content, placeOf(fileId), manager),
      createdBy: by,
    });
    await manager.update(
      PayoutRailEntity,
      { rail: terms.name },
      { lastFile: String(fileNumber), lastPayment: String(firstPaymentNumber + payments.length - 1) },
    );
    await manager.query(
      this.lifecycle.recorded(
        `UPDATE payouts SET status = 'processing', code = NULL, message = NULL, file_id = $1::bigint,
           bank_reference = entry.bank_reference, updated_at = now()
         FROM unnest($2::bigint[], $3::text[]) AS entry (payout_id, bank_reference)
         WHERE payouts.payout_id = entry.payout_id
         RETURNING payouts.payout_id, status, $4::text AS changed_by, code, message`,
      ),
      [fileId, payouts.map(({ payoutId }) => payoutId), written.bankReferences, by],
    );
    return { file: await manager.findOneByOrFail(PayoutFileEntity, { fileId }), failedPayoutIds, isFull };
  }

  private async find(text: string): Promise<PayoutFileEntity> {
    const fileId = PAYOUT_FILE_IDS.parse(text);
    const file = fileId === undefined ? null : await this.files.findOneBy({ fileId: String(fileId) });
    if (file === null) throw new ApiError(NOT_FOUND, 'There is no such file. See GET /admin/payout-files.');
    return file;
  }
}

function actOn(file: PayoutFileEntity): Act {
  const { rail, payments, total, currency, sha256 } = file;
  const details = { rail, payments, total: formatAmount(total), currency, sha256 };
  return { target: { type: 'payout_file', id: PAYOUT_FILE_IDS.format(Number(file.fileId)) }, details };
}

const EMPTY: Batch = { file: null, failedPayoutIds: [], isFull: false };

async function nextFileId(manager: EntityManager): Promise<string> {
  const [row] = await manager.query<[{ id: string }]>(
    `SELECT nextval(pg_get_serial_sequence('payout_files', 'file_id')) AS id`,
  );
  return row.id;
}

function placeOf(fileId: string): SecretPlace {
  return { table: 'payout_files', row: fileId, column: 'sealed_content' };
}

/** Includes the content, which is not selected by default. */
function allColumns(files: Repository<PayoutFileEntity>): Record<string, boolean> {
  return Object.fromEntries(files.metadata.columns.map(({ propertyName }) => [propertyName, true]));
}
