import { TradepostModule } from '../../../kit/module/tradepost-module.js';
import { BankingModule } from '../../banking/banking.module.js';
import { MarketsModule } from '../../markets/markets.module.js';
import { WalletsModule } from '../../wallets/wallets.module.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsInAnswers } from './receipts-in-answers.js';
import { ReceiptsService } from './receipts.service.js';

/** Receipts by their own routes, and for the answers of others. */
@TradepostModule({
  name: 'receipts',
  implementations: [ReceiptsInAnswers],
  imports: [BankingModule, MarketsModule, WalletsModule],
  controllers: [ReceiptsController],
  providers: [ReceiptsService],
})
export class ReceiptsModule {}
