import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { NewsItemEntity } from '../items/news-item.entity.js';
import { NewsFeedEntity } from '../items/news-feed.entity.js';

/** A feed's last content under one of its guids, and the resulting item. */
@Entity('news_feed_entries')
export class NewsFeedEntryEntity {
  @PrimaryColumn({ name: 'feed_id', type: 'bigint', primaryKeyConstraintName: 'news_feed_entries_pkey' })
  feedId: string;

  @ManyToOne(() => NewsFeedEntity)
  @JoinColumn({ name: 'feed_id', foreignKeyConstraintName: 'news_feed_entries_feed_id_fkey' })
  readonly feed?: NewsFeedEntity;

  /** SHA-256 of the guid, which may be of any length. */
  @PrimaryColumn({ name: 'guid_hash', type: 'text', primaryKeyConstraintName: 'news_feed_entries_pkey' })
  guidHash: string;

  /** Several entries may be one item: other feeds have it, too. */
  @Column({ name: 'news_id', type: 'bigint' })
  newsId: string;

  @ManyToOne(() => NewsItemEntity)
  @JoinColumn({ name: 'news_id', foreignKeyConstraintName: 'news_feed_entries_news_id_fkey' })
  readonly item?: NewsItemEntity;

  /** SHA-256 of the whole entry. */
  @Column({ name: 'entry_hash', type: 'text' })
  entryHash: string;
}
