import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { BankingModule } from '../banking/banking.module.js';
import { MarketsModule } from '../markets/markets.module.js';
import { WalletsModule } from '../wallets/wallets.module.js';
import { CUT_IDS } from './ids.js';
import { AdminJournalKeysController } from './journal/admin-journal-keys.controller.js';
import { JournalController } from './journal/journal.controller.js';
import { JournalProofs } from './journal/journal-proofs.service.js';
import { ReceiptController } from './receipts/receipt.controller.js';
import { ReceiptsInAnswers } from './receipts/receipts-in-answers.js';
import { ReceiptsService } from './receipts/receipts.service.js';

/** What lets anyone check the books without trust in who keeps them; receipts by their own routes, and in answers of others. */
@TradepostModule({
  name: 'proof',
  idPrefixes: [CUT_IDS],
  implementations: [ReceiptsInAnswers],
  imports: [BankingModule, MarketsModule, WalletsModule],
  controllers: [JournalController, AdminJournalKeysController, ReceiptController],
  providers: [JournalProofs, ReceiptsService],
})
export class ProofModule {}
