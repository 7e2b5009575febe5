import { days } from '../../../kit/config/readers.js';
import { setting } from '../../../kit/config/setting.js';

export const RETENTION_LIABILITIES_DAYS = setting(
  'RETENTION_LIABILITIES_DAYS',
  days(1),
  '90',
  'Days after which accounts can no longer prove that they are in a published cut of the liabilities; its totals and root stay.',
);
