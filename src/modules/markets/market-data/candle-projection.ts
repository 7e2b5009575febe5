import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { Followers } from '../../../core/followers/followers.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { CANDLE_FOLD, type CandleTrade } from './candle-fold.js';
import { MarketProjection } from './market-projection.js';

/** Keeps the candles of every interval up with the trades. */
@Injectable()
export class CandleProjection extends MarketProjection<CandleTrade> {
  constructor(core: CoreService, @Inject(PG_POOL) pool: Pool, followers: Followers) {
    super(core, pool, followers, CANDLE_FOLD, 'Candles');
  }
}
