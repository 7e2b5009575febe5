import { beginningOf } from '../../../kit/content/beginning.js';
import { slugOf } from '../../../kit/content/slug.js';
import { xmlText } from '../../../kit/content/xml-text.js';
import type { NewsText } from '../../../kit/filters/filter.js';
import { languageOf } from '../items/language.js';
import type { KnownMarkets } from '../items/market-symbols.js';
import {
  contentHashOf,
  HEADLINE_LENGTH_MAX,
  SUMMARY_LENGTH_MAX,
  textOfHtml,
  textOfWritten,
} from '../items/news-text.js';
import type { NewsItemContent } from '../items/news-writer.js';
import { parseFeedDate } from './feed-dates.js';
import type { FeedDocument, FeedEntry } from './feed-document.js';

const URL_LENGTH_MAX = 2_048;
const AUTHOR_LENGTH_MAX = 100;
const SOURCE_LENGTH_MAX = 253;
const SYMBOLS_MAX = 20;

const WEB_SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:']);

/** An entry's content as a news item; the publication time is optional in feeds. */
export type FeedEntryContent = Omit<NewsItemContent, 'publishedAt' | 'contentHash'> & {
  readonly publishedAt: Date | undefined;
  readonly contentHash: string;
};

/** Where an entry was found, and among what. */
export interface EntrySurroundings {
  readonly source: string;
  readonly document: Pick<FeedDocument, 'language'>;
  readonly markets: KnownMarkets;
}

/** Makes an entry safe to show, and limits its length. The headline is empty if the entry has no text. */
export function feedEntryContentOf(
  entry: FeedEntry,
  { source, document, markets }: EntrySurroundings,
  now: Date,
): FeedEntryContent {
  const text = textOfHtml(entry, (address, schemes) => addressIn(address, entry.baseUrl, schemes));
  const url = entry.url === undefined ? null : urlOf(entry.url, entry.baseUrl);
  return {
    ...text,
    author: authorOf(entry.author),
    url,
    source,
    category: categoryOf(entry.categories),
    language: languageOf(entry.language ?? document.language ?? '') ?? null,
    publishedAt: entry.publishedAt === undefined ? undefined : parseFeedDate(entry.publishedAt, now),
    symbols: markets.namedBy(entry.categories, text.headline).slice(0, SYMBOLS_MAX),
    contentHash: contentHashOf(text, url),
  };
}

/** With what filters have changed: safe to show, of the same lengths, and still known by what the feed said. */
export function changedContentOf(
  content: FeedEntryContent,
  changes: Partial<NewsText>,
  baseUrl: string,
): FeedEntryContent {
  const { headline, summary, content: html, author, source, category } = { ...content, ...changes };
  const written = {
    headline: beginningOf(xmlText(headline).trim(), HEADLINE_LENGTH_MAX),
    summary: beginningOf(xmlText(summary).trim(), SUMMARY_LENGTH_MAX),
    content: html,
  };
  const text = textOfWritten(written, (address, schemes) => addressIn(address, baseUrl, schemes));
  return {
    ...content,
    ...text,
    author: xmlText(author ?? '').slice(0, AUTHOR_LENGTH_MAX) || null,
    source: xmlText(source).slice(0, SOURCE_LENGTH_MAX) || content.source,
    category: slugOf(category ?? '') || null,
  };
}

/** The publisher of a feed: its host, without prefixes that only mark feeds. */
export function sourceOf(feedUrl: string): string {
  return new URL(feedUrl).hostname.replace(/^(?:www|feeds?|rss)\.(?=.*\.)/, '');
}

function addressIn(address: string, baseUrl: string, schemes: ReadonlySet<string>): string | undefined {
  const url = URL.parse(address, baseUrl);
  return url !== null && schemes.has(url.protocol) ? url.href : undefined;
}

function urlOf(address: string, baseUrl: string): string | null {
  const url = addressIn(address, baseUrl, WEB_SCHEMES);
  return url !== undefined && url.length <= URL_LENGTH_MAX ? url : null;
}

function authorOf(html: string | undefined): string | null {
  const { headline: name } = textOfHtml({ headline: html ?? '', summary: '', content: '' }, () => undefined);
  return name.slice(0, AUTHOR_LENGTH_MAX) || null;
}

/** The first one that has a name; some are only the addresses of a scheme. */
function categoryOf(categories: readonly string[]): string | null {
  const slugs = categories.filter((name) => !/^\w+:\/\//.test(name)).map(slugOf);
  return slugs.find((slug) => slug !== '') ?? null;
}
