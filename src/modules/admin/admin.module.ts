import { Module } from '@nestjs/common';
import { ApprovalsController } from './approvals.controller.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsPort } from './metrics-port.js';

/** How the service is watched: health and metrics. What operators do lives in the group that it concerns. */
@Module({
  controllers: [ApprovalsController, HealthController, MetricsController],
  providers: [HealthService, MetricsPort],
})
export class AdminModule {}
