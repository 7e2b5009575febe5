import { AuthModule } from '../auth/auth.module.js';
import { UsersModule } from '../users/users.module.js';
import { AdminAccountsLimitsController } from './admin-accounts-limits.controller.js';
import { Allowances } from './allowances.js';
import { CreditGate } from './credit-gate.js';
import { LimitFigures } from './limit-figures.js';
import { LimitsPersonalData } from './limits-personal-data.js';
import { OrderGate } from './order-gate.js';
import { FillsNotKept, RealizedPnl } from './realized-pnl.js';
import { SelfExclusionEntity } from './self-exclusion.entity.js';
import { ExclusionController } from './exclusion.controller.js';
import { SelfExclusions } from './self-exclusions.service.js';
import { SelfLimitEntity } from './self-limit.entity.js';
import { LimitsController } from './limits.controller.js';
import { SelfLimitsService } from './self-limits.service.js';
import { Standings } from './standings.js';
import { port } from '../../kit/module/extension-point.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { SELF_LIMIT_IDS } from './ids.js';
import { LimitsBaseline1780000000500 } from './migrations/1780000000500-baseline.js';

/** Limits and exclusions that people set themselves, and the gates that hold them to it. */
@TradepostModule({
  name: 'limits',
  idPrefixes: [SELF_LIMIT_IDS],
  extensionPoints: [port(RealizedPnl, FillsNotKept)],
  personalData: [LimitsPersonalData],
  duties: [SelfExclusions],
  entities: [SelfLimitEntity, SelfExclusionEntity],
  migrations: [LimitsBaseline1780000000500],
  imports: [AuthModule, UsersModule],
  controllers: [LimitsController, AdminAccountsLimitsController, ExclusionController],
  providers: [SelfLimitsService, SelfExclusions, Standings, LimitFigures, Allowances, OrderGate, CreditGate],
  exports: [OrderGate, CreditGate],
})
export class LimitsModule {}
