import { days } from '../../../kit/config/readers.js';
import { setting } from '../../../kit/config/setting.js';

export const RETENTION_DELIVERIES_DAYS = setting(
  'RETENTION_DELIVERIES_DAYS',
  days(4),
  '30',
  'Days after which events of webhooks and their deliveries are deleted; deliveries are tried for up to four.',
);
