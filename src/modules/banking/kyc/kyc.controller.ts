import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, RATE_LIMITED, CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { UploadBody } from '../../../kit/http/body-policy.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { RefusesBoundKeys } from '../../../kit/security/bound-keys.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { KycCasesService } from './kyc-cases.service.js';
import { KycImagesService } from './kyc-images.service.js';
import { KycDto, KycHistoryDto, KycImageDto, SubmitKycDto, UploadKycImageDto } from './kyc.dto.js';
import { BANKING_READ, BANKING_WRITE } from '../scopes.js';

const NO_CASE = NOT_FOUND.means('there is no such case of one’s own.');

/** The caller's own KYC cases. A foreign case answers like one that does not exist. */
@ApiTags('Banking')
@RefusesBoundKeys()
@Controller('kyc')
export class KycController {
  constructor(
    private readonly cases: KycCasesService,
    private readonly images: KycImagesService,
  ) {}

  /**
   * Submit who one is
   * @remarks It is checked at once: age, document, machine-readable zone, sanctions list. What is wrong
   * beyond doubt is `rejected` with the `requirements` to meet; all else an operator decides. A new case
   * takes the place of one that is still open, and of an approved one when it is approved itself.
   */
  @Post()
  @HttpCode(202)
  @RequireScopes({ anyOf: [BANKING_WRITE] })
  @Idempotent()
  @ApiErrors(VALIDATION_FAILED, RATE_LIMITED.means('ten cases in 24 hours.'))
  submit(@CurrentPrincipal() principal: Principal, @Body() body: SubmitKycDto): Promise<KycDto> {
    return this.cases.submit(principal, body);
  }

  /**
   * List one’s own KYC cases
   * @remarks Newest first.
   */
  @Get()
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiPageResponse(KycDto)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<KycDto>> {
    return this.cases.list(principal, query);
  }

  /**
   * Get a KYC case
   * @remarks With what is to be corrected in a next one.
   */
  @Get(':kyc_id')
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiErrors(NO_CASE)
  get(@CurrentPrincipal() principal: Principal, @Param('kyc_id') kycId: string): Promise<KycDto> {
    return this.cases.get(principal, kycId);
  }

  /**
   * Get all states that a KYC case was in
   * @remarks The first one first.
   */
  @Get(':kyc_id/history')
  @RequireScopes({ anyOf: [BANKING_READ] })
  @ApiErrors(NO_CASE)
  history(@CurrentPrincipal() principal: Principal, @Param('kyc_id') kycId: string): Promise<KycHistoryDto> {
    return this.cases.history(principal, kycId);
  }

  /**
   * Add an image to an open KYC case
   * @remarks It is kept encrypted, and shown to operators only.
   */
  @Post(':kyc_id/images')
  @RequireScopes({ anyOf: [BANKING_WRITE] })
  @Idempotent()
  @UploadBody()
  @RateLimitedAs('writes', () => POINTS.image)
  @ApiErrors(
    VALIDATION_FAILED.means('no image, a broken or a too large one.'),
    NO_CASE,
    CONFLICT.means('the case is decided, or has ten images.'),
  )
  addImage(
    @CurrentPrincipal() principal: Principal,
    @Param('kyc_id') kycId: string,
    @Body() { file, side }: UploadKycImageDto,
  ): Promise<KycImageDto> {
    return this.images.add(principal, kycId, file, side ?? 'front');
  }
}
