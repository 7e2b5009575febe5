/** Lists of what happened in a period: `from` a time on, and before another, `to`. */
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { ApiError } from './errors.js';
import { PageQueryDto, type Period } from './pagination.js';
import { IsUtcTime, parseUtcTime } from './validation/is-utc-time.js';

/** The query of a list of a period; either end may be left open. */
export class PeriodQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ description: 'Only what is from this time on. RFC 3339, UTC.' })
  @IsOptional()
  @IsUtcTime()
  from?: string;

  @ApiPropertyOptional({ description: 'Only what is before this time. RFC 3339, UTC.' })
  @IsOptional()
  @IsUtcTime()
  to?: string;
}

/** Reads times that have been validated. Throws `validation_failed` where the period ends before it begins. */
export function periodOf({ from, to }: Pick<PeriodQueryDto, 'from' | 'to'>): Period {
  const fromMs = from === undefined ? undefined : parseUtcTime(from)!;
  const toMs = to === undefined ? undefined : parseUtcTime(to)!;
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw ApiError.validation([{ field: 'to', message: 'to must not be before from' }]);
  }
  return { fromMs, toMs };
}
