import { Global } from '@nestjs/common';
import { AccountAccessService } from './account-access.service.js';
import { AccountRoles } from './account-roles.js';
import { AccountWatch } from './account-watch.js';
import { CurrentViewGuard } from './current-view.guard.js';
import { MomentsService } from './moments.service.js';
import { port } from '../../kit/module/extension-point.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { ENGINE_CODES } from './refusals.js';
import { ACCOUNT_IDS } from './ids.js';
import { ACCOUNT_READ } from './scopes.js';

const SERVICES = [AccountAccessService, AccountWatch, CurrentViewGuard, MomentsService];

/** How a request comes to the core: for whose account, under which key, of which moment, and what it is answered. */
@Global()
@TradepostModule({
  name: 'core-access',
  errorCodes: ENGINE_CODES,
  scopes: [ACCOUNT_READ],
  idPrefixes: [ACCOUNT_IDS],
  extensionPoints: [port(AccountRoles)],
  providers: SERVICES,
  exports: SERVICES,
})
export class CoreAccessModule {}
