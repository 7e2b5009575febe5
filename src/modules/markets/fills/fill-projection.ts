import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { Followers } from '../../../core/followers/followers.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { MarketProjection } from '../market-data/market-projection.js';
import { FillFold } from './fill-fold.js';
import type { Movement } from './movements.js';

/** Keeps fills up with trades, sets and settlements, off the order path. */
@Injectable()
export class FillProjection extends MarketProjection<Movement> {
  constructor(core: CoreService, @Inject(PG_POOL) pool: Pool, followers: Followers) {
    super(core, pool, followers, new FillFold(), 'Fills');
  }
}
