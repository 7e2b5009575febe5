import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { BankingModule } from '../banking/banking.module.js';
import { MarketsModule } from '../markets/markets.module.js';
import { WalletsModule } from '../wallets/wallets.module.js';
import { CUT_IDS } from './ids.js';
import { JournalKeysController } from './journal/journal-keys.controller.js';
import { JournalProofsController } from './journal/journal-proofs.controller.js';
import { JournalProofs } from './journal/journal-proofs.service.js';
import { ReceiptsController } from './receipts/receipts.controller.js';
import { ReceiptsInAnswers } from './receipts/receipts-in-answers.js';
import { ReceiptsService } from './receipts/receipts.service.js';

/** What lets anyone check the books without trust in who keeps them; receipts by their own routes, and in answers of others. */
@TradepostModule({
  name: 'proof',
  idPrefixes: [CUT_IDS],
  implementations: [ReceiptsInAnswers],
  imports: [BankingModule, MarketsModule, WalletsModule],
  controllers: [JournalProofsController, JournalKeysController, ReceiptsController],
  providers: [JournalProofs, ReceiptsService],
})
export class ProofModule {}
