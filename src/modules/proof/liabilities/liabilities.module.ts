import { Settings } from '../../../kit/config/settings.js';
import { type PurgedRows, Purges } from '../../../kit/jobs/purges.js';
import { WalletsModule } from '../../wallets/wallets.module.js';
import { CutJob } from './cut-job.js';
import { DailyCuts } from './daily-cuts.js';
import { LiabilitiesController } from './liabilities.controller.js';
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
  entities: [LiabilityRunEntity, LiabilityCutEntity, LiabilityChunkEntity],
  imports: [WalletsModule],
  controllers: [LiabilitiesController],
  providers: [CutJob, DailyCuts, LiabilityCuts, LiabilityProofs, LiabilityRuns, LiabilityTrees, ShownAssets],
})
export class LiabilitiesModule {
  constructor(purges: Purges, settings: Settings) {
    purges.add(...oldLiabilities(settings.get(RETENTION_LIABILITIES_DAYS)));
  }
}

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
