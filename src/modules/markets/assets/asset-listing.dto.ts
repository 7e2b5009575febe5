import { ApiProperty } from '@nestjs/swagger';
import type { AssetView } from '../../../core/core.types.js';
import { AssetDto, toAssetDto } from '../operators/asset.dto.js';

export const ASSET_KINDS = ['fiat', 'crypto'] as const;

export type AssetKind = (typeof ASSET_KINDS)[number];

/** A chain that takes an asset in. */
export class AssetChainDto {
  /** @example "ethereum" */
  chain: string;
  /**
   * The minimum total on an address: below it nothing there is credited.
   * @example "0.001"
   */
  deposit_minimum: string;
  /**
   * Blocks after which a deposit is credited.
   * @example 12
   */
  @ApiProperty({ type: 'integer' })
  confirmations: number;
}

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
  /** The chains over which it comes in, in the order of their names; empty where `deposits` is false. */
  @ApiProperty({ type: [AssetChainDto] })
  chains: AssetChainDto[];
}

export function toAssetListingDto(
  asset: AssetView,
  more: Pick<AssetListingDto, 'name' | 'kind' | 'deposits' | 'withdrawals' | 'chains'>,
): AssetListingDto {
  return { ...toAssetDto(asset), ...more };
}
