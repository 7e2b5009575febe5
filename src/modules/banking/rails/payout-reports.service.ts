import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { moneyStepOf, type PayoutStatus } from '../../../domain/banking/payout-states.js';
import { formatId } from '../../../domain/ids.js';
import { ApiError } from '../../../platform/http/errors.js';
import {
  PayoutRail,
  type RailReport,
  type RailReportEntry,
  UnreadableReport,
} from '../../../platform/payouts/payout-rail.js';
import { personOf, type Principal } from '../../../platform/security/principal.js';
import { payoutIdOf } from '../payouts/payout-commands.js';
import { centsOf } from '../payouts/payout-limits.js';
import { PayoutSteps } from '../payouts/payout-steps.service.js';
import { PayoutEntity } from '../payouts/payout.entity.js';
import type { PayoutReportDto, PayoutReportEntryDto } from './payout-file.dto.js';
import { PayoutFileEntity, PayoutReportEntity } from './payout-file.entity.js';
import { PayoutFilesService } from './payout-files.service.js';

/**
 * Reads banks' reports and updates their payouts one by one. Reading a report again, also after a crash, skips finished
 * payouts and updates the rest.
 */
@Injectable()
export class PayoutReportsService {
  constructor(
    @InjectRepository(PayoutReportEntity) private readonly reports: Repository<PayoutReportEntity>,
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    @InjectRepository(PayoutFileEntity) private readonly files: Repository<PayoutFileEntity>,
    private readonly rail: PayoutRail,
    private readonly steps: PayoutSteps,
    private readonly payoutFiles: PayoutFilesService,
    private readonly audit: AuditLog,
  ) {}

  /** Throws `unprocessable` (422) for an invalid or incomplete report; then nothing has changed. */
  async upload(principal: Principal, content: Buffer): Promise<PayoutReportDto> {
    const report = this.read(content);
    const by = personOf(principal);
    // First, with its row in the audit log: whatever moves from here on was reported.
    const reportId = await this.begin(report, hash('sha256', content, 'hex'), by);
    const entries: PayoutReportEntryDto[] = [];
    for (const entry of report.entries) entries.push(...(await this.apply(report.rail, entry, by)));
    const applied = entries.filter(({ outcome }) => outcome === 'applied').length;
    await this.reports.update({ reportId }, { applied });
    return {
      report_id: formatId('por', Number(reportId)),
      rail: report.rail,
      format: report.format,
      entries,
      remarks: [...report.remarks],
    };
  }

  private begin({ rail, format, entries }: RailReport, sha256: string, by: string): Promise<string> {
    const row = { rail, format, sha256, entries: entries.length };
    return this.reports.manager.transaction(async (manager) => {
      const made = await manager.insert(PayoutReportEntity, { ...row, applied: 0, uploadedBy: by });
      const { reportId } = made.identifiers[0] as { reportId: string };
      const id = formatId('por', Number(reportId));
      await this.audit.record(manager, { target: { type: 'payout_report', id }, details: row });
      return reportId;
    });
  }

  private read(content: Buffer): RailReport {
    try {
      return this.rail.read(content);
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      throw new ApiError('unprocessable', `This report cannot be read. ${error.message}`, { cause: error });
    }
  }

  private async apply(rail: string, entry: RailReportEntry, by: string): Promise<PayoutReportEntryDto[]> {
    const { subject } = entry;
    if ('bankReference' in subject) {
      // Banks' references may come round again after years: the newest is meant.
      const payout = await this.payouts.findOne({
        where: { rail, bankReference: subject.bankReference },
        order: { payoutId: 'DESC' },
      });
      if (payout === null)
        return [ignored(entry, subject.bankReference, null, 'No payout was sent under this reference.')];
      return [await this.move(payout, entry, by)];
    }
    const file = await this.files.findOneBy({ rail, number: String(subject.fileNumber) });
    if (file === null)
      return [ignored(entry, null, null, `There is no file ${subject.fileNumber} of this rail.`)];
    const payouts = await this.payouts.find({ where: { fileId: file.fileId }, order: { payoutId: 'ASC' } });
    const moved: PayoutReportEntryDto[] = [];
    for (const payout of payouts) moved.push(await this.move(payout, entry, by));
    return moved;
  }

  private async move(
    payout: PayoutEntity,
    entry: RailReportEntry,
    by: string,
  ): Promise<PayoutReportEntryDto> {
    const { bankReference, fileId, amount } = payout;
    if (entry.amountCents !== null && entry.amountCents !== centsOf(amount)) {
      return ignored(entry, bankReference, payout, 'The amount is not the one that was sent.');
    }
    if (entry.status === 'in_transit') {
      const file = await this.files.findOneByOrFail({ fileId: fileId! });
      const isMoved = await this.payoutFiles.bringInTransit(payout.payoutId, file, by);
      return told(isMoved ? 'applied' : 'unchanged', entry, await this.reread(payout));
    }
    const { status: reported, code, message } = entry;
    // By the locked row, whatever has happened since it was found.
    const decided: { outcome: PayoutReportEntryDto['outcome'] } = { outcome: 'unchanged' };
    const after = await this.steps.take(payout.payoutId, ({ status }) => {
      const to = statusAfter(status, reported);
      if (to === status) return null;
      decided.outcome = moneyStepOf(status, to) === undefined ? 'ignored' : 'applied';
      return decided.outcome === 'applied' ? { to, by, code, message } : null;
    });
    return decided.outcome === 'ignored'
      ? ignored(entry, bankReference, after, `The payout is ${after.status} and cannot become ${reported}.`)
      : told(decided.outcome, entry, after);
  }

  private reread({ payoutId }: PayoutEntity): Promise<PayoutEntity> {
    return this.payouts.findOneByOrFail({ payoutId });
  }
}

/** A payout that comes back after it was paid is returned; money that was released once is not released again. */
function statusAfter(
  now: PayoutStatus,
  reported: Exclude<RailReportEntry['status'], 'in_transit'>,
): PayoutStatus {
  if (reported === 'failed' && now === 'paid') return 'returned';
  if (reported !== 'paid' && (now === 'failed' || now === 'returned')) return now;
  return reported;
}

function told(
  outcome: PayoutReportEntryDto['outcome'],
  { code }: RailReportEntry,
  payout: PayoutEntity,
): PayoutReportEntryDto {
  return {
    payout_id: payoutIdOf(payout),
    bank_reference: payout.bankReference,
    outcome,
    status: payout.status,
    code,
    reason: null,
  };
}

function ignored(
  { code }: RailReportEntry,
  bankReference: string | null,
  payout: PayoutEntity | null,
  reason: string,
): PayoutReportEntryDto {
  return {
    payout_id: payout && payoutIdOf(payout),
    bank_reference: bankReference,
    outcome: 'ignored',
    status: payout?.status ?? null,
    code,
    reason,
  };
}
