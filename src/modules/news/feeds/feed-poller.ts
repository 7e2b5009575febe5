import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { JobRun } from '../../../kit/jobs/job-task.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { OutgoingError } from '../../../kit/outgoing/outgoing-error.js';
import { OutgoingHttp, type OutgoingResponse } from '../../../kit/outgoing/outgoing-http.js';
import { retryAfterRemark } from '../../../kit/outgoing/retry-after.js';
import { textOfHtml } from '../items/news-text.js';
import type { FeedDocument } from './feed-document.js';
import { decodeXml } from './feed-encoding.js';
import { FeedImporter } from './feed-importer.js';
import { FeedProblem } from './feed-problem.js';
import { nextPollAt, type FeedPace } from './feed-schedule.js';
import type { NewsFeedEntity } from '../items/news-feed.entity.js';

/** From the look-up of the name to the last byte of the feed. */
const ANSWER_WITHIN_MS = 20_000;
const BODY_BYTES_MAX = 10 * 1024 * 1024;
const REDIRECTS_MAX = 5;
const PERMANENT_REDIRECTS: readonly number[] = [301, 308];

/** Longer ones of these headers are not sent back. */
const VALIDATOR_LENGTH_MAX = 1_000;

const ACCEPT =
  'application/rss+xml, application/atom+xml, application/rdf+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.8, application/json;q=0.7, */*;q=0.1';

/** What a poll found out, to be written down. */
type FeedChanges = Partial<NewsFeedEntity> & { readonly nextPollAt: Date };

/** Polls a feed: asks for what is new since the last time, and makes news of it. */
@Injectable()
export class FeedPoller {
  private readonly logger = new Logger('News');
  private readonly polls: Counter<'outcome'>;

  constructor(
    private readonly outgoing: OutgoingHttp,
    private readonly importer: FeedImporter,
    metrics: MetricsRegistry,
  ) {
    this.polls = metrics.counter({
      name: 'news_feed_polls_total',
      help: 'Polls of news feeds, by whether they brought something, nothing new, or failed.',
      labels: ['outcome'],
    });
  }

  /** The feed's new state. Rejects only for internal errors. */
  async poll(feed: NewsFeedEntity, { signal }: Pick<JobRun, 'signal'>): Promise<FeedChanges> {
    const changes = await this.read(feed, signal);
    const isUnchanged = changes.httpStatus === 304;
    this.polls.inc({ outcome: changes.failures !== 0 ? 'failed' : isUnchanged ? 'unchanged' : 'read' });
    return changes;
  }

  private async read(feed: NewsFeedEntity, signal: AbortSignal): Promise<FeedChanges> {
    let response: OutgoingResponse | undefined;
    try {
      response = await this.ask(feed, signal);
      return await this.take(feed, response, signal);
    } catch (error) {
      // The service is stopping; the feed is not at fault.
      if (signal.aborted) throw error;
      if (!(error instanceof OutgoingError) && !(error instanceof FeedProblem)) throw error;
      return this.failed(feed, response, error.message);
    }
  }

  private ask(feed: NewsFeedEntity, signal: AbortSignal): Promise<OutgoingResponse> {
    return this.outgoing.request({
      method: 'GET',
      url: feed.currentUrl,
      headers: {
        accept: ACCEPT,
        'accept-encoding': 'gzip',
        'user-agent': 'Tradepost',
        ...(feed.etag !== null && { 'if-none-match': feed.etag }),
        ...(feed.lastModified !== null && { 'if-modified-since': feed.lastModified }),
      },
      timeoutMs: ANSWER_WITHIN_MS,
      bodyBytesMax: BODY_BYTES_MAX,
      redirectsMax: REDIRECTS_MAX,
      plainHttp: true,
      signal,
    });
  }

  /** Throws a `FeedProblem` for an answer that is no feed. */
  private async take(
    feed: NewsFeedEntity,
    response: OutgoingResponse,
    signal: AbortSignal,
  ): Promise<FeedChanges> {
    if (response.status === 304) {
      // What could not be read of it is as it was.
      return this.succeeded(feed, response, { problem: feed.failures > 0 ? null : feed.problem });
    }
    if (response.status !== 200) throw new FeedProblem(`It answered with status ${response.status}.`);
    const document = await documentOf(feed, response);
    const remarks = await this.importer.import(feed, document, signal);
    return this.succeeded(
      feed,
      response,
      {
        title: titleOf(document),
        etag: validatorOf(response, 'etag'),
        lastModified: validatorOf(response, 'last-modified'),
        problem: remarks.join(' ') || null,
      },
      document.ttlMinutes,
    );
  }

  private succeeded(
    feed: NewsFeedEntity,
    response: OutgoingResponse,
    found: Partial<NewsFeedEntity>,
    ttlMinutes?: number,
  ): FeedChanges {
    const now = new Date();
    return {
      currentUrl: currentUrlOf(feed, response),
      httpStatus: response.status,
      failures: 0,
      polledAt: now,
      succeededAt: now,
      nextPollAt: nextPollAt(now, 0, { ...paceOf(response), ttlMinutes }),
      ...found,
    };
  }

  private failed(feed: NewsFeedEntity, response: OutgoingResponse | undefined, problem: string): FeedChanges {
    const failures = feed.failures + 1;
    if (failures === 1) {
      this.logger.warn({ msg: 'a news feed could not be read', feed_id: feed.feedId, problem });
    }
    const now = new Date();
    const pace = paceOf(response);
    const remark = retryAfterRemark(pace.retryAfter, now);
    return {
      // Where it was moved to may have been wrong.
      ...(feed.currentUrl !== feed.url && { currentUrl: feed.url, etag: null, lastModified: null }),
      isGone: response?.status === 410,
      httpStatus: response?.status ?? null,
      problem: remark === null ? problem : `${problem} ${remark}`,
      failures,
      polledAt: now,
      nextPollAt: nextPollAt(now, failures, pace),
    };
  }
}

async function documentOf(feed: NewsFeedEntity, response: OutgoingResponse): Promise<FeedDocument> {
  const bytes = await unpacked(response);
  const url = response.redirects.at(-1)?.url ?? feed.currentUrl;
  const { readFeed } = await import('./feed-document.js');
  return readFeed(decodeXml(bytes, response.headers['content-type']), url);
}

const unzip = promisify(gunzip);

async function unpacked({ body, headers }: OutgoingResponse): Promise<Uint8Array> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return body;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new FeedProblem(`It is packed as ${encoding}.`);
  try {
    return await unzip(body, { maxOutputLength: BODY_BYTES_MAX });
  } catch (error) {
    throw new FeedProblem(`It cannot be unpacked, or has over ${BODY_BYTES_MAX} bytes.`, { cause: error });
  }
}

/** Permanent redirects are followed for good, up to the first that is not. */
function currentUrlOf(feed: NewsFeedEntity, { redirects }: OutgoingResponse): string {
  const temporary = redirects.findIndex(({ status }) => !PERMANENT_REDIRECTS.includes(status));
  const permanent = temporary < 0 ? redirects : redirects.slice(0, temporary);
  return permanent.at(-1)?.url ?? feed.currentUrl;
}

function paceOf(response: OutgoingResponse | undefined): FeedPace {
  const { 'cache-control': cacheControl, 'retry-after': retryAfter } = response?.headers ?? {};
  return { cacheControl, retryAfter };
}

function validatorOf({ headers }: OutgoingResponse, name: 'etag' | 'last-modified'): string | null {
  const value = headers[name];
  return value !== undefined && value.length <= VALIDATOR_LENGTH_MAX ? value : null;
}

function titleOf({ title = '' }: FeedDocument): string | null {
  return textOfHtml({ headline: title, summary: '', content: '' }, () => undefined).headline || null;
}
