import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { PositionDto } from './position.dto.js';
import { PositionsService } from './positions.service.js';

/** Positions of accounts on which the caller has a role. Any other account answers like one that does not exist. */
@ApiTags('Markets')
@RequireScopes(ACCOUNT_REQUIREMENT)
@Controller('accounts/:account_id/positions')
export class PositionsController {
  constructor(private readonly positions: PositionsService) {}

  /**
   * Positions by account
   * @remarks In order of the markets; flat ones show what was realized. At a past moment positions are
   * marked at the last trade before it.
   */
  @Get()
  @ApiPageResponse(PositionDto)
  @ApiErrors(REFUSALS.account_not_found)
  list(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PointInTimeQueryDto,
  ): Promise<Page<PositionDto>> {
    return this.positions.list(principal, accountId, query);
  }
}
