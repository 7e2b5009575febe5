import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../kit/audit/audited.js';
import { REFUSALS } from '../accounts/commands/refusals.js';
import { VALIDATION_FAILED, NOT_FOUND, FORBIDDEN } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { PathParam } from '../../kit/http/path-param.js';
import { Authenticated, RequireScopes } from '../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../kit/security/step-up.js';
import { SelfLimitDto, SelfLimitsDto, SetSelfLimitDto } from './self-limit.dto.js';
import { SelfLimitsService } from './self-limits.service.js';
import { ACCOUNT_READ } from '../accounts/scopes.js';

const IN_PERSON = FORBIDDEN.means('it takes the session of a logged-in user.');

const AccountId = (): ParameterDecorator =>
  PathParam('account_id', { description: "One of the caller's own accounts, or `me`.", example: 'me' });

/** Limits that owners set for their own accounts. */
@ApiTags('Markets')
@Controller('accounts/:account_id/limits')
export class LimitsController {
  constructor(private readonly limits: SelfLimitsService) {}

  /**
   * List the limits of an account
   * @remarks In the order in which they were first set, with what all trading accounts of the owner have used in the running
   * period. Those that the owner has set on other accounts count, too; only the owner sees them here.
   */
  @Get()
  @RequireScopes({ anyOf: [ACCOUNT_READ] })
  @ApiErrors(REFUSALS.account_not_found)
  list(@CurrentPrincipal() principal: Principal, @AccountId() account: string): Promise<SelfLimitsDto> {
    return this.limits.list(principal, account);
  }

  /**
   * Set a limit for an account
   * @remarks One for each kind, asset and period; it counts what all trading accounts of the owner do. A new or smaller one is in force with the answer, and cancels what was
   * pending; a larger one waits for a day from now. What the period has seen before counts.
   */
  @Post()
  @HttpCode(200)
  @Authenticated({ callers: 'logged_in_users' })
  @Audited()
  @ApiErrors(
    VALIDATION_FAILED,
    IN_PERSON,
    REFUSALS.account_not_found,
    REFUSALS.asset_not_found,
    REFUSALS.amount_too_precise,
    NEEDS_STEP_UP,
  )
  create(
    @CurrentPrincipal() principal: Principal,
    @AccountId() account: string,
    @Body() body: SetSelfLimitDto,
  ): Promise<SelfLimitDto> {
    return this.limits.set(principal, account, body);
  }

  /**
   * End a limit
   * @remarks It stays in force for a day from now. Setting it again keeps it.
   */
  @Delete(':limit_id')
  @HttpCode(202)
  @Authenticated({ callers: 'logged_in_users' })
  @Audited()
  @ApiAcceptedResponse({ type: SelfLimitDto, description: 'It ends in a day.' })
  @ApiErrors(
    IN_PERSON,
    REFUSALS.account_not_found,
    NOT_FOUND.means('the account has no such limit.'),
    NEEDS_STEP_UP,
  )
  remove(
    @CurrentPrincipal() principal: Principal,
    @AccountId() account: string,
    @PathParam('limit_id', { example: 'lim_00000000007' }) limitId: string,
  ): Promise<SelfLimitDto> {
    return this.limits.remove(principal, account, limitId);
  }
}
