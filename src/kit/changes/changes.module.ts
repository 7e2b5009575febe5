import { TradepostModule } from '../module/tradepost-module.js';
import { Changes1780000020000 } from '../migrations/1780000020000-changes.js';
import { ChangeEntity } from './change.entity.js';
import { Changes, OLD_CHANGES } from './changes.js';
import { SharedCaches } from './shared-caches.js';
import { SharedValueEntity } from './shared-value.entity.js';

/** What processes hold in memory and others change; needs the database. */
@TradepostModule({
  name: 'changes',
  entities: [ChangeEntity, SharedValueEntity],
  migrations: [Changes1780000020000],
  purges: [OLD_CHANGES],
  providers: [Changes, SharedCaches],
  exports: [Changes, SharedCaches],
})
export class ChangesModule {}
