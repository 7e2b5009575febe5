import { TradepostPlugin } from '../../src/index.js';
import { CreateAcmeDeskLimits1790000000000 } from './create-desk-limits.migration.js';
import { DeskLimitCheck } from './desk-limit-check.js';
import { DeskLimitEntity } from './desk-limit.entity.js';
import { DeskLimitsController } from './desk-limits.controller.js';
import { DeskLimitsService } from './desk-limits.service.js';

/** A table, an operator's route and a rule about orders, added without touching the service. */
@TradepostPlugin({
  name: 'desk-limits',
  compatibility: '^0.1.0',
  entities: [DeskLimitEntity],
  migrations: [CreateAcmeDeskLimits1790000000000],
  controllers: [DeskLimitsController],
  providers: [DeskLimitsService],
  implementations: [DeskLimitCheck],
})
export class DeskLimitsPlugin {}
