import { IsString, Matches, MaxLength, MinLength } from 'class-validator';

/** The body of `POST /accounts`. */
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
}
