import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import {
  OPERATOR_FINANCE,
  OPERATOR_READ,
  OPERATOR_SECURITY,
  operators,
} from '../../../kit/security/operator-roles.js';
import { LedgerCheckDto, LedgerCheckQueryDto } from './ledger-check.dto.js';
import { LedgerOperationsService } from './ledger-operations.service.js';

/** The ledger, as operators check it. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE, OPERATOR_SECURITY, OPERATOR_READ))
@Controller('admin/ledger')
export class LedgerController {
  constructor(private readonly ledger: LedgerOperationsService) {}

  /**
   * Check that the books balance
   * @remarks Sums per asset against the outside world, holds against what is held, pools against open
   * interest, and the stored rows against the running state, all at one sequence.
   */
  @Get('check')
  check(@Query() query: LedgerCheckQueryDto): Promise<LedgerCheckDto> {
    return this.ledger.check(query.full ?? false);
  }
}
