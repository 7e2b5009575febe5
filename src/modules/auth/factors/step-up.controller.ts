import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Audited } from '../../../platform/audit/audited.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { RateLimits } from '../../../platform/rate-limit/rate-limits.js';
import { Authenticated } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { StepUpDto } from './step-up.dto.js';
import { StepUps } from './step-up.service.js';

@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user')
export class StepUpController {
  constructor(
    private readonly stepUps: StepUps,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Prove to be there
   * @remarks For what answers `step_up_required`: for five minutes the session may do it. Who has an authenticator app
   * sends its code, others the password. A log-in does the same.
   */
  @Post('step-up')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'Proved.' })
  @ApiErrors(
    'validation_failed',
    'invalid_credentials: this is not the password.',
    'second_factor_required: the user has an authenticator app, and no code of it came, or a wrong one.',
    'forbidden: it takes the session of a logged-in user.',
    'rate_limited: too many failures.',
  )
  prove(
    @CurrentPrincipal() principal: Principal,
    @Body() body: StepUpDto,
    @Req() request: Request,
  ): Promise<void> {
    return this.stepUps.prove(principal, body, this.limits.addressBucketOf(request));
  }
}
