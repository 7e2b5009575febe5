import { Global } from '@nestjs/common';
import { CoreService } from './core.service.js';
import { Clock } from '../kit/clock.js';
import { Settings } from '../kit/config/settings.js';
import { EXPIRED_KEYS } from './keys/expired-keys.js';
import { Followers } from './followers/followers.js';
import { ArchivedRows } from './journal/archived-rows.js';
import { JournalFollower } from './reads/journal-follower.js';
import { PointInTime } from './reads/point-in-time.js';
import { JournalHeads, OLD_HEADS } from './proof/journal-heads.js';
import { JournalKeys } from './proof/journal-keys.js';
import { JournalNotary } from './proof/journal-notary.js';
import { OwnHeads } from './proof/own-heads.js';
import { Receipts } from './proof/receipts.js';
import { LedgerConsumers } from './consumers/ledger-consumers.js';
import { LedgerCheck } from './ledger-check/ledger-check.js';
import { ReadPool } from './reads/read-pool.js';
import { SingleWriter } from './requests/single-writer.js';
import { SEQUENCER_OPTIONS } from './sequencer/sequencer-options.js';
import { SyncStandby } from './leadership/sync-standby.js';
import { TradepostModule } from '../kit/module/tradepost-module.js';
import { JournalBaseline1780000000100 } from './migrations/1780000000100-journal-baseline.js';
import { LedgerBaseline1780000000110 } from './migrations/1780000000110-ledger-baseline.js';
import { OrderFields1780000050000 } from './migrations/1780000050000-order-fields.js';
import { ORDER_LIMITS } from './term/order-limits.js';

const SERVICES = [
  ArchivedRows,
  CoreService,
  Followers,
  JournalFollower,
  JournalHeads,
  JournalKeys,
  JournalNotary,
  LedgerCheck,
  LedgerConsumers,
  OwnHeads,
  PointInTime,
  SyncStandby,
  ReadPool,
  Receipts,
];

/** The single writer: ledger and matching, made durable. */
@Global()
@TradepostModule({
  name: 'core',
  settings: [ORDER_LIMITS],
  migrations: [JournalBaseline1780000000100, LedgerBaseline1780000000110, OrderFields1780000050000],
  purges: [EXPIRED_KEYS, OLD_HEADS],
  providers: [
    ...SERVICES,
    { provide: SingleWriter, useExisting: CoreService },
    {
      provide: SEQUENCER_OPTIONS,
      inject: [Settings, SyncStandby, OwnHeads, Clock, Followers],
      useFactory: (
        settings: Settings,
        syncStandby: SyncStandby,
        ownHeads: OwnHeads,
        clock: Clock,
        followers: Followers,
      ) => {
        const limits = settings.get(ORDER_LIMITS);
        return { limits, conditions: { syncStandby, ownHeads }, clock, followers };
      },
    },
  ],
  exports: SERVICES,
})
export class CoreModule {}
