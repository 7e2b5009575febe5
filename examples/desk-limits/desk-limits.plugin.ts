import { TradepostPlugin } from '../../src/index.js';
import { DeskLimitCheck } from './desk-limit-check.js';
import { DeskLimits } from './desk-limits.js';
import { DeskLimitsController } from './desk-limits.controller.js';

/** An operator's route and a rule about orders that all processes go by, added without touching the service. */
@TradepostPlugin({
  name: 'desk-limits',
  compatibility: '^0.1.0',
  controllers: [DeskLimitsController],
  caches: [DeskLimits],
  checks: [DeskLimitCheck],
})
export default class DeskLimitsPlugin {}
