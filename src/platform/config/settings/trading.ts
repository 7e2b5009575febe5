import { integer } from '../readers.js';
import { type ReadSetting, setting } from '../setting.js';

export interface TradingConfig {
  /** How long a quote can be accepted. */
  readonly quoteLifetimeMs: number;
}

export const tradingSettings = {
  quoteLifetimeMs: setting(
    'QUOTE_LIFETIME_MS',
    integer(1, 3_600_000),
    '10000',
    'How long a quote can be accepted, in milliseconds.',
  ),
};

export function readTradingConfig(read: ReadSetting): TradingConfig {
  return {
    quoteLifetimeMs: read(tradingSettings.quoteLifetimeMs),
  };
}
