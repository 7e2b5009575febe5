import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { satisfies, validRange } from 'semver';
import { ChainConnectors, ConfiguredChains } from '../chain/chain-connectors.js';
import { StartRefusal } from '../config/start-refusal.js';
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

/** An abstract class that a plugin may implement, and that the service injects. */
export type ExtensionPoint<T = unknown> = abstract new (...args: never[]) => T;

export interface Binding<T = unknown> {
  readonly point: ExtensionPoint<T>;
  /** The plugin's module provides and exports it. */
  readonly implementation: Type<T>;
}

/** An addition to the service: a Nest module and its metadata. */
export interface Plugin {
  /** Shown in messages and logs. */
  readonly name: string;
  /** The versions of the service that it works with, as a semver range such as `^0.1.0`. */
  readonly compatibility: string;
  readonly module: Type | DynamicModule;
  readonly entities?: readonly Type[];
  readonly migrations?: readonly Type<MigrationInterface>[];
  readonly bindings?: readonly Binding[];
}

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

/**
 * Decides the implementation of each bound extension point. Throws a StartRefusal that names the plugins if one is for
 * another version, two have the same name, two bind one point, or one binds something that is not an extension point.
 */
export function bindPlugins(
  plugins: readonly Plugin[],
  serviceVersion: string,
): ReadonlyMap<ExtensionPoint, Type> {
  const names = new Set<string>();
  const bound = new Map<ExtensionPoint, { implementation: Type; plugin: string }>();
  for (const plugin of plugins) {
    if (names.has(plugin.name)) throw new StartRefusal(`Two plugins are named "${plugin.name}".`);
    names.add(plugin.name);
    requireCompatible(plugin, serviceVersion);
    for (const { point, implementation } of plugin.bindings ?? []) {
      if (!EXTENSION_POINTS.has(point)) {
        throw new StartRefusal(
          `Plugin "${plugin.name}" binds ${point.name}, which is not an extension point.`,
        );
      }
      const before = bound.get(point);
      if (before) {
        throw new StartRefusal(
          `Plugins "${before.plugin}" and "${plugin.name}" both bind ${point.name}; keep one.`,
        );
      }
      bound.set(point, { implementation: implementation as Type, plugin: plugin.name });
    }
  }
  return new Map([...bound].map(([point, { implementation }]) => [point, implementation]));
}

function requireCompatible(plugin: Plugin, serviceVersion: string): void {
  if (validRange(plugin.compatibility) === null) {
    throw new StartRefusal(
      `Plugin "${plugin.name}" has a compatibility that is no semver range: "${plugin.compatibility}".`,
    );
  }
  if (!satisfies(serviceVersion, plugin.compatibility)) {
    throw new StartRefusal(
      `Plugin "${plugin.name}" is made for version ${plugin.compatibility}, but this is ${serviceVersion}.`,
    );
  }
}
