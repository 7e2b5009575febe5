import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { LedgerCheckDto, LedgerCheckQueryDto } from './ledger-check.dto.js';
import { LedgerOperationsService } from './ledger-operations.service.js';
import { ADMIN } from '../../../kit/security/scope.js';

/** The ledger, as operators check it. */
@ApiTags('Admin')
@RequireScopes({ anyOf: [ADMIN] })
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
