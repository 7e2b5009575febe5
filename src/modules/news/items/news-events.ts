import { slugOf } from '../../../kit/content/slug.js';
import { WebhookEventType, type WebhookFilter } from '../../../kit/webhooks/webhook-event-type.js';
import { NewsHeadlineDto } from './news-item.dto.js';

export const NEWS_PUBLISHED = newsEvent('news.published', 'A piece of news was published.');

export const NEWS_UPDATED = newsEvent('news.updated', 'A piece of news was changed.');

export const NEWS_REMOVED = newsEvent(
  'news.removed',
  'A piece of news was removed; told is what it said last.',
);

function newsEvent(name: string, description: string): WebhookEventType<NewsHeadlineDto> {
  return new WebhookEventType({ name, description, data: NewsHeadlineDto, matches: matchesFilter });
}

/**
 * Whether a piece of news fits a filter of webhooks: it has one of the `categories`, one of the `symbols` and
 * one of the `sources`, and in headline or summary all the words of `q`. What the filter does not name, or
 * names without a value, does not matter.
 */
export function matchesFilter(news: NewsHeadlineDto, filter: WebhookFilter): boolean {
  const { categories, symbols, sources, q } = filter;
  return (
    isAmong(textsOf(categories).map(slugOf), news.category === null ? [] : [news.category]) &&
    isAmong(textsOf(symbols), news.symbols) &&
    isAmong(textsOf(sources), [news.source]) &&
    hasWords(`${news.headline} ${news.summary}`, textsOf(q).join(' '))
  );
}

function textsOf(value: string | readonly string[] | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? []);
}

function isAmong(wanted: readonly string[], had: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((each) => had.includes(each));
}

function hasWords(text: string, query: string): boolean {
  const words = new Set(wordsOf(text));
  return wordsOf(query).every((word) => words.has(word));
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
