import type { Amount } from '../../../domain/money/amount.js';

/** A chain that carries an asset. */
export interface AssetChain {
  readonly chain: string;
  readonly depositMinimum: Amount;
  readonly confirmations: number;
}

/** The chains that assets come in and go out by. */
export abstract class AssetChains {
  abstract chainsOf(asset: string): readonly AssetChain[];
}

export class NoChains extends AssetChains {
  override chainsOf(): readonly AssetChain[] {
    return [];
  }
}

/** How currencies are paid out to banks. */
export abstract class CurrencyRails {
  /** Whether payouts in the currency can be sent; undefined for one that is never paid out. */
  abstract isOpen(currency: string): boolean | undefined;
}

export class NoRails extends CurrencyRails {
  override isOpen(): undefined {
    return undefined;
  }
}
