import { days, listOf, url } from '../../kit/config/readers.js';
import { optional } from '../../kit/config/setting.js';

export const NEWS_FEEDS = optional(
  'NEWS_FEEDS',
  listOf(url('https', 'http'), 100),
  'none',
  'RSS, Atom and JSON feeds to read news from, separated by commas.',
);

export const RETENTION_NEWS_DAYS = optional(
  'RETENTION_NEWS_DAYS',
  days(1),
  'kept for ever',
  'Days after its publication when the text of a piece of news is deleted.',
);
