import { Entity, ForeignKey } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { NewsItemEntity } from '../items/news-item.entity.js';
import { NewsFeedEntity } from '../items/news-feed.entity.js';

/** A feed's last content under one of its guids, and the resulting item. */
@Entity('news_feed_entries')
export class NewsFeedEntryEntity {
  @key.bigint() @ForeignKey(() => NewsFeedEntity) feedId: string;
  /** SHA-256 of the guid, which may be of any length. */
  @key.text() guidHash: string;
  /** Several entries may be one item: other feeds have it, too. */
  @column.bigint() @ForeignKey(() => NewsItemEntity) newsId: string;
  /** SHA-256 of the whole entry. */
  @column.text() entryHash: string;
}
