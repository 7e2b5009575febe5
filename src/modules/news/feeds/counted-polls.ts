import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { JobRun } from '../../../kit/jobs/job-task.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import type { NewsFeedEntity } from '../items/news-feed.entity.js';
import { type FeedChanges, FeedPoller } from './feed-poller.js';

/** The poller, with its polls counted. */
@Injectable()
export class CountedPolls {
  private readonly polls: Counter<'outcome'>;

  constructor(
    private readonly poller: FeedPoller,
    metrics: MetricsRegistry,
  ) {
    this.polls = metrics.counter({
      name: 'news_feed_polls_total',
      help: 'Polls of news feeds, by whether they brought something, nothing new, or failed.',
      labels: ['outcome'],
    });
  }

  async poll(feed: NewsFeedEntity, run: JobRun): Promise<FeedChanges> {
    const changes = await this.poller.poll(feed, run);
    this.polls.inc({ outcome: outcomeOf(changes) });
    return changes;
  }
}

function outcomeOf({ failures, httpStatus }: FeedChanges): string {
  if (failures !== 0) return 'failed';
  return httpStatus === 304 ? 'unchanged' : 'read';
}
