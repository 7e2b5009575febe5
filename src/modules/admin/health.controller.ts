import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { Public } from '../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../platform/security/current-principal.js';
import type { Principal } from '../../platform/security/principal.js';
import { HealthDto, toHealthDto } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('Admin')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Public({ identify: true })
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Health check',
    description: 'The status; with an admin credential also every check.',
  })
  @ApiOkResponse({ type: HealthDto })
  async check(@CurrentPrincipal() principal: Principal | undefined): Promise<HealthDto> {
    return toHealthDto(await this.health.report(), principal?.scopes.has('admin') ?? false);
  }

  @Get('live')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Whether the process answers at all' })
  @ApiOkResponse({ type: HealthDto })
  live(): HealthDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Whether requests should be sent here' })
  @ApiOkResponse({ type: HealthDto })
  @ApiErrors('temporarily_unavailable: starting, stopping, not leading, or without its database.')
  async ready(): Promise<HealthDto> {
    return toHealthDto(await this.health.requireReady(), false);
  }
}
