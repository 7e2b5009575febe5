import { Entity, Unique } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';

/** A feed that `NEWS_FEEDS` names, or once named, and how the last poll of it went. */
@Entity('news_feeds')
@Unique('news_feeds_url', ['url'])
export class NewsFeedEntity {
  @key.identity() readonly feedId: string;
  /** As the operator named it. */
  @column.text() readonly url: string;
  /** Where it is by now: permanent redirects are remembered. */
  @column.text() currentUrl: string;
  /** Whether `NEWS_FEEDS` names it; others are not polled. */
  @column.boolean() isNamed: boolean;
  /** Whether its host answered 410 (gone): it is polled only if an operator requests it. */
  @column.boolean() isGone: boolean;
  /** As it calls itself. */
  @column.text({ nullable: true }) title: string | null;
  /** Of the last whole answer, to be sent with the next request. */
  @column.text({ nullable: true }) etag: string | null;
  /** As `etag`. */
  @column.text({ nullable: true }) lastModified: string | null;
  /** Of the last poll; null where there was no answer. */
  @column.smallint({ nullable: true }) httpStatus: number | null;
  /** The error of the last poll. */
  @column.text({ nullable: true }) problem: string | null;
  /** Polls in a row that failed. */
  @column.integer() failures: number;
  @column.msTime({ nullable: true }) polledAt: Date | null;
  @column.msTime({ nullable: true }) succeededAt: Date | null;
  @column.msTime() nextPollAt: Date;
  @column.msTime() readonly createdAt: Date;
}
