import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { NewsFeedEntity } from './news-feed.entity.js';

const SHOWN = 'removed_at IS NULL';

/** A piece of news: an operator wrote it, or a feed brought it. One that is removed keeps its row, without its text. */
@Entity('news_items')
@Unique('news_items_content', ['contentHash'])
@Index('news_items_published', ['publishedAt', 'newsId'], { where: SHOWN })
@Index('news_items_category', ['category', 'publishedAt', 'newsId'], { where: SHOWN })
@Index('news_items_source', ['source', 'publishedAt', 'newsId'], { where: SHOWN })
@Index('news_items_language', ['language', 'publishedAt', 'newsId'], { where: SHOWN })
@Index('news_items_search', ['search'], { type: 'gin', where: SHOWN })
export class NewsItemEntity {
  @key.identity() readonly newsId: string;
  /** The feed that brought it first; null for what an operator wrote. */
  @column.bigint({ nullable: true }) @ForeignKey(() => NewsFeedEntity) feedId: string | null;
  /** Plain text. */
  @column.text() headline: string;
  /** Plain text; empty where nothing but the headline is known. */
  @column.text() summary: string;
  /** Sanitised HTML; addresses of this service begin with `OWN_ORIGIN`. */
  @column.text() content: string;
  /** The words of summary and content, for the search. */
  @column.text() plainText: string;
  /** The words of headline and text in their English stems, kept by a trigger. */
  @Column({ name: 'search', type: 'tsvector', nullable: true, select: false, insert: false, update: false })
  readonly search?: string | null;
  @column.text({ nullable: true }) author: string | null;
  /** Where the whole text stands, an address as in `content`. */
  @column.text({ nullable: true }) url: string | null;
  /** The publisher: for feeds the name of their host. */
  @column.text() source: string;
  /** A slug. */
  @column.text({ nullable: true }) category: string | null;
  /** The first part of a BCP 47 tag, in lower case. */
  @column.text({ nullable: true }) language: string | null;
  @column.msTime() publishedAt: Date;
  /** For items of feeds: detects the same text when any feed brings it again. */
  @column.text({ nullable: true }) contentHash: string | null;
  /** Whether an operator changed what a feed brought: the feed leaves it alone from then on. */
  @column.boolean() isEdited: boolean;
  @column.msTime() createdAt: Date;
  @column.msTime() updatedAt: Date;
  @column.msTime({ nullable: true }) removedAt: Date | null;
}

/** A market that a piece of news is about. */
@Entity('news_item_symbols')
@Index('news_item_symbols_symbol', ['symbol', 'publishedAt', 'newsId'])
export class NewsItemSymbolEntity {
  @key.bigint() @ForeignKey(() => NewsItemEntity) newsId: string;
  /** The id of the market. */
  @key.text() symbol: string;
  /** That of the item. */
  @column.msTime() publishedAt: Date;
}
