import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import {
  VALIDATION_FAILED,
  INVALID_CURSOR,
  CONFLICT,
  RATE_LIMITED,
  NOT_FOUND,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { Public, RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { CutQueryDto, LiabilitiesDto, LiabilityRunDto } from './liabilities.dto.js';
import { LiabilityCuts } from './liability-cuts.service.js';
import { LiabilityRuns } from './liability-runs.service.js';
import { OPERATOR_FINANCE, OPERATOR_READ, operators } from '../../../kit/security/operator-roles.js';

/** What the service owes, for everybody to check. */
@ApiTags('Proof')
@Controller()
export class LiabilitiesController {
  constructor(
    private readonly cuts: LiabilityCuts,
    private readonly runs: LiabilityRuns,
  ) {}

  /**
   * Get what the service owes
   * @remarks The newest cut, or the newest that is not after `as_of`: of each midnight (UTC), and of moments that operators
   * have asked for. Accounts prove with `GET /accounts/{account_id}/proof` that they are in it.
   */
  @Get('liabilities')
  @Public()
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND.means('there is no cut of that time.'))
  get(@Query() query: CutQueryDto): Promise<LiabilitiesDto> {
    return this.cuts.get(query);
  }

  /**
   * List what the service has owed
   * @remarks All published cuts, newest first. They never change and are kept for ever.
   */
  @Get('liabilities/cuts')
  @Public()
  @ApiPageResponse(LiabilitiesDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: PageQueryDto): Promise<Page<LiabilitiesDto>> {
    return this.cuts.list(query);
  }

  /**
   * List the cuts that were asked for
   * @remarks Newest first, with how far they are. They are deleted after `RETENTION_LIABILITIES_DAYS`.
   */
  @Get('admin/liabilities')
  @RequireScopes(operators(OPERATOR_FINANCE, OPERATOR_READ))
  @ApiPageResponse(LiabilityRunDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  listRuns(@Query() query: PageQueryDto): Promise<Page<LiabilityRunDto>> {
    return this.runs.list(query);
  }

  /**
   * Take a cut of what the service owes, now
   * @remarks It is taken in the background and then published. `GET /admin/liabilities` tells how far it is.
   */
  @Post('admin/liabilities')
  @HttpCode(202)
  @RequireScopes(operators(OPERATOR_FINANCE))
  @Idempotent()
  @ApiAcceptedResponse({ type: LiabilityRunDto, description: 'It has begun, or will soon.' })
  @ApiErrors(CONFLICT.means('one is under way.'), RATE_LIMITED.means('24 in 24 hours.'))
  request(@CurrentPrincipal() principal: Principal): Promise<LiabilityRunDto> {
    return this.runs.request(principal);
  }
}
