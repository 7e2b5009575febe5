import { Body, Controller, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApprovalDto } from '../../../kit/approvals/approval.dto.js';
import { answerProposable, ApiProposed } from '../../../kit/approvals/proposed.js';
import { ApiImageResponse } from '../../../kit/files/images/image-answer.js';
import {
  NOT_FOUND,
  FORBIDDEN,
  RELATED_PERSON,
  INSUFFICIENT_SCOPE,
  CONFLICT,
  UNPROCESSABLE,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_COMPLIANCE, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { KycImagesService } from './kyc-images.service.js';
import { KycCaseDetailDto, KycCaseDto, KycCaseQueryDto } from './kyc-review.dto.js';
import { KycReviewService } from './kyc-review.service.js';
import { KycDecisionDto } from './kyc-decision.dto.js';
import { KycQueryDto } from './kyc.dto.js';

/** KYC cases, as operators look at them and decide. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_COMPLIANCE))
@Controller('admin/kyc')
export class AdminKycController {
  constructor(
    private readonly review: KycReviewService,
    private readonly images: KycImagesService,
  ) {}

  /**
   * List KYC cases
   * @remarks Newest first, without personal data.
   */
  @Get()
  @ApiPageResponse(KycCaseDto)
  list(@Query() query: KycQueryDto): Promise<Page<KycCaseDto>> {
    return this.review.list(query);
  }

  /**
   * Get a KYC case with its checks, images and history
   * @remarks With `reveal=true` the personal data too: that somebody has seen it is then on record.
   */
  @Get(':kyc_id')
  @ApiErrors(NOT_FOUND)
  async get(
    @CurrentPrincipal() principal: Principal,
    @Param('kyc_id') kycId: string,
    @Query() { reveal }: KycCaseQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<KycCaseDetailDto> {
    response.setHeader('Cache-Control', 'no-store');
    return this.review.get(principal, kycId, reveal ?? false);
  }

  /**
   * See an image of a KYC case
   * @remarks That somebody has seen it is then on record.
   */
  @Get(':kyc_id/images/:image_id')
  @ApiImageResponse()
  async image(
    @CurrentPrincipal() principal: Principal,
    @Param('kyc_id') kycId: string,
    @Param('image_id') imageId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { mediaType, content } = await this.images.reveal(principal, kycId, imageId);
    response.setHeader('Cache-Control', 'no-store');
    return new StreamableFile(content, { type: mediaType, length: content.length, disposition: 'inline' });
  }

  /**
   * Approve or reject a KYC case
   * @remarks Never one’s own. An approval sets the level of all accounts of the owner, also of those that
   * are opened later. An approved case can still be rejected, which takes the level back. With `FOUR_EYES`,
   * a level above 1 is a proposal.
   */
  @Post(':kyc_id/decision')
  @HttpCode(200)
  @Idempotent()
  @ApiOkResponse({ type: KycCaseDto })
  @ApiProposed()
  @ApiErrors(
    FORBIDDEN.means('it is one’s own case'),
    RELATED_PERSON.means('one has created the person or set their password lately'),
    INSUFFICIENT_SCOPE,
    NOT_FOUND,
    CONFLICT.means('it is decided already.'),
    UNPROCESSABLE.means('no operator may approve who is too young, or an expired document.'),
  )
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Param('kyc_id') kycId: string,
    @Body() body: KycDecisionDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<KycCaseDto | ApprovalDto> {
    return answerProposable(response, await this.review.decide(principal, kycId, body));
  }
}
