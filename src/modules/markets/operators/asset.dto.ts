import { IsInt, Matches, Max, Min } from 'class-validator';
import type { AssetView } from '../../../core/core.types.js';

/** The body of `POST /admin/assets`. */
export class CreateAssetDto {
  /**
   * 1 to 16 of A–Z and 0–9.
   * @example "GBP"
   */
  @Matches(/^[A-Z0-9]{1,16}$/, { message: '$property must be 1 to 16 of A-Z and 0-9' })
  code: string;

  /**
   * Decimals that deposits and withdrawals may have. Trading is exact at 18 decimals whatever it is.
   * @example 2
   */
  @IsInt()
  @Min(0)
  @Max(18)
  scale: number;
}

/** Something that accounts can have and markets can trade. */
export class AssetDto {
  /** @example "GBP" */
  code: string;
  /**
   * Decimals that deposits and withdrawals may have.
   * @example 2
   */
  scale: number;
}

export function toAssetDto(asset: AssetView): AssetDto {
  return { code: asset.code, scale: asset.scale };
}
