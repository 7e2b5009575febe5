import { integer } from '../../kit/config/readers.js';
import { setting } from '../../kit/config/setting.js';
import { settingGroup } from '../../kit/config/setting-group.js';

/** Live orders, and stops among them, that an account may have in one market, and a person in all. */
export const ORDER_LIMITS = settingGroup({
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
});
