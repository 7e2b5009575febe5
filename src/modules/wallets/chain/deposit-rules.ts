import type { CoreService } from '../../../core/core.service.js';
import { type Amount, AMOUNT_DECIMALS } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';

/** What deposits of one asset of a chain must be so that they are credited. */
export interface DepositRule {
  readonly asset: string;
  /** On the chain; at most 18. */
  readonly decimals: number;
  /** In the ledger; null if that has no such asset. */
  readonly scale: number | null;
  /** The minimum total on an address. */
  readonly minimum: Amount;
  /** An amount that is no multiple of it has more decimals than the ledger counts; null as `scale`. */
  readonly step: bigint | null;
}

export function depositRulesOf({ assets }: ChainConnector, core: CoreService): DepositRule[] {
  return assets.map(({ code, decimals, depositMinimum }) => {
    const scale = core.asset(code)?.scale ?? null;
    const step = scale === null ? null : 10n ** BigInt(AMOUNT_DECIMALS - scale);
    return { asset: code, decimals, scale, minimum: depositMinimum, step };
  });
}

/** The rules as a statement takes them: arrays of assets, minimums and steps. */
export function ruleArrays(rules: readonly DepositRule[]): readonly [string[], string[], (string | null)[]] {
  return [
    rules.map(({ asset }) => asset),
    rules.map(({ minimum }) => minimum.toString()),
    rules.map(({ step }) => step?.toString() ?? null),
  ];
}

/** What operators must put right, so that nothing which arrives on the chain waits for good. */
export function problemsOf(chain: string, rules: readonly DepositRule[]): string[] {
  return rules.flatMap(({ asset, decimals, scale }) => {
    if (scale === null) {
      return [
        `There is no asset ${asset}: what arrives of it on ${chain} waits until POST /admin/assets makes it.`,
      ];
    }
    if (scale >= decimals) return [];
    return [
      `${asset} has ${decimals} decimals on ${chain} and ${scale} here: an amount with more than ${scale} is not credited.`,
    ];
  });
}
