import { days } from '../../../kit/config/readers.js';
import { optional } from '../../../kit/config/setting.js';

export const RETENTION_IDLE_ROOMS_DAYS = optional(
  'RETENTION_IDLE_ROOMS_DAYS',
  days(1),
  'kept for ever',
  'Days after its last event when a chat room is deleted, with its messages.',
);
