import type { Type } from '@nestjs/common';
import { ChainConnectors, ConfiguredChains } from '../chain/chain-connectors.js';
import { FileStore } from '../files/file-store.js';
import { FolderFileStore } from '../files/folder-file-store.js';
import { FileRail } from '../payouts/file-rail.js';
import { PayoutRail } from '../payouts/payout-rail.js';
import { KeyVault } from '../vault/key-vault.js';
import { PassphraseVault } from '../vault/passphrase-vault.js';
import { AcceptAll, RiskCheck } from './risk-check.js';
import { FeePolicy, MarketFees } from './fee-policy.js';
import { BuiltInChecksOnly, KycProvider } from './kyc-provider.js';
import { AllowSigning, SigningPolicy } from './signing-policy.js';

/** An abstract class that a class of a plugin may extend, and that the service injects. */
export type ExtensionPoint<T = unknown> = abstract new (...args: never[]) => T;

/** Every extension point with its default. */
export const EXTENSION_POINTS: ReadonlyMap<ExtensionPoint, Type> = new Map<ExtensionPoint, Type>([
  [FeePolicy, MarketFees],
  [RiskCheck, AcceptAll],
  [FileStore, FolderFileStore],
  [KeyVault, PassphraseVault],
  [SigningPolicy, AllowSigning],
  [ChainConnectors, ConfiguredChains],
  [KycProvider, BuiltInChecksOnly],
  [PayoutRail, FileRail],
]);

/** The extension point that a class extends. */
export function extensionPointOf(implementation: Type): ExtensionPoint | undefined {
  let ancestor: unknown = implementation;
  while (typeof ancestor === 'function') {
    if (EXTENSION_POINTS.has(ancestor as ExtensionPoint)) return ancestor as ExtensionPoint;
    ancestor = Object.getPrototypeOf(ancestor) as unknown;
  }
  return undefined;
}
