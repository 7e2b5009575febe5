import { Global, Module } from '@nestjs/common';
import { CarriedReceipts } from '../../../kit/http/receipts/carried-receipt.js';
import { BankingModule } from '../../banking/banking.module.js';
import { MarketsModule } from '../../markets/markets.module.js';
import { WalletsModule } from '../../wallets/wallets.module.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsInAnswers } from './receipts-in-answers.js';
import { ReceiptsService } from './receipts.service.js';

/** Receipts by their own routes, and for the answers of others, which is why every module has them. */
@Global()
@Module({
  imports: [BankingModule, MarketsModule, WalletsModule],
  controllers: [ReceiptsController],
  providers: [ReceiptsService, { provide: CarriedReceipts, useClass: ReceiptsInAnswers }],
  exports: [CarriedReceipts],
})
export class ReceiptsModule {}
