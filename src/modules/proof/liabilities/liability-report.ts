import { liabilitiesBytes, type SignedLiabilities } from '../../../domain/proof/liability-proof.js';
import type { HeadSigner } from '../../../core/proof/journal-keys.js';

/** What is owed of an asset. */
export interface LiabilityTotal {
  readonly asset: string;
  readonly amount: string;
  /** How much of it lies in the pools of event markets, for whoever will have won. */
  readonly in_pools: string;
}

export const ASSET_SOURCES = ['chain', 'bank', 'none'] as const;

/** What there is of an asset, as somebody other than the ledger says it. */
export interface AssetShown {
  readonly asset: string;
  readonly source: (typeof ASSET_SOURCES)[number];
  /** The chain, or the rail of the bank. */
  readonly name: string | null;
  /** Null where the source tells none. */
  readonly amount: string | null;
  /** The block of the chain as of which it is. */
  readonly block: number | null;
  /** When the source was asked, or its last report was read. */
  readonly observed_at: string | null;
  /** Whether it equals what the ledger says of the source at that moment. */
  readonly reconciled: boolean;
}

/** A cut as it was taken, before it is signed. */
export interface TakenCut {
  readonly as_of: string;
  readonly sequence: number;
  readonly root_hash: string;
  readonly totals: readonly LiabilityTotal[];
}

export interface LiabilityReport extends TakenCut, SignedLiabilities {
  readonly totals: readonly LiabilityTotal[];
  readonly assets_shown: readonly AssetShown[];
}

/** Signs what is to be published. */
export function signedReport(
  cut: TakenCut,
  assetsShown: readonly AssetShown[],
  { keyId, sign }: HeadSigner,
): LiabilityReport {
  const report = { ...cut, assets_shown: assetsShown, key_id: keyId };
  return { ...report, signature: sign(liabilitiesBytes(report)) };
}
