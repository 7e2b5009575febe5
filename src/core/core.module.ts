import { Global, Module } from '@nestjs/common';
import { CoreService } from './core.service.js';
import { JournalFollower } from './journal/journal-follower.js';
import { LedgerCheck } from './ledger-check.js';

/** The single writer: ledger and matching, made durable. */
@Global()
@Module({
  providers: [CoreService, JournalFollower, LedgerCheck],
  exports: [CoreService, JournalFollower, LedgerCheck],
})
export class CoreModule {}
