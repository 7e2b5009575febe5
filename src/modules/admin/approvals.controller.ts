import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApprovalList } from '../../kit/approvals/approval-list.service.js';
import {
  ApprovalDto,
  ApproveDto,
  ListApprovalsQueryDto,
  RejectDto,
  toApprovalDto,
} from '../../kit/approvals/approval.dto.js';
import { Approvals } from '../../kit/approvals/approvals.service.js';
import {
  NOT_FOUND,
  SAME_PERSON,
  RELATED_PERSON,
  INSUFFICIENT_SCOPE,
  APPROVAL_NOT_PENDING,
} from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { Idempotent } from '../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../kit/http/pagination.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import {
  OPERATOR_COMPLIANCE,
  OPERATOR_CONTENT,
  OPERATOR_FINANCE,
  OPERATOR_MARKETS,
  OPERATOR_SECURITY,
  OPERATOR_SUPPORT,
  operators,
} from '../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';

/** Acts that take two persons: what one operator proposed, another one decides about. */
@ApiTags('Admin')
@RequireScopes(
  operators(
    OPERATOR_SUPPORT,
    OPERATOR_COMPLIANCE,
    OPERATOR_FINANCE,
    OPERATOR_MARKETS,
    OPERATOR_CONTENT,
    OPERATOR_SECURITY,
  ),
)
@Controller('admin/approvals')
export class ApprovalsController {
  constructor(
    private readonly approvals: Approvals,
    private readonly approvalList: ApprovalList,
  ) {}

  /**
   * List approvals
   * @remarks Newest first, of the kinds that your role decides about.
   */
  @Get()
  @ApiPageResponse(ApprovalDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListApprovalsQueryDto,
  ): Promise<Page<ApprovalDto>> {
    return this.approvalList.list(principal, query);
  }

  /** Find an approval by its id */
  @Get(':approval_id')
  @ApiErrors(INSUFFICIENT_SCOPE.means('another role decides about it.'), NOT_FOUND)
  async get(
    @CurrentPrincipal() principal: Principal,
    @Param('approval_id') approvalId: string,
  ): Promise<ApprovalDto> {
    return toApprovalDto(await this.approvals.show(principal, approvalId));
  }

  /**
   * Approve, and carry out what was proposed
   * @remarks What was stored is carried out, and only once. Where it is refused at that moment, the approval
   * is `failed` and the refusal is the answer.
   */
  @Post(':approval_id/approve')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    SAME_PERSON.means('you proposed it'),
    RELATED_PERSON.means(
      'it is about you or a user you created, or you and who proposed it do not count as two',
    ),
    INSUFFICIENT_SCOPE,
    NOT_FOUND,
    APPROVAL_NOT_PENDING.means('it is decided already. The act itself may be refused, too.'),
  )
  async approve(
    @CurrentPrincipal() principal: Principal,
    @Param('approval_id') approvalId: string,
    @Body() { reason }: ApproveDto,
  ): Promise<ApprovalDto> {
    return toApprovalDto(await this.approvals.approve(principal, approvalId, reason));
  }

  /**
   * Reject what was proposed
   * @remarks Who proposed it may take it back so. Payouts and transfers: never one’s own.
   */
  @Post(':approval_id/reject')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(
    SAME_PERSON,
    RELATED_PERSON.means('of payouts and transfers'),
    INSUFFICIENT_SCOPE,
    NOT_FOUND,
    APPROVAL_NOT_PENDING,
  )
  async reject(
    @CurrentPrincipal() principal: Principal,
    @Param('approval_id') approvalId: string,
    @Body() { reason }: RejectDto,
  ): Promise<ApprovalDto> {
    return toApprovalDto(await this.approvals.reject(principal, approvalId, reason));
  }
}
