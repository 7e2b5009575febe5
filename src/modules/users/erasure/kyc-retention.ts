import { days } from '../../../kit/config/readers.js';
import { setting } from '../../../kit/config/setting.js';

export const KYC_RETENTION_DAYS = setting(
  'KYC_RETENTION_DAYS',
  days(0),
  '1825',
  "Days after a user was closed when the user's KYC records and bank accounts are erased; ask what your law wants.",
);
