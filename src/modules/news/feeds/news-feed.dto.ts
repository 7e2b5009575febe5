import { ApiProperty } from '@nestjs/swagger';
import type { NewsFeedEntity } from '../items/news-feed.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { NEWS_FEED_IDS } from '../ids.js';

export const FEED_STATUSES = ['waiting', 'ok', 'failing', 'gone'] as const;

/**
 * `waiting` for the first poll; `failing` since the last poll; `gone` for good, as its host said: not polled
 * any more, unless an operator asks.
 */
export type FeedStatus = (typeof FEED_STATUSES)[number];

/** A feed that `NEWS_FEEDS` names, and how it is doing. */
export class NewsFeedDto {
  /** @example "nfd_00000000001" */
  feed_id: string;

  /**
   * As `NEWS_FEEDS` names it.
   * @example "https://example.com/rss.xml"
   */
  url: string;

  /**
   * Where it is by now: permanent redirects are remembered.
   * @example "https://example.com/feed.xml"
   */
  current_url: string;

  /** As it calls itself. */
  title: string | null;

  @ApiProperty({ enum: FEED_STATUSES })
  status: FeedStatus;

  /** Of the answer to the last poll; null where there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 200 })
  http_status: number | null;

  /**
   * What was wrong with the last poll; of a feed that is `ok`, what could not be read of it.
   * @example "It answered with status 404."
   */
  problem: string | null;

  /** Polls in a row that failed. */
  @ApiProperty({ type: 'integer', example: 0 })
  failures: number;

  /** RFC 3339 UTC. */
  polled_at: string | null;

  /** When a poll last succeeded. RFC 3339 UTC. */
  succeeded_at: string | null;

  /** RFC 3339 UTC; null for one that is gone. */
  next_poll_at: string | null;
}

export function toNewsFeedDto(feed: NewsFeedEntity): NewsFeedDto {
  return {
    feed_id: NEWS_FEED_IDS.format(Number(feed.feedId)),
    ...fieldsOf(feed, 'url', 'currentUrl', 'title'),
    status: statusOf(feed),
    ...fieldsOf(feed, 'httpStatus', 'problem', 'failures', 'polledAt', 'succeededAt'),
    next_poll_at: feed.isGone ? null : feed.nextPollAt.toISOString(),
  };
}

function statusOf({ isGone, failures, polledAt }: NewsFeedEntity): FeedStatus {
  if (isGone) return 'gone';
  if (failures > 0) return 'failing';
  return polledAt === null ? 'waiting' : 'ok';
}
