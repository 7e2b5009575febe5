import type { AssetView } from '../../../core/core.types.js';
import { AssetDto, toAssetDto } from '../operators/asset.dto.js';

export const ASSET_KINDS = ['fiat', 'crypto'] as const;

export type AssetKind = (typeof ASSET_KINDS)[number];

/** An asset as `GET /assets` lists it. */
export class AssetListingDto extends AssetDto {
  /**
   * Its name in English; the code if the service knows none.
   * @example "British Pound"
   */
  name: string;
  /** `fiat` for currencies of ISO 4217 and of payout rails, `crypto` for all others. */
  kind: AssetKind;
  /** Whether the service takes it in by itself: over a chain that it is connected to. */
  deposits: boolean;
  /** Whether the service pays it out by itself: over a chain that it is connected to, or over a payout rail. */
  withdrawals: boolean;
}

export function toAssetListingDto(
  asset: AssetView,
  more: Pick<AssetListingDto, 'name' | 'kind' | 'deposits' | 'withdrawals'>,
): AssetListingDto {
  return { ...toAssetDto(asset), ...more };
}
