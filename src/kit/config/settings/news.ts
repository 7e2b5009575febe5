import { bool, listOf, url } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';

/** Sources of news, and targets of webhooks. */
export interface NewsConfig {
  readonly newsFeeds: readonly string[];
  /** Whether webhooks may be delivered to private addresses and over plain http. */
  readonly webhookAllowPrivate: boolean;
}

export const newsSettings = {
  newsFeeds: optional(
    'NEWS_FEEDS',
    listOf(url('https', 'http'), 100),
    'none',
    'RSS, Atom and JSON feeds to read news from, separated by commas.',
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    bool,
    'false',
    'Lets webhooks and feeds reach private addresses, and webhooks plain http; refused in production.',
  ),
};

export function readNewsConfig(read: ReadSetting): NewsConfig {
  return {
    newsFeeds: read(newsSettings.newsFeeds) ?? [],
    webhookAllowPrivate: read(newsSettings.webhookAllowPrivate),
  };
}
