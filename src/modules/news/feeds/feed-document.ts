/** Feeds as they come, in RSS 0.9x to 2.0, RDF, Atom 1.0 and JSON Feed 1.1, brought into one form. */
import { setImmediate } from 'node:timers/promises';
import {
  DetectError,
  ParseError,
  parseFeed,
  parseJsonFeed,
  type AnyFeed,
  type AtomFeed,
  type JsonFeed,
  type RdfFeed,
  type RssFeed,
} from 'feedsmith';
import { FeedProblem } from './feed-problem.js';
import { ENTRIES_MAX, splitFeed } from './feed-split.js';

/** Parsed at once, in characters: some milliseconds, in which nothing else happens in the process. */
const BATCH_LENGTH = 200_000;

/** The limit of a feed's text outside its entries, in characters. */
const FRAME_LENGTH_MAX = 200_000;

/** Of a JSON Feed as a whole, which is parsed at once. */
const JSON_LENGTH_MAX = 2_000_000;

/** A feed as it describes itself, and the first of its entries, at most `ENTRIES_MAX`. */
export interface FeedDocument {
  /** HTML. */
  readonly title: string | undefined;
  readonly language: string | undefined;
  /** How long it asks to be left alone between two polls. */
  readonly ttlMinutes: number | undefined;
  readonly entries: readonly FeedEntry[];
  /** Entries that cannot be read: not well-formed, or too long. */
  readonly broken: number;
  /** Entries that were left out because they come after the first `ENTRIES_MAX`. */
  readonly beyond: number;
}

/** A raw entry of a feed: not yet validated or sanitised. */
export interface FeedEntry {
  /** The feed's id of the entry; without one its address if no other entry has that, too, else its headline and time. */
  readonly guid: string;
  /** HTML, as are the next two; empty if missing. */
  readonly headline: string;
  readonly summary: string;
  readonly content: string;
  readonly author: string | undefined;
  /** Where the whole text stands; it may be relative to `baseUrl`. */
  readonly url: string | undefined;
  readonly categories: readonly string[];
  readonly publishedAt: string | undefined;
  readonly language: string | undefined;
  /** Absolute: where relative addresses lead. */
  readonly baseUrl: string;
}

/** An entry, and whether its guid is what the feed calls it. */
type FoundEntry = readonly [entry: FeedEntry, isNamed: boolean];

type ParsedFeed = Exclude<AnyFeed, { readonly format: 'json' }>;
type RssItem = Partial<RssFeed.Item<string>> & Pick<RdfFeed.Item<string>, 'rdf'>;
type AtomText = AtomFeed.Text | AtomFeed.Content | undefined;

/** Reads a feed that was found at `url`. Rejects with a `FeedProblem`. */
export async function readFeed(text: string, url: string): Promise<FeedDocument> {
  return /^\s*\{/.test(text) ? readJsonFeed(text, url) : readXmlFeed(text, url);
}

async function readXmlFeed(xml: string, url: string): Promise<FeedDocument> {
  const split = splitFeed(xml, ENTRIES_MAX);
  const { head, tail } = split;
  if (head.length + tail.length > FRAME_LENGTH_MAX)
    throw new FeedProblem('It says too much beside its entries.');
  const frame = parseFrame(head + tail);
  const entries: FoundEntry[] = [];
  let broken = split.tooLong;
  for (const batch of batchesOf(split.entries)) {
    const read = entriesOf(head + batch.join('') + tail, url);
    if (read !== undefined) entries.push(...read);
    else {
      for (const entry of batch) {
        const single = entriesOf(head + entry + tail, url);
        if (single === undefined) broken++;
        else entries.push(...single);
      }
    }
    await setImmediate();
  }
  if (entries.length === 0 && broken > 0) throw new FeedProblem('None of its entries can be read.');
  return { ...describe(frame), entries: withDistinctIds(entries), broken, beyond: split.beyond };
}

function readJsonFeed(json: string, url: string): FeedDocument {
  if (json.length > JSON_LENGTH_MAX)
    throw new FeedProblem(`It is a JSON Feed of more than ${JSON_LENGTH_MAX} characters.`);
  const { given, feed } = parsedJson(json);
  const { title, language, home_page_url, items = [] } = feed;
  if (items.length === 0 && given > 0) throw new FeedProblem('None of its entries can be read.');
  const base = absolute(home_page_url, url);
  const entries = items.slice(0, ENTRIES_MAX).map((item) => ofJsonItem(item, base));
  return {
    title: title && escapeHtml(title),
    language,
    ttlMinutes: undefined,
    entries: withDistinctIds(entries),
    broken: given - items.length,
    beyond: items.length - entries.length,
  };
}

/** A feed with the entries that can be read, and how many it gives. */
function parsedJson(json: string): { readonly given: number; readonly feed: JsonFeed.Feed<string> } {
  try {
    const value = JSON.parse(json) as { readonly items?: unknown };
    const given = Array.isArray(value.items) ? value.items.length : 0;
    return { given, feed: parseJsonFeed(value) };
  } catch (error) {
    throw new FeedProblem('It begins as JSON and is no JSON Feed.', { cause: error });
  }
}

/** Entries that have no id of their own share the address of what they are about, such as a page of short notes. */
function withDistinctIds(found: readonly FoundEntry[]): FeedEntry[] {
  const counts = new Map<string, number>();
  for (const [{ guid }] of found) counts.set(guid, (counts.get(guid) ?? 0) + 1);
  return found.map(([entry, isNamed]) =>
    isNamed || counts.get(entry.guid) === 1
      ? entry
      : { ...entry, guid: [entry.guid, entry.headline, entry.publishedAt].join('\n') },
  );
}

/** Parses a feed without its entries. Throws a `FeedProblem` if it is not a feed. */
function parseFrame(xml: string): ParsedFeed | undefined {
  try {
    return parseXml(xml);
  } catch (error) {
    // It is a feed without metadata.
    if (error instanceof ParseError) return undefined;
    const isNone = error instanceof DetectError;
    throw new FeedProblem(isNone ? 'It is no RSS, Atom or JSON feed.' : 'It is not well-formed XML.', {
      cause: error,
    });
  }
}

function parseXml(xml: string): ParsedFeed | undefined {
  const parsed = parseFeed(xml);
  return parsed.format === 'json' ? undefined : parsed;
}

function* batchesOf(entries: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const entry of entries) {
    if (length > 0 && length + entry.length > BATCH_LENGTH) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(entry);
    length += entry.length;
  }
  if (batch.length > 0) yield batch;
}

/** The entries of a small feed; `undefined` where it cannot be parsed. */
function entriesOf(xml: string, url: string): FoundEntry[] | undefined {
  try {
    const parsed = parseXml(xml);
    switch (parsed?.format) {
      case 'rss':
      case 'rdf': {
        const { feed } = parsed;
        const base = absolute(feed.xml?.base, absolute(feed.link, url));
        return (feed.items ?? []).map((item) => ofRssItem(item, base));
      }
      case 'atom': {
        const base = absolute(parsed.feed.xml?.base, url);
        return (parsed.feed.entries ?? []).map((entry) => ofAtomEntry(entry, base));
      }
      default:
        // It is called for what is a feed by its frame.
        return undefined;
    }
  } catch {
    return undefined;
  }
}

function describe(frame: ParsedFeed | undefined): Pick<FeedDocument, 'title' | 'language' | 'ttlMinutes'> {
  if (frame === undefined) return { title: undefined, language: undefined, ttlMinutes: undefined };
  if (frame.format === 'atom') {
    return { title: htmlOf(frame.feed.title), language: frame.feed.xml?.lang, ttlMinutes: undefined };
  }
  const { title, dc } = frame.feed;
  const { language, ttl } = frame.format === 'rss' ? frame.feed : {};
  return { title, language: language ?? dc?.languages?.[0], ttlMinutes: ttl };
}

function ofRssItem(item: RssItem, feedBase: string): FoundEntry {
  const { title = '', description = '', content, dc, dcterms, atom, guid, authors } = item;
  const encoded = content?.encoded ?? '';
  const url = item.link ?? alternateOf(atom?.links) ?? permalinkOf(guid);
  const publishedAt =
    item.pubDate ??
    dc?.dates?.[0] ??
    dcterms?.issued?.[0] ??
    dcterms?.created?.[0] ??
    atom?.published ??
    atom?.updated;
  const id = guid?.value ?? item.rdf?.about;
  const entry = {
    guid: id ?? url ?? `${title}\n${publishedAt}`,
    headline: title,
    summary: encoded === '' ? '' : description,
    content: encoded === '' ? description : encoded,
    author:
      dc?.creators?.[0] ?? authors?.find(({ name }) => name !== undefined)?.name ?? atom?.authors?.[0]?.name,
    url,
    categories: [...(item.categories ?? []).map(({ name }) => name), ...(dc?.subjects ?? [])].filter(isText),
    publishedAt,
    language: item.xml?.lang ?? dc?.languages?.[0],
    baseUrl: absolute(item.xml?.base, absolute(url, feedBase)),
  };
  return [entry, id !== undefined];
}

function ofAtomEntry(entry: AtomFeed.Entry<string>, feedBase: string): FoundEntry {
  const { authors, categories, content, dc, id, links, published, updated, source, summary, title } = entry;
  const url = alternateOf(links);
  const whole = htmlOf(content);
  const publishedAt = published ?? updated ?? dc?.dates?.[0];
  const base = absolute(entry.xml?.base, feedBase);
  const found = {
    guid: id ?? url ?? `${title?.value}\n${publishedAt}`,
    headline: htmlOf(title),
    summary: whole === '' ? '' : htmlOf(summary),
    content: whole === '' ? htmlOf(summary) : whole,
    author: (authors ?? source?.authors)?.[0]?.name ?? dc?.creators?.[0],
    url: url === undefined ? undefined : absolute(url, base),
    categories: (categories ?? []).flatMap(({ term, label }) => [label, term]).filter(isText),
    publishedAt,
    language: entry.xml?.lang,
    baseUrl: absolute(content?.xml?.base, base),
  };
  return [found, id !== undefined];
}

function ofJsonItem(item: JsonFeed.Item<string>, feedBase: string): FoundEntry {
  const { id, title = '', content_html, content_text = '', summary = '', tags = [] } = item;
  const url = item.url ?? item.external_url;
  const publishedAt = item.date_published ?? item.date_modified;
  const whole = content_html ?? escapeHtml(content_text);
  const entry = {
    guid: id ?? url ?? `${title}\n${publishedAt}`,
    headline: escapeHtml(title),
    summary: whole === '' ? '' : escapeHtml(summary),
    content: whole === '' ? escapeHtml(summary) : whole,
    author: item.authors?.[0]?.name,
    url,
    categories: tags.filter(isText),
    publishedAt,
    language: item.language,
    baseUrl: absolute(url, feedBase),
  };
  return [entry, id !== undefined];
}

/** The HTML of an Atom text construct. */
function htmlOf(text: AtomText): string {
  if (text?.value === undefined) return '';
  switch (text.type) {
    case undefined:
    case 'text':
    case 'text/plain':
      return escapeHtml(text.value);
    case 'html':
    case 'xhtml':
    case 'text/html':
    case 'application/xhtml+xml':
      return text.value;
    default:
      // A picture, or whatever else may be the content of an entry.
      return '';
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function alternateOf(links: readonly AtomFeed.Link<string>[] | undefined): string | undefined {
  return links?.find(({ rel }) => rel === undefined || rel === 'alternate')?.href;
}

/** A guid is an address unless marked otherwise; many are no address all the same. */
function permalinkOf(guid: RssFeed.Guid | undefined): string | undefined {
  return guid?.isPermaLink !== false && /^https?:/i.test(guid?.value ?? '') ? guid?.value : undefined;
}

function absolute(address: string | undefined, base: string): string {
  return (address !== undefined && URL.parse(address, base)?.href) || base;
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
