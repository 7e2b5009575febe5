import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
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
  @PrimaryGeneratedColumn('identity', {
    name: 'news_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'news_items_pkey',
  })
  readonly newsId: string;

  /** The feed that brought it first; null for what an operator wrote. */
  @Column({ name: 'feed_id', type: 'bigint', nullable: true })
  feedId: string | null;

  @ManyToOne(() => NewsFeedEntity)
  @JoinColumn({ name: 'feed_id', foreignKeyConstraintName: 'news_items_feed_id_fkey' })
  readonly feed?: NewsFeedEntity | null;

  /** Plain text. */
  @Column({ name: 'headline', type: 'text' })
  headline: string;

  /** Plain text; empty where nothing but the headline is known. */
  @Column({ name: 'summary', type: 'text' })
  summary: string;

  /** Sanitised HTML; addresses of this service begin with `OWN_ORIGIN`. */
  @Column({ name: 'content', type: 'text' })
  content: string;

  /** The words of summary and content, for the search. */
  @Column({ name: 'plain_text', type: 'text' })
  plainText: string;

  /** The words of headline and text in their English stems, kept by a trigger. */
  @Column({ name: 'search', type: 'tsvector', nullable: true, select: false, insert: false, update: false })
  readonly search?: string | null;

  @Column({ name: 'author', type: 'text', nullable: true })
  author: string | null;

  /** Where the whole text stands, an address as in `content`. */
  @Column({ name: 'url', type: 'text', nullable: true })
  url: string | null;

  /** The publisher: for feeds the name of their host. */
  @Column({ name: 'source', type: 'text' })
  source: string;

  /** A slug. */
  @Column({ name: 'category', type: 'text', nullable: true })
  category: string | null;

  /** The first part of a BCP 47 tag, in lower case. */
  @Column({ name: 'language', type: 'text', nullable: true })
  language: string | null;

  @Column({ name: 'published_at', type: 'timestamptz', precision: 3 })
  publishedAt: Date;

  /** For items of feeds: detects the same text when any feed brings it again. */
  @Column({ name: 'content_hash', type: 'text', nullable: true })
  contentHash: string | null;

  /** Whether an operator changed what a feed brought: the feed leaves it alone from then on. */
  @Column({ name: 'is_edited', type: 'boolean' })
  isEdited: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt: Date;

  @Column({ name: 'removed_at', type: 'timestamptz', precision: 3, nullable: true })
  removedAt: Date | null;
}

/** A market that a piece of news is about. */
@Entity('news_item_symbols')
@Index('news_item_symbols_symbol', ['symbol', 'publishedAt', 'newsId'])
export class NewsItemSymbolEntity {
  @PrimaryColumn({ name: 'news_id', type: 'bigint', primaryKeyConstraintName: 'news_item_symbols_pkey' })
  newsId: string;

  @ManyToOne(() => NewsItemEntity)
  @JoinColumn({ name: 'news_id', foreignKeyConstraintName: 'news_item_symbols_news_id_fkey' })
  readonly item?: NewsItemEntity;

  /** The id of the market. */
  @PrimaryColumn({ name: 'symbol', type: 'text', primaryKeyConstraintName: 'news_item_symbols_pkey' })
  symbol: string;

  /** That of the item. */
  @Column({ name: 'published_at', type: 'timestamptz', precision: 3 })
  publishedAt: Date;
}
