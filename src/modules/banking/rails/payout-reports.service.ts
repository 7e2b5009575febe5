import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, IsNull, Not, Repository } from 'typeorm';
import { Clock } from '../../../kit/clock.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import {
  type Ignored,
  type ReportedPayout,
  UNCHANGED,
  UNCLEAR,
  type BankVerdict,
  verdictOn,
} from '../../../domain/banking/bank-verdicts.js';
import { UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import {
  PayoutRail,
  type RailReport,
  type RailReportEntry,
  UnreadableReport,
} from '../bank-rails/payout-rail.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { payoutIdOf, payoutNumberOf } from '../payouts/payout-commands.js';
import { centsOf } from '../payouts/payout-limits.js';
import { PayoutLifecycle } from '../payouts/payout-lifecycle.service.js';
import { NOT_RETURNED, PayoutEntity } from '../payouts/payout.entity.js';
import type { PayoutReportDto, PayoutReportEntryDto } from './payout-file.dto.js';
import { PayoutFileEntity, PayoutReportEntity } from './payout-file.entity.js';
import { PayoutFilesService } from './payout-files.service.js';
import { PayoutRemarksService } from './payout-remarks.service.js';
import { PAYOUT_REPORT_IDS } from '../ids.js';

/** A report while it is read. */
interface Reading {
  readonly reportId: string;
  readonly rail: string;
  readonly by: string;
  /** The references of payments with entries of their own. */
  readonly named: ReadonlySet<string>;
  /** The same file was read before, to its end. */
  readonly isRepeat: boolean;
}

/**
 * Reads banks' reports and updates their payouts one by one. A report whose reading was interrupted, also by a crash, is
 * read again: that skips finished payouts and updates the rest. One that was read to its end moves nothing any more.
 */
@Injectable()
export class PayoutReportsService {
  constructor(
    @InjectRepository(PayoutReportEntity) private readonly reports: Repository<PayoutReportEntity>,
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    @InjectRepository(PayoutFileEntity) private readonly files: Repository<PayoutFileEntity>,
    private readonly rail: PayoutRail,
    private readonly lifecycle: PayoutLifecycle,
    private readonly payoutFiles: PayoutFilesService,
    private readonly remarks: PayoutRemarksService,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Throws `unprocessable` (422) for an invalid or incomplete report; then nothing has changed. */
  async upload(principal: Principal, content: Buffer): Promise<PayoutReportDto> {
    const report = this.read(content);
    const { rail, format } = report;
    const by = personOf(principal);
    const sha256 = hash('sha256', content, 'hex');
    const earlier = await this.reports.findOne({
      where: { rail, sha256, completedAt: Not(IsNull()) },
      order: { reportId: 'ASC' },
    });
    // First, with its row in the audit log: whatever moves from here on was reported.
    const reportId = await this.begin(report, sha256, by);
    const named = new Set(report.entries.flatMap(({ subject }) => referenceIn(subject) ?? []));
    const reading: Reading = { reportId, rail, by, named, isRepeat: earlier !== null };
    const entries: PayoutReportEntryDto[] = [];
    for (const entry of report.entries) entries.push(...(await this.apply(entry, reading)));
    const applied = entries.filter(({ outcome }) => outcome === 'applied').length;
    await this.reports.update({ reportId }, { applied, completedAt: new Date(this.clock.nowMs()) });
    return {
      report_id: reportIdOf(reportId),
      rail,
      format,
      entries,
      remarks: [
        ...(earlier === null
          ? []
          : [`This file was read before, as ${reportIdOf(earlier.reportId)}: it moves nothing.`]),
        ...report.remarks,
      ],
    };
  }

  private begin({ rail, format, entries }: RailReport, sha256: string, by: string): Promise<string> {
    const row = { rail, format, sha256, entries: entries.length };
    return this.reports.manager.transaction(async (manager) => {
      const made = await manager.insert(PayoutReportEntity, { ...row, applied: 0, uploadedBy: by });
      const { reportId } = made.identifiers[0] as { reportId: string };
      const target = { type: 'payout_report', id: reportIdOf(reportId) };
      await this.audit.record(manager, { target, details: row });
      return reportId;
    });
  }

  private read(content: Buffer): RailReport {
    try {
      return this.rail.read(content);
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      throw new ApiError(UNPROCESSABLE, `This report cannot be read. ${error.message}`, { cause: error });
    }
  }

  private async apply(entry: RailReportEntry, reading: Reading): Promise<PayoutReportEntryDto[]> {
    const { subject } = entry;
    const { rail } = reading;
    if (!('fileNumber' in subject)) {
      const payout = await this.payouts.findOne({
        where: { ...whereOf(subject), rail, fileId: Not(IsNull()) },
        // Banks' references may come round again after years: the newest is meant.
        order: { payoutId: 'DESC' },
      });
      if (payout === null) {
        const reason = reasonOf(entry, { reason: 'No payout was sent under this reference.' });
        return this.remark(reading, [ignored(entry, null, reason, referenceIn(subject))]);
      }
      return this.remark(reading, [await this.move(payout, entry, reading)], { payoutId: payout.payoutId });
    }
    const file = await this.files.findOneBy({ rail, number: String(subject.fileNumber) });
    if (file === null) {
      return this.remark(reading, [
        ignored(entry, null, `There is no file ${subject.fileNumber} of this rail.`),
      ]);
    }
    const { fileId } = file;
    if (entry.status === 'unclear')
      return this.remark(reading, [ignored(entry, null, reasonOf(entry, UNCLEAR))], { fileId });
    const payouts = await this.payouts.find({ where: { fileId }, order: { payoutId: 'ASC' } });
    const moved: PayoutReportEntryDto[] = [];
    for (const payout of payouts) {
      if (!reading.named.has(payout.bankReference!)) moved.push(await this.move(payout, entry, reading));
    }
    return this.remark(reading, moved, { fileId });
  }

  private async move(
    payout: PayoutEntity,
    entry: RailReportEntry,
    { by, isRepeat }: Reading,
  ): Promise<PayoutReportEntryDto> {
    if (isRepeat) return reportedPayout('unchanged', entry, payout);
    const { subject, status: said, code, message } = entry;
    if (said !== 'unclear' && entry.amountCents !== null && entry.amountCents !== centsOf(payout.amount)) {
      return ignored(entry, payout, 'The amount is not the one that was sent.');
    }
    if (said === 'in_transit') {
      const file = await this.files.findOneByOrFail({ fileId: payout.fileId! });
      const isMoved = await this.payoutFiles.bringInTransit(payout.payoutId, file, by);
      return reportedPayout(isMoved ? 'applied' : 'unchanged', entry, await this.reread(payout));
    }
    // By the locked row, whatever has happened since it was found.
    let verdict: BankVerdict = UNCHANGED;
    const after = await this.lifecycle.take(payout.payoutId, (locked) => {
      verdict = verdictOn(reportedOf(locked), said, !('fileNumber' in subject));
      return verdict.kind === 'move' ? { to: verdict.to, by, code, message } : null;
    });
    return entryDtoOf(verdict, entry, after);
  }

  /** Leaves one remark about those of the entries that moved nothing because somebody must look at them. */
  private async remark(
    { reportId, rail, isRepeat }: Reading,
    entries: readonly PayoutReportEntryDto[],
    about: { readonly payoutId?: string; readonly fileId?: string } = {},
  ): Promise<PayoutReportEntryDto[]> {
    const left = entries.find(({ outcome }) => outcome === 'ignored');
    if (left === undefined) return [...entries];
    // Its remark is there, unless it was cleared.
    if (isRepeat) return entries.map((entry) => ({ ...entry, outcome: 'unchanged', reason: null }));
    const { code, reason, bank_reference } = left;
    const { payoutId = null, fileId = null } = about;
    const remark_id = await this.remarks.add({
      reportId,
      rail,
      payoutId,
      fileId,
      bankReference: fileId === null ? bank_reference : null,
      code,
      reason: reason!,
    });
    return entries.map((entry) => (entry.outcome === 'ignored' ? { ...entry, remark_id } : entry));
  }

  private reread({ payoutId }: PayoutEntity): Promise<PayoutEntity> {
    return this.payouts.findOneByOrFail({ payoutId });
  }
}

function reportIdOf(reportId: string): string {
  return PAYOUT_REPORT_IDS.format(Number(reportId));
}

type Subject = RailReportEntry['subject'];

function referenceIn(subject: Subject): string | undefined {
  return 'bankReference' in subject ? subject.bankReference : undefined;
}

function whereOf(subject: Exclude<Subject, { readonly fileNumber: number }>): FindOptionsWhere<PayoutEntity> {
  if ('bankReference' in subject) return { bankReference: subject.bankReference };
  return { payoutId: String(payoutNumberOf(subject.paymentId) ?? 0) };
}

function reportedOf({ status, code }: PayoutEntity): ReportedPayout {
  return { status, isPaidBySilence: status === 'paid' && code === NOT_RETURNED };
}

function entryDtoOf(verdict: BankVerdict, entry: RailReportEntry, after: PayoutEntity): PayoutReportEntryDto {
  return verdict.kind === 'ignored'
    ? ignored(entry, after, reasonOf(entry, verdict))
    : reportedPayout(verdict.kind === 'move' ? 'applied' : 'unchanged', entry, after);
}

/** What is unclear, in the words of the rail, and what follows. */
function reasonOf({ status, message }: RailReportEntry, { reason }: Pick<Ignored, 'reason'>): string {
  return status === 'unclear' && message !== null ? `${message} ${reason}` : reason;
}

function reportedPayout(
  outcome: PayoutReportEntryDto['outcome'],
  { code }: RailReportEntry,
  payout: PayoutEntity | null,
): PayoutReportEntryDto {
  return {
    payout_id: payout && payoutIdOf(payout),
    bank_reference: payout?.bankReference ?? null,
    outcome,
    status: payout?.status ?? null,
    code,
    reason: null,
    remark_id: null,
  };
}

function ignored(
  entry: RailReportEntry,
  payout: PayoutEntity | null,
  reason: string,
  bankReference = payout?.bankReference ?? null,
): PayoutReportEntryDto {
  return { ...reportedPayout('ignored', entry, payout), bank_reference: bankReference, reason };
}
