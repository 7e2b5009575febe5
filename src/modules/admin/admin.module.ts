import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEntryEntity } from '../../kit/audit/audit-entry.entity.js';
import { UsersModule } from '../users/users.module.js';
import { ApprovalsController } from './approvals.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditListService } from './audit/audit-list.service.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsPort } from './metrics-port.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { OPERATOR_ROLES } from '../../kit/security/operator-roles.js';
import { ADMIN } from '../../kit/security/scope.js';

/** Monitoring: health and metrics. Operators' routes live in the group that they concern. */
@TradepostModule({
  name: 'admin',
  scopes: [ADMIN, ...OPERATOR_ROLES],
  imports: [TypeOrmModule.forFeature([AuditEntryEntity]), UsersModule],
  controllers: [ApprovalsController, AuditController, HealthController, MetricsController],
  providers: [AuditListService, HealthService, MetricsPort],
})
export class AdminModule {}
