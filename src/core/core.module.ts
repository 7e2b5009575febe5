import { Global, Module } from '@nestjs/common';
import { AccountAccessService } from './access/account-access.service.js';
import { CoreService } from './core.service.js';
import { JournalFollower } from './journal/journal-follower.js';
import { PointInTime } from './journal/point-in-time.js';
import { LedgerCheck } from './ledger-check.js';

/** The single writer: ledger and matching, made durable. */
@Global()
@Module({
  providers: [CoreService, AccountAccessService, JournalFollower, LedgerCheck, PointInTime],
  exports: [CoreService, AccountAccessService, JournalFollower, LedgerCheck, PointInTime],
})
export class CoreModule {}
