import { ApiHideProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength, MinLength } from 'class-validator';
import type { FieldChanges } from '../../../domain/fields.js';
import { AcceptsFields } from '../../../kit/fields/field-marks.js';

/** The body of `POST /accounts`. */
@AcceptsFields('accounts')
export class CreateSubAccountDto {
  /**
   * By which its owner knows it.
   * @example "Arbitrage"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  @Matches(/^\P{C}*$/u, { message: '$property must not have control or formatting characters' })
  name: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldChanges;
}
