import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { HealthReport } from './health.service.js';

export class HealthCheckDto {
  @ApiProperty({ example: 'database' })
  name: string;

  @ApiProperty({ example: true })
  healthy: boolean;

  @ApiProperty({ example: 'answered in 1 ms' })
  detail: string;
}

export class HealthDto {
  @ApiProperty({ enum: ['ok', 'degraded', 'unavailable'], example: 'ok' })
  status: 'ok' | 'degraded' | 'unavailable';

  @ApiPropertyOptional({
    type: [HealthCheckDto],
    description: 'Only for credentials with the scope `admin`.',
  })
  checks?: HealthCheckDto[];
}

export function toHealthDto(report: HealthReport, showDetail: boolean): HealthDto {
  const { status, checks } = report;
  return showDetail
    ? { status, checks: checks.map(({ name, healthy, detail }) => ({ name, healthy, detail })) }
    : { status };
}
