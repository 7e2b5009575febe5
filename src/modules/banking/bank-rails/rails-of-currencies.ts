import { Injectable } from '@nestjs/common';
import { CurrencyRails } from '../../markets/assets/asset-ways.js';
import { PayoutRail } from './payout-rail.js';

/** The rails that pay out a currency, as far as they are set up. */
@Injectable()
export class RailsOfCurrencies extends CurrencyRails {
  constructor(private readonly payouts: PayoutRail) {
    super();
  }

  override isOpen(currency: string): boolean | undefined {
    const rails = this.payouts.rails().filter((rail) => rail.currency === currency);
    if (rails.length === 0) return undefined;
    return rails.some(({ name }) => this.payouts.missingSettings(name).length === 0);
  }
}
