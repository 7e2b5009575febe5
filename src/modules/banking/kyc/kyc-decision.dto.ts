import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';

const REASON_LENGTH_MAX = 500;
const LEVEL_MAX = 9;

/** The body of `POST /admin/kyc/{kyc_id}/decision`. */
export class KycDecisionDto {
  @ApiProperty({ enum: ['approved', 'rejected'], example: 'approved' })
  @IsIn(['approved', 'rejected'])
  decision: 'approved' | 'rejected';

  /**
   * Kept for good and shown to the person, so it must not have the person's name or document number.
   * @example "Document and data agree; the name on the list is of another person."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(REASON_LENGTH_MAX)
  @Matches(/^(?=.*\S)[^\p{Cc}\p{Cf}\p{Co}\p{Cn}]*$/u, {
    message: '$property must be words without control or formatting characters',
  })
  reason: string;

  /** What an approval grants; 1 where left out. */
  @ApiPropertyOptional({ minimum: 1, maximum: LEVEL_MAX, default: 1 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LEVEL_MAX)
  level?: number;
}
