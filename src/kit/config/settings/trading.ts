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
  /** Requests and messages of one owner that have no answer yet. */
  readonly ownerWaitingMax: number;
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
  ownerWaitingMax: setting(
    'OWNER_WAITING_MAX',
    integer(1, 1_000_000),
    '512',
    'Requests and messages of one owner (a person with all users, keys and accounts that the person made, else a network) that may have no answer yet; more are refused (429 `too_many_in_flight`).',
  ),
};

export function readTradingConfig(read: ReadSetting): TradingConfig {
  return {
    quoteLifetimeMs: read(tradingSettings.quoteLifetimeMs),
    openOrdersMax: read(tradingSettings.openOrdersMax),
    openStopsMax: read(tradingSettings.openStopsMax),
    ownerOpenOrdersMax: read(tradingSettings.ownerOpenOrdersMax),
    ownerOpenStopsMax: read(tradingSettings.ownerOpenStopsMax),
    ownerWaitingMax: read(tradingSettings.ownerWaitingMax),
  };
}
