import { ApiProperty } from '@nestjs/swagger';
import { IsUtcTime } from '../../kit/http/validation/is-utc-time.js';

/** The body of `POST /user/exclusion`. */
export class ExcludeOneselfDto {
  /**
   * From one day to ten years ahead, RFC 3339, UTC.
   * @example "2027-11-25T00:00:00.000Z"
   */
  @IsUtcTime()
  until: string;
}

/** Whether, and for how long, a user is excluded from trading by their own wish. */
export class SelfExclusionDto {
  /** RFC 3339, UTC; null where the user is not excluded. */
  @ApiProperty({ type: String, nullable: true, example: '2026-11-25T09:00:00.000Z' })
  since: string | null;
  /** When it ends by itself; null where the user is not excluded. */
  @ApiProperty({ type: String, nullable: true, example: '2027-11-25T00:00:00.000Z' })
  until: string | null;
}

export function toSelfExclusionDto(
  exclusion: { readonly since: Date; readonly until: Date } | undefined,
): SelfExclusionDto {
  return {
    since: exclusion?.since.toISOString() ?? null,
    until: exclusion?.until.toISOString() ?? null,
  };
}
