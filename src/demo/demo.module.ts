import { AuthModule } from '../modules/auth/auth.module.js';
import { BlogModule } from '../modules/blog/blog.module.js';
import { ChatModule } from '../modules/chat/chat.module.js';
import { LimitsModule } from '../modules/limits/limits.module.js';
import { NewsModule } from '../modules/news/news.module.js';
import { PetsModule } from '../modules/pets/pets.module.js';
import { UsersModule } from '../modules/users/users.module.js';
import { DemoChat } from './demo-chat.js';
import { DemoDepositsController } from './demo-deposits.controller.js';
import { DemoLedger } from './demo-ledger.js';
import { DemoResetController } from './demo-reset.controller.js';
import { DemoReset } from './demo-reset.service.js';
import { DemoSeed } from './demo-seed.js';
import { TradepostModule } from '../kit/module/tradepost-module.js';

/** What the service has to show on a fresh machine. */
@TradepostModule({
  name: 'demo',
  imports: [AuthModule, UsersModule, LimitsModule, PetsModule, BlogModule, NewsModule, ChatModule],
  controllers: [DemoDepositsController, DemoResetController],
  providers: [DemoSeed, DemoLedger, DemoChat, DemoReset],
})
export class DemoModule {}
