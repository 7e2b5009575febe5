import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThan, type EntityManager } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { Settings } from '../../../kit/config/settings.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { JobTask, type JobRun } from '../../../kit/jobs/job-task.js';
import { Jobs } from '../../../kit/jobs/jobs.js';
import { FeedPoller } from './feed-poller.js';
import { toNewsFeedDto, type NewsFeedDto } from './news-feed.dto.js';
import { NewsFeedEntity } from '../items/news-feed.entity.js';
import { NEWS_FEED_IDS } from '../ids.js';
import { NEWS_FEEDS } from '../news-settings.js';

export const POLL_FEED = new JobTask<{ readonly feed_id: string }>('news.poll_feed');

/** Feeds share these queues: however many hosts are unresponsive, other jobs go on. */
const QUEUES = 2;

/** The feeds that `NEWS_FEEDS` names: each has one job, its next poll. */
@Injectable()
export class NewsFeedsService implements OnApplicationBootstrap {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly settings: Settings,
    private readonly jobs: Jobs,
    private readonly poller: FeedPoller,
    private readonly audit: AuditLog,
  ) {}

  /** Syncs the feeds with the settings; removed feeds are no longer polled, and their news stays. */
  async onApplicationBootstrap(): Promise<void> {
    const newsFeeds = this.settings.get(NEWS_FEEDS) ?? [];
    await this.dataSource.transaction(async (manager) => {
      await manager.query(
        'UPDATE news_feeds SET is_named = url = ANY ($1) WHERE is_named <> (url = ANY ($1))',
        [newsFeeds],
      );
      await manager.query(
        `INSERT INTO news_feeds (url, current_url, is_named, is_gone, failures, next_poll_at, created_at)
         SELECT url, url, true, false, 0, now(), now()
         FROM unnest($1::text[]) WITH ORDINALITY named (url, place) ORDER BY place
         ON CONFLICT (url) DO NOTHING`,
        [newsFeeds],
      );
      for (const feed of await manager.findBy(NewsFeedEntity, { isNamed: true, isGone: false })) {
        await this.schedule(manager, feed.feedId, feed.nextPollAt);
      }
    });
  }

  /** Those that are named now, in the order in which they were named first. Throws `invalid_cursor` (400). */
  async list({ limit, cursor }: PageQueryDto): Promise<Page<NewsFeedDto>> {
    const [after] = decodeCursor(cursor, ['integer']) ?? [0];
    const feeds = await this.dataSource.manager.find(NewsFeedEntity, {
      where: { isNamed: true, feedId: MoreThan(String(after)) },
      order: { feedId: 'ASC' },
      take: limit + 1,
    });
    return pageOf(feeds, limit, ({ feedId }) => [Number(feedId)], toNewsFeedDto);
  }

  /** Has a feed polled as soon as possible, also one that is gone. Throws `not_found` (404). */
  async pollSoon(feedId: string): Promise<NewsFeedDto> {
    const id = NEWS_FEED_IDS.parse(feedId)?.toString();
    return this.dataSource.transaction(async (manager) => {
      const feed =
        id === undefined ? null : await manager.findOneBy(NewsFeedEntity, { feedId: id, isNamed: true });
      if (feed === null) throw new ApiError(NOT_FOUND, 'There is no such feed among those that are named.');
      const next = { isGone: false, nextPollAt: new Date() };
      await manager.update(NewsFeedEntity, { feedId: feed.feedId }, next);
      await this.schedule(manager, feed.feedId, next.nextPollAt);
      await this.audit.record(manager, { target: { type: 'feed', id: feedId } });
      return toNewsFeedDto(Object.assign(feed, next));
    });
  }

  async poll(feedId: string, run: JobRun): Promise<void> {
    const feed = await this.dataSource.manager.findOneBy(NewsFeedEntity, { feedId, isNamed: true });
    if (feed === null) return;
    const changes = await this.poller.poll(feed, run);
    await this.dataSource.transaction(async (manager) => {
      await manager.update(NewsFeedEntity, { feedId }, changes);
      if (changes.isGone !== true) await this.schedule(manager, feedId, changes.nextPollAt);
    });
  }

  private schedule(manager: EntityManager, feedId: string, runAt: Date): Promise<void> {
    const queue = `news.feeds.${Number(feedId) % QUEUES}`;
    return this.jobs.add(
      manager,
      POLL_FEED,
      { feed_id: feedId },
      { runAt, key: `news.poll_feed:${feedId}`, queue },
    );
  }
}
