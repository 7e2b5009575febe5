import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, In, type QueryDeepPartialEntity } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import type { WebhookEventType } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { NEWS_PUBLISHED, NEWS_REMOVED, NEWS_UPDATED } from './news-events.js';
import { NewsItemEntity, NewsItemSymbolEntity } from './news-item.entity.js';
import { toNewsHeadlineDto, type NewsHeadlineDto } from './news-item.dto.js';
import { NEWS_ITEM_COLUMNS, type NewsItemRow } from './news-item-row.js';
import type { NewsText } from './news-text.js';

/** All that is stored of a piece of news but its times. */
export interface NewsItemContent extends NewsText {
  readonly author: string | null;
  /** As `storedUrl` writes it. */
  readonly url: string | null;
  readonly source: string;
  /** A slug. */
  readonly category: string | null;
  readonly language: string | null;
  readonly publishedAt: Date;
  /** Ids of markets. */
  readonly symbols: readonly string[];
  readonly contentHash: string | null;
}

/** Writes news, and tells of it, in the caller's transaction. */
@Injectable()
export class NewsWriter {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly webhooks: Webhooks,
  ) {}

  /** The new item; `undefined` where one of the same `contentHash` is there, or once was. */
  async insert(
    manager: EntityManager,
    feedId: string | null,
    content: NewsItemContent,
    now: Date,
  ): Promise<NewsItemRow | undefined> {
    const result = await manager
      .createQueryBuilder()
      .insert()
      .into(NewsItemEntity)
      .values({ ...columnsOf(content), feedId, isEdited: false, createdAt: now, updatedAt: now })
      .orIgnore()
      .returning('news_id')
      .execute();
    const [inserted] = result.raw as { news_id: string }[];
    if (inserted === undefined) return undefined;
    await this.writeSymbols(manager, inserted.news_id, content);
    const row = rowOf(inserted.news_id, content, now);
    await this.announce(manager, NEWS_PUBLISHED, row);
    return row;
  }

  /** Replaces the content of an item. */
  async update(
    manager: EntityManager,
    newsId: string,
    content: NewsItemContent,
    changed: Pick<NewsItemEntity, 'isEdited' | 'updatedAt'>,
  ): Promise<NewsItemRow> {
    await manager.update(NewsItemEntity, { newsId }, { ...columnsOf(content), ...changed });
    await manager.delete(NewsItemSymbolEntity, { newsId });
    await this.writeSymbols(manager, newsId, content);
    const row = rowOf(newsId, content, changed.updatedAt);
    await this.announce(manager, NEWS_UPDATED, row);
    return row;
  }

  /** Deletes an item with its content; feeds cannot bring it back. */
  async remove(manager: EntityManager, newsId: string, now: Date): Promise<void> {
    const [row] = await manager.query<[NewsItemRow]>(
      `SELECT ${NEWS_ITEM_COLUMNS} FROM news_items item WHERE item.news_id = $1`,
      [newsId],
    );
    await this.announce(manager, NEWS_REMOVED, row);
    await manager.delete(NewsItemSymbolEntity, { newsId });
    await manager.update(NewsItemEntity, { newsId }, { ...NOTHING_SAID, updatedAt: now, removedAt: now });
  }

  /**
   * Takes the text of items that were published before a time, and tells nobody: who was told of them has known them
   * for long. Feeds cannot bring them back. Returns how many there were, at most `limit`.
   */
  async removeOlder(manager: EntityManager, before: Date, limit: number): Promise<number> {
    const rows = await manager.query<{ readonly news_id: string }[]>(
      `SELECT news_id FROM news_items WHERE removed_at IS NULL AND published_at < $1
       ORDER BY published_at, news_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [before, limit],
    );
    if (rows.length === 0) return 0;
    const newsId = In(rows.map((row) => row.news_id));
    const now = new Date();
    await manager.delete(NewsItemSymbolEntity, { newsId });
    await manager.update(NewsItemEntity, { newsId }, { ...NOTHING_SAID, updatedAt: now, removedAt: now });
    return rows.length;
  }

  private async writeSymbols(
    manager: EntityManager,
    newsId: string,
    { symbols, publishedAt }: NewsItemContent,
  ): Promise<void> {
    if (symbols.length === 0) return;
    await manager.insert(
      NewsItemSymbolEntity,
      symbols.map((symbol) => ({ newsId, symbol, publishedAt })),
    );
  }

  private announce(
    manager: EntityManager,
    type: WebhookEventType<NewsHeadlineDto>,
    row: NewsItemRow,
  ): Promise<void> {
    const data = toNewsHeadlineDto(row, this.config.publicUrl);
    return this.webhooks.publish(manager, { type, data, audience: 'everyone' });
  }
}

/** The empty content of a deleted item, which keeps its ids, its times and its hash. */
const NOTHING_SAID = { headline: '', summary: '', content: '', plainText: '', author: null, url: null };

function columnsOf({
  symbols: _symbols,
  ...columns
}: NewsItemContent): QueryDeepPartialEntity<NewsItemEntity> {
  return columns;
}

/** An item as it would be read now. */
function rowOf(newsId: string, item: NewsItemContent, updatedAt: Date): NewsItemRow {
  const { headline, summary, content, author, url, source, category, symbols, language, publishedAt } = item;
  return {
    news_id: newsId,
    ...{ headline, summary, content, author, url, source, category, language },
    symbols: [...symbols].sort(),
    published_at: publishedAt,
    updated_at: updatedAt,
  };
}
