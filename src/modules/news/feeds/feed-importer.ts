import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { slugOf } from '../../../platform/content/slug.js';
import { languageOf } from '../items/language.js';
import { MarketSymbols } from '../items/market-symbols.js';
import { NewsItemEntity } from '../items/news-item.entity.js';
import { contentHashOf, textOfHtml } from '../items/news-text.js';
import { NewsWriter, type NewsItemContent } from '../items/news-writer.js';
import { parseFeedDate } from './feed-dates.js';
import type { FeedDocument, FeedEntry } from './feed-document.js';
import { NewsFeedEntryEntity } from './news-feed-entry.entity.js';
import type { NewsFeedEntity } from './news-feed.entity.js';

const URL_LENGTH_MAX = 2_048;
const AUTHOR_LENGTH_MAX = 100;
const SYMBOLS_MAX = 20;

/** An entry under the hashes by which it is known again. */
interface HashedEntry {
  readonly guidHash: string;
  readonly entryHash: string;
  readonly entry: FeedEntry;
}

/** What an entry becomes, but for the time, which it may not say. */
type EntryContent = Omit<NewsItemContent, 'publishedAt' | 'contentHash'> & {
  readonly publishedAt: Date | undefined;
  readonly contentHash: string;
};

/** An entry that is new or has changed, made safe. */
interface PreparedEntry extends HashedEntry {
  /** Undefined where the feed never had it before. */
  readonly newsId: string | undefined;
  readonly content: EntryContent;
}

/** Entries that are stored in one transaction. */
const BATCH_SIZE = 25;

/** "news" in ASCII: the key of the advisory lock under which feeds take turns to store their entries. */
const LOCK_KEY = 0x6e65_7773;

/**
 * Makes news of what a feed says. An entry that is known and has not changed costs next to nothing, so an
 * import that was cut short is simply begun again.
 */
@Injectable()
export class FeedImporter {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly symbols: MarketSymbols,
    private readonly writer: NewsWriter,
  ) {}

  /** Stores what is new and what has changed. */
  async import(feed: NewsFeedEntity, document: FeedDocument): Promise<void> {
    const hashed = hashedEntries(document.entries);
    const known = await this.knownEntries(feed, hashed);
    const changed = hashed.filter(({ guidHash, entryHash }) => known.get(guidHash)?.entryHash !== entryHash);
    // The newest come first in a feed, and last here: so of two of one time the newer one has the higher id.
    changed.reverse();
    for (let i = 0; i < changed.length; i += BATCH_SIZE) {
      const batch: PreparedEntry[] = [];
      for (const entry of changed.slice(i, i + BATCH_SIZE)) {
        const content = this.contentOf(entry.entry, feed, document);
        const newsId = known.get(entry.guidHash)?.newsId;
        if (content.headline !== '') batch.push({ ...entry, newsId, content });
        // A moment for everything else: sanitising takes a while.
        await setImmediate();
      }
      await this.dataSource.transaction((manager) => this.store(manager, feed, batch));
    }
  }

  private async store(
    manager: EntityManager,
    feed: NewsFeedEntity,
    batch: readonly PreparedEntry[],
  ): Promise<void> {
    // Two feeds that bring the same stories in different orders would wait for each other.
    await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const stored: NewsFeedEntryEntity[] = [];
    for (const { guidHash, entryHash, newsId: knownId, content } of batch) {
      const newsId =
        knownId === undefined
          ? await this.insert(manager, feed, content)
          : await this.update(manager, feed, knownId, content);
      stored.push({ feedId: feed.feedId, guidHash, newsId, entryHash });
    }
    if (stored.length > 0) await manager.upsert(NewsFeedEntryEntity, stored, ['feedId', 'guidHash']);
  }

  private async knownEntries(
    { feedId }: NewsFeedEntity,
    hashed: readonly HashedEntry[],
  ): Promise<ReadonlyMap<string, NewsFeedEntryEntity>> {
    const known = await this.dataSource.manager.findBy(NewsFeedEntryEntity, {
      feedId,
      guidHash: In(hashed.map(({ guidHash }) => guidHash)),
    });
    return new Map(known.map((entry) => [entry.guidHash, entry]));
  }

  /** The id of the new item, or of the one that says the same already. */
  private async insert(
    manager: EntityManager,
    { feedId }: NewsFeedEntity,
    content: EntryContent,
  ): Promise<string> {
    const now = new Date();
    const row = await this.writer.insert(
      manager,
      feedId,
      { ...content, publishedAt: content.publishedAt ?? now },
      now,
    );
    if (row !== undefined) return row.news_id;
    const { contentHash } = content;
    return (await manager.findOneByOrFail(NewsItemEntity, { contentHash })).newsId;
  }

  /** What another feed brought first, an operator changed, or nobody may see any more, stays as it is. */
  private async update(
    manager: EntityManager,
    { feedId }: NewsFeedEntity,
    newsId: string,
    content: EntryContent,
  ): Promise<string> {
    const item = await manager.findOneOrFail(NewsItemEntity, {
      where: { newsId },
      lock: { mode: 'pessimistic_write' },
    });
    if (item.feedId !== feedId || item.isEdited || item.removedAt !== null) return newsId;
    const next = { ...content, publishedAt: content.publishedAt ?? item.publishedAt };
    if (isSame(item, next)) return newsId;
    const isTaken = await manager.existsBy(NewsItemEntity, { contentHash: content.contentHash });
    await this.writer.update(
      manager,
      newsId,
      { ...next, contentHash: isTaken ? item.contentHash : content.contentHash },
      { isEdited: false, updatedAt: new Date() },
    );
    return newsId;
  }

  private contentOf(entry: FeedEntry, feed: NewsFeedEntity, document: FeedDocument): EntryContent {
    const text = textOfHtml(entry, (address, schemes) => addressIn(address, entry.baseUrl, schemes));
    const url = entry.url === undefined ? undefined : addressIn(entry.url, entry.baseUrl, WEB_SCHEMES);
    const shownUrl = url !== undefined && url.length <= URL_LENGTH_MAX ? url : null;
    const author = textOfHtml({ ...NO_TEXT, headline: entry.author ?? '' }, () => undefined).headline;
    return {
      ...text,
      author: author.slice(0, AUTHOR_LENGTH_MAX) || null,
      url: shownUrl,
      source: sourceOf(feed.url),
      category: categoryOf(entry.categories),
      language: languageOf(entry.language ?? document.language ?? '') ?? null,
      publishedAt: entry.publishedAt === undefined ? undefined : parseFeedDate(entry.publishedAt, new Date()),
      symbols: this.symbols.namedBy(entry.categories, text.headline).slice(0, SYMBOLS_MAX),
      contentHash: contentHashOf(text, shownUrl),
    };
  }
}

const WEB_SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:']);
const NO_TEXT = { headline: '', summary: '', content: '' };

/** Who publishes a feed: its host, without what only says that feeds are there. */
export function sourceOf(feedUrl: string): string {
  return new URL(feedUrl).hostname.replace(/^(?:www|feeds?|rss)\.(?=.*\.)/, '');
}

/** Each guid once, as it comes first. */
function hashedEntries(entries: readonly FeedEntry[]): HashedEntry[] {
  const byGuid = new Map<string, HashedEntry>();
  for (const entry of entries) {
    const guidHash = hash('sha256', entry.guid, 'base64url');
    const entryHash = hash('sha256', JSON.stringify(entry), 'base64url');
    if (!byGuid.has(guidHash)) byGuid.set(guidHash, { guidHash, entryHash, entry });
  }
  return [...byGuid.values()];
}

function addressIn(address: string, baseUrl: string, schemes: ReadonlySet<string>): string | undefined {
  const url = URL.parse(address.trim(), baseUrl);
  return url !== null && schemes.has(url.protocol) ? url.href : undefined;
}

/** The first one that has a name; some are only the addresses of a scheme. */
function categoryOf(categories: readonly string[]): string | null {
  const slugs = categories.filter((name) => !/^\w+:\/\//.test(name)).map(slugOf);
  return slugs.find((slug) => slug !== '') ?? null;
}

const COMPARED = ['headline', 'summary', 'content', 'author', 'url', 'category', 'language'] as const;

function isSame(item: NewsItemEntity, next: NewsItemContent): boolean {
  return (
    COMPARED.every((column) => item[column] === next[column]) &&
    item.publishedAt.getTime() === next.publishedAt.getTime()
  );
}
