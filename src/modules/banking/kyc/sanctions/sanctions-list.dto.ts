import { ApiProperty } from '@nestjs/swagger';

/** The sanctions list in use; without one there are no people on it, and nobody is approved without an operator. */
export class SanctionsListDto {
  /**
   * People on it.
   * @example 7402
   */
  people: number;
  /**
   * Their names and other names together.
   * @example 18211
   */
  names: number;
  /** RFC 3339, UTC; null without a list. */
  @ApiProperty({ type: String, nullable: true })
  loaded_at: string | null;
  /** Another one for every state of its files; null without a list. */
  @ApiProperty({ type: String, nullable: true, example: '9f2c41a07b3de615' })
  version: string | null;
}
