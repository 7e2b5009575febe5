import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, INVALID_CURSOR } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_SECURITY, operators } from '../../../kit/security/operator-roles.js';
import { AuditListService } from './audit-list.service.js';
import { AuditEntryDto, ListAuditQueryDto } from './audit.dto.js';

/** Who did what, as operators read it. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SECURITY))
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditListService) {}

  /**
   * Read the audit log
   * @remarks Every act of an operator and every change of a credential, newest first. Rows are never
   * changed, and each is sealed into a chain of hashes, which `npm run audit:verify` checks.
   */
  @Get()
  @ApiPageResponse(AuditEntryDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: ListAuditQueryDto): Promise<Page<AuditEntryDto>> {
    return this.audit.list(query);
  }
}
