import { bool, integer } from '../readers.js';
import { type ReadSetting, setting } from '../setting.js';

export interface TradingConfig {
  /** Whether a settlement needs two operators. */
  readonly settlementFourEyes: boolean;
  /** How long a quote can be accepted. */
  readonly quoteLifetimeMs: number;
}

export const tradingSettings = {
  settlementFourEyes: setting(
    'SETTLEMENT_FOUR_EYES',
    bool,
    'false',
    'Whether settling a market, or correcting that, needs two operators.',
  ),
  quoteLifetimeMs: setting(
    'QUOTE_LIFETIME_MS',
    integer(1, 3_600_000),
    '10000',
    'How long a quote can be accepted, in milliseconds.',
  ),
};

export function readTradingConfig(read: ReadSetting): TradingConfig {
  return {
    settlementFourEyes: read(tradingSettings.settlementFourEyes),
    quoteLifetimeMs: read(tradingSettings.quoteLifetimeMs),
  };
}
