import { Module } from '@nestjs/common';
import type { Plugin } from '../../src/platform/extension/plugin.js';
import { CrowdController } from './crowd.controller.js';
import { DrainController } from './drain.controller.js';
import { EchoController } from './echo.controller.js';
import { HistoryController } from './history.controller.js';
import { TypeOrmOrdersController } from './typeorm-orders.controller.js';
import { TypeOrmBaseline } from '../typeorm-baseline.js';

@Module({
  controllers: [CrowdController, DrainController, EchoController, HistoryController, TypeOrmOrdersController],
  providers: [TypeOrmBaseline],
})
class BenchModule {}

/** What the bench adds to the service: routes to compare it with, and one that makes history quickly. */
export const benchPlugin: Plugin = { name: 'bench', compatibility: '*', module: BenchModule };
