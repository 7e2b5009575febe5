import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import {
  OPERATOR_FINANCE,
  OPERATOR_READ,
  OPERATOR_SECURITY,
  operators,
} from '../../kit/security/operator-roles.js';

@ApiTags('Admin')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsRegistry) {}

  /**
   * Metrics
   * @remarks In the text format of Prometheus.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_FINANCE, OPERATOR_SECURITY, OPERATOR_READ))
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  async scrape(@Res() response: Response): Promise<void> {
    response.type(this.metrics.contentType).send(await this.metrics.render());
  }
}
