import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { UploadBody } from '../../../platform/http/body-policy.js';
import { Idempotent } from '../../../platform/http/idempotency/idempotent.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { KycCasesService } from './kyc-cases.service.js';
import { KycImagesService } from './kyc-images.service.js';
import { KycDto, KycHistoryDto, KycImageDto, SubmitKycDto, UploadKycImageDto } from './kyc.dto.js';

/** The caller's own KYC cases. A foreign case answers like one that does not exist. */
@ApiTags('Banking')
@Controller('kyc')
export class KycController {
  constructor(
    private readonly cases: KycCasesService,
    private readonly images: KycImagesService,
  ) {}

  @Post()
  @HttpCode(202)
  @RequireScopes({ anyOf: ['banking:write'] })
  @Idempotent()
  @ApiOperation({
    summary: 'Submit who one is',
    description:
      'It is checked at once: age, document, machine-readable zone, sanctions list. What is wrong beyond doubt is ' +
      '`rejected` with the `requirements` to meet; all else an operator decides. A new case takes the place of one ' +
      'that is still open, and of an approved one when it is approved itself.',
  })
  @ApiAcceptedResponse({ type: KycDto })
  @ApiErrors('validation_failed', 'rate_limited: ten cases in 24 hours.')
  submit(@CurrentPrincipal() principal: Principal, @Body() body: SubmitKycDto): Promise<KycDto> {
    return this.cases.submit(principal, body);
  }

  @Get()
  @RequireScopes({ anyOf: ['banking:read'] })
  @ApiOperation({ summary: 'List one’s own KYC cases', description: 'Newest first.' })
  @ApiPageResponse(KycDto)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<KycDto>> {
    return this.cases.list(principal, query);
  }

  @Get(':kyc_id')
  @RequireScopes({ anyOf: ['banking:read'] })
  @ApiOperation({ summary: 'Get a KYC case', description: 'With what is to be corrected in a next one.' })
  @ApiOkResponse({ type: KycDto })
  @ApiErrors('not_found: there is no such case of one’s own.')
  get(@CurrentPrincipal() principal: Principal, @Param('kyc_id') kycId: string): Promise<KycDto> {
    return this.cases.get(principal, kycId);
  }

  @Get(':kyc_id/history')
  @RequireScopes({ anyOf: ['banking:read'] })
  @ApiOperation({ summary: 'Get all states that a KYC case was in', description: 'The first one first.' })
  @ApiOkResponse({ type: KycHistoryDto })
  @ApiErrors('not_found: there is no such case of one’s own.')
  history(@CurrentPrincipal() principal: Principal, @Param('kyc_id') kycId: string): Promise<KycHistoryDto> {
    return this.cases.history(principal, kycId);
  }

  @Post(':kyc_id/images')
  @RequireScopes({ anyOf: ['banking:write'] })
  @UploadBody()
  @Idempotent()
  @ApiOperation({
    summary: 'Add an image to an open KYC case',
    description: 'It is kept encrypted, and shown to operators only.',
  })
  @ApiCreatedResponse({ type: KycImageDto })
  @ApiErrors(
    'validation_failed: no image, a broken or a too large one.',
    'not_found: there is no such case of one’s own.',
    'conflict: the case is decided, or has ten images.',
  )
  addImage(
    @CurrentPrincipal() principal: Principal,
    @Param('kyc_id') kycId: string,
    @Body() { file, side }: UploadKycImageDto,
  ): Promise<KycImageDto> {
    return this.images.add(principal, kycId, file, side ?? 'front');
  }
}
