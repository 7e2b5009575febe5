import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { QueryInteger } from '../../../kit/http/validation/query.js';

/** The query of a list that can be asked for a past moment. Give one of the two, or neither for the present. */
export class PointInTimeQueryDto extends PageQueryDto {
  /** As things stood at this time: everything committed by then counts. */
  @ApiPropertyOptional({ example: '2026-11-01T12:00:00.000Z' })
  @IsOptional()
  @IsUtcTime()
  as_of?: string;

  @QueryInteger(
    0,
    Number.MAX_SAFE_INTEGER,
    'As things stood at this place of the global ledger sequence, which every ledger entry tells.',
  )
  at_sequence?: number;
}
