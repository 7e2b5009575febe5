/** When a feed is polled next. */
import { readRetryAfter } from '../../../kit/outgoing/retry-after.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Unless the feed asks for more time. */
const POLL_EVERY_MS = 10 * MINUTE_MS;

/** However much time a feed asks for between its polls. */
const POLL_PAUSE_MAX_MS = HOUR_MS;

/** However often a poll failed, and however long a host asks to be left alone. */
const BACK_OFF_MAX_MS = 24 * HOUR_MS;

/** So that feeds of one host, and of many services that started together, are not polled at one moment. */
const JITTER = 0.1;

const MAX_AGE = /(?:^|[,\s])max-age\s*=\s*"?(\d{1,9})/i;

/** The pace that a feed's host requests. */
export interface FeedPace {
  /** Of the feed itself, see `FeedDocument`. */
  readonly ttlMinutes?: number | undefined;
  readonly cacheControl?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/**
 * The time of the next poll after one at `now`: after ten minutes, or within the hour if the feed says so. After
 * `failures` failed polls in a row the pauses grow, up to a day.
 */
export function nextPollAt(
  now: Date,
  failures: number,
  pace: FeedPace,
  random: () => number = Math.random,
): Date {
  const pauseMs = failures === 0 ? pauseOf(pace) : backOffOf(now, failures, pace);
  return new Date(now.getTime() + Math.round(pauseMs * (1 + JITTER * random())));
}

function pauseOf({ ttlMinutes = 0, cacheControl = '' }: FeedPace): number {
  const maxAgeMs = Number(MAX_AGE.exec(cacheControl)?.[1] ?? 0) * 1_000;
  const ttlMs = Number.isFinite(ttlMinutes) ? ttlMinutes * MINUTE_MS : 0;
  return Math.min(Math.max(POLL_EVERY_MS, ttlMs, maxAgeMs), POLL_PAUSE_MAX_MS);
}

function backOffOf(now: Date, failures: number, { retryAfter }: FeedPace): number {
  // Doubling any longer would pass the maximum by far.
  const doubledMs = POLL_EVERY_MS * 2 ** Math.min(failures - 1, 10);
  return Math.min(
    Math.max(doubledMs, retryAfter === undefined ? 0 : (readRetryAfter(retryAfter, now) ?? 0)),
    BACK_OFF_MAX_MS,
  );
}
