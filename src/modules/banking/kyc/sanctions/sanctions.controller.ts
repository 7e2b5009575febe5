import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ApiError } from '../../../../platform/http/errors.js';
import { RequireScopes } from '../../../../platform/security/credentials.js';
import { SanctionsListDto } from '../kyc-review.dto.js';
import { SanctionsList, type SanctionsListState } from './sanctions-list.js';

/** The sanctions list that names are checked against. */
@ApiTags('Admin')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/sanctions-list')
export class SanctionsController {
  constructor(private readonly sanctions: SanctionsList) {}

  @Get()
  @ApiOperation({ summary: 'Get what is known of the sanctions list' })
  @ApiOkResponse({ type: SanctionsListDto })
  @ApiNotFoundResponse({ description: '`not_found`: SANCTIONS_FILE names none.' })
  get(): SanctionsListDto {
    const state = this.sanctions.state();
    if (state === undefined) throw new ApiError('not_found', 'No list is named: set SANCTIONS_FILE.');
    return toDto(state);
  }

  @Post('reload')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Read the sanctions list again',
    description:
      'A file that has changed is read again by itself. Approved people who are like a new entry go back to review.',
  })
  @ApiOkResponse({ type: SanctionsListDto })
  @ApiConflictResponse({
    description: '`conflict`: there is none, or it cannot be read and the old one stays.',
  })
  async reload(): Promise<SanctionsListDto> {
    return toDto(await this.sanctions.reload());
  }
}

function toDto({ people, names, loadedAt, version }: SanctionsListState): SanctionsListDto {
  return { people, names, loaded_at: loadedAt.toISOString(), version };
}
