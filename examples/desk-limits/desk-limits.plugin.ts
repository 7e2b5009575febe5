import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RiskCheck, type Plugin } from '../../src/index.js';
import { CreateAcmeDeskLimits1790000000000 } from './create-desk-limits.migration.js';
import { DeskLimitCheck } from './desk-limit-check.js';
import { DeskLimitEntity } from './desk-limit.entity.js';
import { DeskLimitsController } from './desk-limits.controller.js';
import { DeskLimitsService } from './desk-limits.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([DeskLimitEntity])],
  controllers: [DeskLimitsController],
  providers: [DeskLimitsService, DeskLimitCheck],
  exports: [DeskLimitCheck],
})
class DeskLimitsModule {}

/** A table, an operator's route and a rule about orders, added without touching the service. */
export const deskLimits: Plugin = {
  name: 'desk-limits',
  compatibility: '^0.1.0',
  module: DeskLimitsModule,
  entities: [DeskLimitEntity],
  migrations: [CreateAcmeDeskLimits1790000000000],
  bindings: [{ point: RiskCheck, implementation: DeskLimitCheck }],
};
