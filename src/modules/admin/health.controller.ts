import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { TEMPORARILY_UNAVAILABLE } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { Public } from '../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { HealthDto, toHealthDto } from './health.dto.js';
import { HealthService } from './health.service.js';
import { ScopeCatalogue } from '../../kit/security/scope.js';

@ApiTags('Admin')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthService,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /**
   * Health check
   * @remarks The status; with the credential of an operator also every check.
   */
  @Get()
  @Public({ identify: true })
  @Header('Cache-Control', 'no-store')
  async check(@CurrentPrincipal() principal: Principal | undefined): Promise<HealthDto> {
    return toHealthDto(
      await this.health.report(),
      principal !== undefined && this.scopes.isOperator(principal.scopes),
    );
  }

  /** Whether the process answers at all */
  @Get('live')
  @Public()
  @Header('Cache-Control', 'no-store')
  live(): HealthDto {
    return { status: 'ok' };
  }

  /** Whether requests should be sent here */
  @Get('ready')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(TEMPORARILY_UNAVAILABLE.means('starting, stopping, not leading, or without its database.'))
  async ready(): Promise<HealthDto> {
    return toHealthDto(await this.health.requireReady(), false);
  }
}
