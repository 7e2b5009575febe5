import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Audited } from '../../kit/audit/audited.js';
import { VALIDATION_FAILED, CONFLICT, FORBIDDEN } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { Authenticated } from '../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { ExcludeOneselfDto, SelfExclusionDto } from './self-exclusion.dto.js';
import { SelfExclusions } from './self-exclusions.service.js';

const IN_PERSON = FORBIDDEN.means('it takes the session of a logged-in user.');

@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user/exclusion')
export class ExclusionController {
  constructor(private readonly exclusions: SelfExclusions) {}

  /** Get one’s own exclusion */
  @Get()
  @ApiErrors(IN_PERSON)
  get(@CurrentPrincipal() principal: Principal): Promise<SelfExclusionDto> {
    return this.exclusions.get(principal);
  }

  /**
   * Exclude oneself from trading
   * @remarks It cancels all open orders and, until the time, refuses new ones and deposits, on all accounts and by all keys
   * and clients of the user. Cancels, closing orders and withdrawals work. It can be extended; nobody can shorten it.
   */
  @Post()
  @HttpCode(200)
  @Audited()
  @ApiErrors(VALIDATION_FAILED, IN_PERSON, CONFLICT.means('a longer exclusion is in force.'))
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: ExcludeOneselfDto,
  ): Promise<SelfExclusionDto> {
    return this.exclusions.exclude(principal, body);
  }
}
