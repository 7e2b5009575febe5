import { integer } from '../readers.js';
import { type ReadSetting, setting } from '../setting.js';

export interface TradingConfig {
  /** How long a quote can be accepted. */
  readonly quoteLifetimeMs: number;
  /** Live orders, and stops among them, that an account may have in one market. */
  readonly openOrdersMax: number;
  readonly openStopsMax: number;
  /** The same of all accounts of a person, and of the users whom that person made, in all markets. */
  readonly ownerOpenOrdersMax: number;
  readonly ownerOpenStopsMax: number;
}

export const tradingSettings = {
  quoteLifetimeMs: setting(
    'QUOTE_LIFETIME_MS',
    integer(1, 3_600_000),
    '10000',
    'How long a quote can be accepted, in milliseconds.',
  ),
  openOrdersMax: setting(
    'OPEN_ORDERS_MAX',
    integer(1, 1_000_000),
    '10000',
    'Live orders that an account may have in one market; those beyond a lowered limit stay.',
  ),
  openStopsMax: setting(
    'OPEN_STOPS_MAX',
    integer(1, 1_000_000),
    '200',
    'Stops among them that wait to be triggered.',
  ),
  ownerOpenOrdersMax: setting(
    'OWNER_OPEN_ORDERS_MAX',
    integer(1, 1_000_000),
    '20000',
    'Live orders that all accounts of a person, and of the users whom that person made, may have in all markets together.',
  ),
  ownerOpenStopsMax: setting(
    'OWNER_OPEN_STOPS_MAX',
    integer(1, 1_000_000),
    '1000',
    'Stops among them that wait to be triggered.',
  ),
};

export function readTradingConfig(read: ReadSetting): TradingConfig {
  return {
    quoteLifetimeMs: read(tradingSettings.quoteLifetimeMs),
    openOrdersMax: read(tradingSettings.openOrdersMax),
    openStopsMax: read(tradingSettings.openStopsMax),
    ownerOpenOrdersMax: read(tradingSettings.ownerOpenOrdersMax),
    ownerOpenStopsMax: read(tradingSettings.ownerOpenStopsMax),
  };
}
