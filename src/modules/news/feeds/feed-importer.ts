import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { Filters } from '../../../kit/filters/filters.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { MarketSymbols } from '../items/market-symbols.js';
import { NewsItemEntity, NewsItemSymbolEntity } from '../items/news-item.entity.js';
import { NewsWriter, type NewsItemContent } from '../items/news-writer.js';
import { parseFeedDate } from './feed-dates.js';
import {
  changedContentOf,
  feedEntryContentOf,
  sourceOf,
  type FeedEntryContent,
  type EntrySurroundings,
} from './entry-content.js';
import type { FeedDocument, FeedEntry } from './feed-document.js';
import { FeedProblem } from './feed-problem.js';
import { ENTRIES_MAX } from './feed-split.js';
import { NewsFeedEntryEntity } from './news-feed-entry.entity.js';
import type { NewsFeedEntity } from '../items/news-feed.entity.js';

/** An entry under the hashes by which it is known again. */
interface HashedEntry {
  readonly guidHash: string;
  readonly entryHash: string;
  readonly entry: FeedEntry;
}

interface ChangedEntry extends HashedEntry {
  /** Undefined where the feed never had it before. */
  readonly newsId: string | undefined;
}

/** One that was made safe. */
interface PreparedEntry extends ChangedEntry {
  readonly content: FeedEntryContent;
}

/** Entries that are stored in one transaction. */
const BATCH_SIZE = 25;

/** "news" in ASCII: the key of the advisory lock under which feeds take turns to store their entries. */
const LOCK_KEY = 0x6e65_7773;

/**
 * Makes news of a feed's entries. A known, unchanged entry costs next to nothing, so an interrupted import simply
 * starts again.
 */
@Injectable()
export class FeedImporter {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly symbols: MarketSymbols,
    private readonly writer: NewsWriter,
    private readonly filters: Filters,
  ) {}

  /**
   * Stores new and changed entries; answers what was left out of the feed, in words. Rejects between two batches once the
   * signal aborts, and where a filter does not work: the entries that are left are tried again with the next poll.
   */
  async import(feed: NewsFeedEntity, document: FeedDocument, signal: AbortSignal): Promise<string[]> {
    const markets = await this.symbols.known(this.dataSource.manager);
    const surroundings = { source: sourceOf(feed.url), document, markets };
    const { hashed, repeated } = hashedEntries(document.entries);
    const changed = await this.changedEntries(feed, hashed);
    // The newest come first in a feed, and last here: so of two of one time the newer one has the higher id.
    changed.reverse();
    let empty = 0;
    let refused = 0;
    for (let i = 0; i < changed.length; i += BATCH_SIZE) {
      signal.throwIfAborted();
      const taken = changed.slice(i, i + BATCH_SIZE);
      const readable = await prepared(taken, surroundings);
      empty += taken.length - readable.length;
      const batch = await this.accepted(feed, readable);
      refused += readable.length - batch.length;
      if (batch.length > 0) await this.dataSource.transaction((manager) => this.store(manager, feed, batch));
    }
    return remarksOn(document, { repeated, empty, refused });
  }

  /** Those that no filter refuses, as filters leave them. Throws a `FeedProblem` where a filter does not work. */
  private async accepted(
    { url: feed }: NewsFeedEntity,
    entries: readonly PreparedEntry[],
  ): Promise<PreparedEntry[]> {
    const accepted: PreparedEntry[] = [];
    for (const entry of entries) {
      const { headline, summary, content: html, source, author, category } = entry.content;
      const text = {
        ...{ headline, summary, content: html, source },
        author: author ?? undefined,
        category: category ?? undefined,
      };
      try {
        const changes = await this.filters.changes('news', text, { feed });
        const content =
          changes === undefined
            ? entry.content
            : changedContentOf(entry.content, changes, entry.entry.baseUrl);
        if (content.headline !== '') accepted.push({ ...entry, content });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (ApiError.is(error, TEMPORARILY_UNAVAILABLE))
          throw new FeedProblem(error.message, { cause: error });
      }
    }
    return accepted;
  }

  private async store(
    manager: EntityManager,
    feed: NewsFeedEntity,
    batch: readonly PreparedEntry[],
  ): Promise<void> {
    // Two feeds that bring the same stories in different orders would wait for each other.
    await lockUntilCommit(manager, LOCK_KEY);
    const stored: NewsFeedEntryEntity[] = [];
    for (const { guidHash, entryHash, newsId: knownId, content } of batch) {
      const newsId =
        knownId === undefined
          ? await this.insert(manager, feed, content)
          : await this.update(manager, feed, knownId, content);
      stored.push({ feedId: feed.feedId, guidHash, newsId, entryHash });
    }
    await manager.upsert(NewsFeedEntryEntity, stored, ['feedId', 'guidHash']);
  }

  /** Those that the feed did not have before, or not so. */
  private async changedEntries(
    { feedId }: NewsFeedEntity,
    hashed: readonly HashedEntry[],
  ): Promise<ChangedEntry[]> {
    const guidHashes = hashed.map(({ guidHash }) => guidHash);
    const rows = await this.dataSource.manager.findBy(NewsFeedEntryEntity, {
      feedId,
      guidHash: In(guidHashes),
    });
    const known = new Map(rows.map((row) => [row.guidHash, row]));
    return hashed
      .map((entry) => ({ ...entry, newsId: known.get(entry.guidHash)?.newsId }))
      .filter(({ guidHash, entryHash }) => known.get(guidHash)?.entryHash !== entryHash);
  }

  /** The id of the new item, or of an existing one with the same content. */
  private async insert(
    manager: EntityManager,
    { feedId }: NewsFeedEntity,
    content: FeedEntryContent,
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

  /** An item stays unchanged if another feed brought it first, an operator changed it, or it is hidden. */
  private async update(
    manager: EntityManager,
    { feedId }: NewsFeedEntity,
    newsId: string,
    content: FeedEntryContent,
  ): Promise<string> {
    const item = await manager.findOneOrFail(NewsItemEntity, {
      where: { newsId },
      lock: { mode: 'pessimistic_write' },
    });
    if (item.feedId !== feedId || item.isEdited || item.removedAt !== null) return newsId;
    const next = { ...content, publishedAt: content.publishedAt ?? item.publishedAt };
    const updatedAt = new Date();
    if (await says(manager, item, next)) {
      // Some feeds have other addresses in them at every poll: that is stored, and no news.
      const { content: html, url } = next;
      if (html === item.content && url === item.url) return newsId;
      await manager.update(NewsItemEntity, { newsId }, { content: html, url, updatedAt });
      return newsId;
    }
    const isTaken = await manager.existsBy(NewsItemEntity, { contentHash: content.contentHash });
    await this.writer.update(
      manager,
      newsId,
      { ...next, contentHash: isTaken ? item.contentHash : content.contentHash },
      { isEdited: false, updatedAt },
    );
    return newsId;
  }
}

/** Each guid once, as it comes first; and how many others, that are not the same, have the guid of one before them. */
function hashedEntries(entries: readonly FeedEntry[]): { hashed: HashedEntry[]; repeated: number } {
  const byGuid = new Map<string, HashedEntry>();
  let repeated = 0;
  for (const entry of entries) {
    const guidHash = hash('sha256', entry.guid, 'base64url');
    const entryHash = hash('sha256', JSON.stringify(entry), 'base64url');
    const first = byGuid.get(guidHash);
    if (first === undefined) byGuid.set(guidHash, { guidHash, entryHash, entry });
    else if (first.entryHash !== entryHash) repeated++;
  }
  return { hashed: [...byGuid.values()], repeated };
}

const EXAMPLE_LENGTH_MAX = 60;

/** What a feed says that was not taken up. */
function remarksOn(
  { entries, broken, beyond }: FeedDocument,
  {
    repeated,
    empty,
    refused,
  }: { readonly repeated: number; readonly empty: number; readonly refused: number },
): string[] {
  const now = new Date();
  const untimed = entries.filter(
    ({ publishedAt }) => publishedAt !== undefined && parseFeedDate(publishedAt, now) === undefined,
  );
  const example = untimed[0]?.publishedAt?.slice(0, EXAMPLE_LENGTH_MAX);
  const remarks: [count: number, remark: string][] = [
    [broken, 'Entries that cannot be read'],
    [beyond, `Entries after the first ${ENTRIES_MAX}, which are not read`],
    [empty, 'Entries without any text'],
    [refused, 'Entries that a filter has refused'],
    [repeated, 'Entries with the id of another one, of which the first counts'],
    [
      untimed.length,
      `Entries from when they came here, since their time is not understood or lies ahead ("${example}")`,
    ],
  ];
  return remarks.filter(([count]) => count > 0).map(([count, remark]) => `${remark}: ${count}.`);
}

async function prepared(
  changed: readonly ChangedEntry[],
  surroundings: EntrySurroundings,
): Promise<PreparedEntry[]> {
  const entries: PreparedEntry[] = [];
  for (const entry of changed) {
    const content = feedEntryContentOf(entry.entry, surroundings, new Date());
    if (content.headline !== '') entries.push({ ...entry, content });
    // A moment for everything else: sanitising takes a while.
    await setImmediate();
  }
  return entries;
}

const COMPARED = ['headline', 'summary', 'plainText', 'author', 'category', 'language'] as const;

/** Whether the item already has the new content. */
async function says(manager: EntityManager, item: NewsItemEntity, next: NewsItemContent): Promise<boolean> {
  if (COMPARED.some((column) => item[column] !== next[column])) return false;
  if (item.publishedAt.getTime() !== next.publishedAt.getTime()) return false;
  const links = await manager.findBy(NewsItemSymbolEntity, { newsId: item.newsId });
  const symbols = links.map(({ symbol }) => symbol).sort();
  return JSON.stringify(symbols) === JSON.stringify(next.symbols);
}
