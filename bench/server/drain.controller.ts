import { setTimeout as delay } from 'node:timers/promises';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { CoreService } from '../../src/core/core.service.js';
import { BalanceHistory } from '../../src/modules/markets/accounts/balance-history.js';
import { FillProjection } from '../../src/modules/markets/fills/fill-projection.js';
import { CandleProjection } from '../../src/modules/markets/market-data/candle-projection.js';
import { CodedError } from '../../src/platform/coded-error.js';
import { RequireScopes } from '../../src/platform/security/credentials.js';

/** A projection with a long queue continues in the background; ask again after this time. */
const ASKED_AGAIN_AFTER_MS = 10;

/** Has everything done that the service does of committed orders in its own time. */
@ApiTags('Bench')
@RequireScopes({ anyOf: ['admin'] })
@Controller('bench/drain')
export class DrainController {
  constructor(
    private readonly core: CoreService,
    private readonly modules: ModuleRef,
  ) {}

  /** Answers once candles, fills and marks of balances have caught up with what was committed before. */
  @Post()
  @HttpCode(200)
  async drain(): Promise<{ sequence: number }> {
    // Their modules do not export them.
    const projections = [CandleProjection, FillProjection].map((projection) =>
      this.modules.get(projection, { strict: false }),
    );
    const balances = this.modules.get(BalanceHistory, { strict: false });
    const { sequence } = this.core.status();
    for (const {
      definition: { marketId },
    } of this.core.markets()) {
      for (const projection of projections) await done(() => projection.catchUp(marketId));
    }
    await done(() => balances.balancesAt(0, [], sequence));
    return { sequence };
  }
}

async function done(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'temporarily_unavailable') throw error;
      await delay(ASKED_AGAIN_AFTER_MS);
    }
  }
}
