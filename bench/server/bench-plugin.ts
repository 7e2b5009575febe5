import { TradepostPlugin } from '../../src/kit/module/tradepost-module.js';
import { CrowdController } from './crowd.controller.js';
import { EchoController } from './echo.controller.js';
import { FixController } from './fix.controller.js';
import { HeapController } from './heap.controller.js';
import { HistoryController } from './history.controller.js';
import { TypeOrmOrdersController } from './typeorm-orders.controller.js';
import { TypeOrmBaseline } from '../typeorm-baseline.js';

/** What the bench adds to the service: routes to compare it with, and one that makes history quickly. */
@TradepostPlugin({
  name: 'bench',
  compatibility: '*',
  controllers: [
    CrowdController,
    EchoController,
    FixController,
    HeapController,
    HistoryController,
    TypeOrmOrdersController,
  ],
  providers: [TypeOrmBaseline],
})
export class BenchPlugin {}
