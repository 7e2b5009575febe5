import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, Repository } from 'typeorm';
import { ApiError } from '../http/errors.js';
import { decodeCursor, type Page, pageOf } from '../http/pagination.js';
import type { Principal } from '../security/principal.js';
import { ApprovalKinds } from './approval-kinds.js';
import { ApprovalCatalogue } from './approval-type.js';
import { type ApprovalDto, type ListApprovalsQueryDto, toApprovalDto } from './approval.dto.js';
import { ApprovalEntity } from './approval.entity.js';
import { Approvals } from './approvals.service.js';

/** Lists approvals, pending and decided. */
@Injectable()
export class ApprovalList {
  constructor(
    @InjectRepository(ApprovalEntity) private readonly rows: Repository<ApprovalEntity>,
    private readonly approvals: Approvals,
    private readonly catalogue: ApprovalCatalogue,
    private readonly kinds: ApprovalKinds,
  ) {}

  /** Of the kinds that the principal may decide about, newest first. Throws `validation_failed` (400) for a kind that no module declares, and `invalid_cursor` (400). */
  async list(
    { scopes }: Principal,
    { kind, status, limit, cursor }: ListApprovalsQueryDto,
  ): Promise<Page<ApprovalDto>> {
    this.requireKind(kind);
    const seen = this.kinds.seenWith(scopes);
    const before = decodeCursor(cursor, ['integer'])?.[0];
    await this.approvals.expireDue();
    const rows = await this.rows.find({
      where: {
        ...(seen !== undefined && { kind: In(seen) }),
        ...(kind !== undefined && { kind: seen?.includes(kind) === false ? In([]) : kind }),
        ...(status !== undefined && { status }),
        ...(before !== undefined && { approvalId: LessThan(String(before)) }),
      },
      order: { approvalId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ approvalId }) => [Number(approvalId)], toApprovalDto);
  }

  private requireKind(kind: string | undefined): void {
    const { names } = this.catalogue;
    if (kind === undefined || names.includes(kind)) return;
    const message = `kind must be one of the following values: ${names.join(', ')}`;
    throw ApiError.validation([{ field: 'kind', message }]);
  }
}
