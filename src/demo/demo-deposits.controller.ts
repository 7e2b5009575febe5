import { Controller, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountAccessService } from '../modules/accounts/access/account-access.service.js';
import { NOT_FOUND, CONFLICT } from '../kit/http/error-codes.js';
import { REFUSALS } from '../modules/accounts/commands/refusals.js';
import { OF_SELF_LIMITS } from '../modules/limits/documented-errors.js';
import { CONFIG, type Config } from '../kit/config/config.js';
import { ApiErrors } from '../kit/http/api-errors.js';
import { ApiError } from '../kit/http/errors.js';
import { RequireScopes } from '../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../kit/security/current-principal.js';
import type { Principal } from '../kit/security/principal.js';
import { DEMO_STAKE } from './demo-data.js';
import { DemoDepositsDto } from './demo-deposits.dto.js';
import { DemoLedger } from './demo-ledger.js';
import { ACCOUNT_IDS } from '../modules/accounts/ids.js';
import { MARKETS_TRADE } from '../modules/markets/names/scopes.js';

/** Money to try the service with. */
@ApiTags('Exchange')
@Controller('demo/deposits')
export class DemoDepositsController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly access: AccountAccessService,
    private readonly ledger: DemoLedger,
  ) {}

  /**
   * Take demo money
   * @remarks Only where the service runs with its demo data. Once for each account.
   */
  @Post()
  @RequireScopes({ anyOf: [MARKETS_TRADE] })
  @ApiErrors(
    NOT_FOUND.means('this service has no demo data.'),
    REFUSALS.account_not_found.means('the caller has no account.'),
    CONFLICT.means('the account has its demo money.'),
    ...OF_SELF_LIMITS,
  )
  async create(@CurrentPrincipal() principal: Principal): Promise<DemoDepositsDto> {
    if (!this.config.seedDemo) {
      throw new ApiError(NOT_FOUND, 'There is no demo money here: the service runs without demo data.');
    }
    const accountId = this.access.ownAccountId(principal);
    if (!(await this.ledger.giveStake(accountId))) {
      throw new ApiError(CONFLICT, 'This account has had its demo money. See GET /accounts/me/balances.');
    }
    return { account_id: ACCOUNT_IDS.format(accountId), deposits: DEMO_STAKE.map((each) => ({ ...each })) };
  }
}
