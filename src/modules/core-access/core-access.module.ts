import { Global, Module } from '@nestjs/common';
import { AccountAccessService } from './account-access.service.js';
import { CurrentViewGuard } from './current-view.guard.js';

const SERVICES = [AccountAccessService, CurrentViewGuard];

/** How a request comes to the core: for whose account, under which key, and what it is answered. */
@Global()
@Module({
  providers: SERVICES,
  exports: SERVICES,
})
export class CoreAccessModule {}
