import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CONFLICT } from '../../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../../kit/http/api-errors.js';
import { RequireScopes } from '../../../../kit/security/credential-policy.js';
import { OPERATOR_COMPLIANCE, OPERATOR_READ, operators } from '../../../../kit/security/operator-roles.js';
import { SanctionsListDto } from './sanctions-list.dto.js';
import { SanctionsList, type SanctionsListState } from './sanctions-list.js';

/** The sanctions list that names are checked against. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_COMPLIANCE))
@Controller('admin/sanctions-list')
export class SanctionsListController {
  constructor(private readonly sanctions: SanctionsList) {}

  /** Get what is known of the sanctions list */
  @Get()
  @RequireScopes(operators(OPERATOR_COMPLIANCE, OPERATOR_READ))
  get(): SanctionsListDto {
    return toDto(this.sanctions.state());
  }

  /**
   * Read the sanctions list again
   * @remarks A file that has changed is read again by itself. Approved people who are like a new entry go
   * back to review.
   */
  @Post('reload')
  @HttpCode(200)
  @ApiErrors(CONFLICT.means('it cannot be read, and the one before stays.'))
  async reload(): Promise<SanctionsListDto> {
    return toDto(await this.sanctions.reload());
  }
}

function toDto(state: SanctionsListState | undefined): SanctionsListDto {
  return {
    people: state?.people ?? 0,
    names: state?.names ?? 0,
    loaded_at: state?.loadedAt.toISOString() ?? null,
    version: state?.version ?? null,
  };
}
