import { AuthModule } from '../modules/auth/auth.module.js';
import { LimitsModule } from '../modules/limits/limits.module.js';
import { UsersModule } from '../modules/users/users.module.js';
import { DemoDepositsController } from './demo-deposits.controller.js';
import { DemoLedger } from './demo-ledger.js';
import { DemoResetController } from './demo-reset.controller.js';
import { DemoReset } from './demo-reset.service.js';
import { DemoSeed } from './demo-seed.js';
import { TradepostModule } from '../kit/module/tradepost-module.js';
import { DemoBaseline1780000000900 } from './migrations/1780000000900-baseline.js';

/** What the service has to show on a fresh machine. */
@TradepostModule({
  name: 'demo',
  migrations: [DemoBaseline1780000000900],
  imports: [AuthModule, UsersModule, LimitsModule],
  controllers: [DemoDepositsController, DemoResetController],
  providers: [DemoSeed, DemoLedger, DemoReset],
})
export class DemoModule {}
