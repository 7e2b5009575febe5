import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { WalletsModule } from '../../wallets/wallets.module.js';
import { CutJob, TAKE_CUT } from './cut-job.js';
import { DailyCuts } from './daily-cuts.js';
import { LiabilitiesController } from './liabilities.controller.js';
import { ProofController } from './proof.controller.js';
import { LiabilityCuts } from './liability-cuts.service.js';
import { LiabilityChunkEntity, LiabilityCutEntity, LiabilityRunEntity } from './liability-cut.entity.js';
import { LiabilityProofs } from './liability-proofs.service.js';
import { LiabilityRuns } from './liability-runs.service.js';
import { LiabilityTrees } from './liability-trees.js';
import { ShownAssets } from './shown-assets.service.js';
import { TradepostModule } from '../../../kit/module/tradepost-module.js';
import { RETENTION_LIABILITIES_DAYS } from './liabilities-retention.js';

/** Proof of liabilities: cuts of all that is owed, published, and the proofs of accounts that they are in them. */
@TradepostModule({
  name: 'liabilities',
  settings: [RETENTION_LIABILITIES_DAYS],
  purges: [(_config, settings) => oldLiabilities(settings.get(RETENTION_LIABILITIES_DAYS))],
  jobs: [TAKE_CUT.handledBy(CutJob, (job, { cutId }, run) => job.run(cutId, run))],
  entities: [LiabilityRunEntity, LiabilityCutEntity, LiabilityChunkEntity],
  imports: [WalletsModule],
  controllers: [LiabilitiesController, ProofController],
  providers: [CutJob, DailyCuts, LiabilityCuts, LiabilityProofs, LiabilityRuns, LiabilityTrees, ShownAssets],
})
export class LiabilitiesModule {}

/** Leaves of old cuts, and the notes of how they were taken. What is published stays. */
function oldLiabilities(days: number): PurgedRows[] {
  const over = `created_at < now() - interval '${days} days'`;
  return [
    { table: 'liability_chunks', key: ['cut_id', 'chunk'], over, orderBy: 'created_at' },
    {
      table: 'liability_runs',
      key: ['cut_id'],
      over: `${over} AND status IN ('done', 'failed')`,
      orderBy: 'created_at',
    },
  ];
}
