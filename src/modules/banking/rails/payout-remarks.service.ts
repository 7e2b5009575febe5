import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, Not, Repository } from 'typeorm';
import { Clock } from '../../../kit/clock.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { PayoutEntity } from '../payouts/payout.entity.js';
import {
  type ClearPayoutRemarkDto,
  type ListPayoutRemarksQueryDto,
  type PayoutRemarkDto,
  remarkIdOf,
  toPayoutRemarkDto,
} from './payout-remark.dto.js';
import { PayoutRemarkEntity } from './payout-remark.entity.js';
import { PAYOUT_REMARK_IDS } from '../ids.js';

export type NewPayoutRemark = Pick<
  PayoutRemarkEntity,
  'reportId' | 'rail' | 'payoutId' | 'fileId' | 'bankReference' | 'code' | 'reason'
>;

/** What reports of banks say that moved nothing, until an operator clears it. */
@Injectable()
export class PayoutRemarksService {
  constructor(
    @InjectRepository(PayoutRemarkEntity) private readonly remarks: Repository<PayoutRemarkEntity>,
    private readonly secondPerson: SecondPerson,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Returns the id. An open remark that says the same is not repeated, since reports are read again after a crash. */
  async add(remark: NewPayoutRemark): Promise<string> {
    const { payoutId, fileId, bankReference, code } = remark;
    const same = await this.remarks.findOneBy({
      rail: remark.rail,
      reason: remark.reason,
      payoutId: payoutId ?? IsNull(),
      fileId: fileId ?? IsNull(),
      bankReference: bankReference ?? IsNull(),
      code: code ?? IsNull(),
      clearedAt: IsNull(),
    });
    const { remarkId } = same ?? (await this.remarks.save(this.remarks.create(remark)));
    return remarkIdOf(remarkId);
  }

  /** Newest first. */
  async list({ status, limit, cursor }: ListPayoutRemarksQueryDto): Promise<Page<PayoutRemarkDto>> {
    const before = decodeCursor(cursor, ['integer']);
    const rows = await this.remarks.find({
      where: {
        ...(status !== undefined && { clearedAt: status === 'open' ? IsNull() : Not(IsNull()) }),
        ...(before !== undefined && { remarkId: LessThan(String(before[0])) }),
      },
      order: { remarkId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ remarkId }) => [Number(remarkId)], toPayoutRemarkDto);
  }

  /**
   * Throws `not_found` (404), `conflict` (409) if it is cleared already, and `same_person` or `related_person` (403) for
   * the requester or owner of its payout.
   */
  async clear(principal: Principal, text: string, { note }: ClearPayoutRemarkDto): Promise<PayoutRemarkDto> {
    const remarkId = PAYOUT_REMARK_IDS.parse(text);
    const by = personOf(principal);
    return this.remarks.manager.transaction(async (manager) => {
      const remark = await manager.findOne(PayoutRemarkEntity, {
        where: { remarkId: String(remarkId ?? 0) },
        lock: { mode: 'pessimistic_write' },
      });
      if (remark === null)
        throw new ApiError(NOT_FOUND, 'There is no such remark. See GET /admin/payout-remarks.');
      const { payoutId, clearedBy, code } = remark;
      if (clearedBy !== null) throw new ApiError(CONFLICT, `The remark was cleared by ${clearedBy}.`);
      if (payoutId !== null) {
        const { requestedBy, owner } = await manager.findOneByOrFail(PayoutEntity, { payoutId });
        await this.secondPerson.require(manager, by, { proposedBy: requestedBy, owner });
      }
      const { payout_id, file_id } = toPayoutRemarkDto(remark);
      const details = { payout_id, file_id, code, note };
      await this.audit.record(manager, { target: { type: 'payout_remark', id: text }, details });
      return toPayoutRemarkDto(
        await manager.save(
          Object.assign(remark, { clearedBy: by, clearedAt: new Date(this.clock.nowMs()), note }),
        ),
      );
    });
  }
}

/** The SQL condition that an open remark is about a payout or its file; `payout` is the alias of its row. */
export function hasOpenRemarkSql(payout: string): string {
  return `EXISTS (SELECT FROM payout_remarks remark WHERE remark.cleared_at IS NULL
    AND (remark.payout_id = ${payout}.payout_id OR remark.file_id = ${payout}.file_id))`;
}
