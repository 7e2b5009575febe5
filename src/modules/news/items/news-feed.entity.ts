import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A feed that `NEWS_FEEDS` names, or once named, and how the last poll of it went. */
@Entity('news_feeds')
@Unique('news_feeds_url', ['url'])
export class NewsFeedEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'feed_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'news_feeds_pkey',
  })
  readonly feedId: string;

  /** As the operator named it. */
  @Column({ name: 'url', type: 'text' })
  readonly url: string;

  /** Where it is by now: permanent redirects are remembered. */
  @Column({ name: 'current_url', type: 'text' })
  currentUrl: string;

  /** Whether `NEWS_FEEDS` names it; others are not polled. */
  @Column({ name: 'is_named', type: 'boolean' })
  isNamed: boolean;

  /** Whether its host answered 410 (gone): it is polled only if an operator requests it. */
  @Column({ name: 'is_gone', type: 'boolean' })
  isGone: boolean;

  /** As it calls itself. */
  @Column({ name: 'title', type: 'text', nullable: true })
  title: string | null;

  /** Of the last whole answer, to be sent with the next request. */
  @Column({ name: 'etag', type: 'text', nullable: true })
  etag: string | null;

  /** As `etag`. */
  @Column({ name: 'last_modified', type: 'text', nullable: true })
  lastModified: string | null;

  /** Of the last poll; null where there was no answer. */
  @Column({ name: 'http_status', type: 'smallint', nullable: true })
  httpStatus: number | null;

  /** The error of the last poll. */
  @Column({ name: 'problem', type: 'text', nullable: true })
  problem: string | null;

  /** Polls in a row that failed. */
  @Column({ name: 'failures', type: 'integer' })
  failures: number;

  @Column({ name: 'polled_at', type: 'timestamptz', precision: 3, nullable: true })
  polledAt: Date | null;

  @Column({ name: 'succeeded_at', type: 'timestamptz', precision: 3, nullable: true })
  succeededAt: Date | null;

  @Column({ name: 'next_poll_at', type: 'timestamptz', precision: 3 })
  nextPollAt: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  readonly createdAt: Date;
}
