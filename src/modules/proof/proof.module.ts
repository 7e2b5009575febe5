import { JournalKeysController } from './journal/journal-keys.controller.js';
import { JournalProofsController } from './journal/journal-proofs.controller.js';
import { JournalProofs } from './journal/journal-proofs.service.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { CUT_IDS } from './ids.js';

/** What lets anyone check the books without trust in who keeps them. */
@TradepostModule({
  name: 'proof',
  idPrefixes: [CUT_IDS],
  controllers: [JournalProofsController, JournalKeysController],
  providers: [JournalProofs],
})
export class ProofModule {}
