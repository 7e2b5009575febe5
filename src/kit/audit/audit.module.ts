import { AuditActions } from './audit-actions.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { AuditLog } from './audit-log.js';
import { AuditSealEntity } from './audit-seal.entity.js';
import { AuditSealer } from './audit-sealer.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { AuditedRoutes } from './audited-routes.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { AUDIT_ENTRY_IDS } from './ids.js';

/** The audit log, for every module; needs the database. */
@TradepostModule({
  name: 'audit',
  idPrefixes: [AUDIT_ENTRY_IDS],
  entities: [AuditEntryEntity, AuditSealEntity],
  providers: [AuditActions, AuditLog, AuditInterceptor, AuditedRoutes, AuditSealer],
  exports: [AuditActions, AuditLog, AuditSealer, AuditedRoutes],
})
export class AuditModule {}
