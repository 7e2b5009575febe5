import { integer } from '../../../kit/config/readers.js';
import { setting } from '../../../kit/config/setting.js';

export const QUOTE_LIFETIME_MS = setting(
  'QUOTE_LIFETIME_MS',
  integer(1, 3_600_000),
  '10000',
  'How long a quote can be accepted, in milliseconds.',
);
