import { Clock } from '../../../kit/clock.js';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../../kit/config/settings.js';
import { RETENTION_DELIVERIES_DAYS } from './webhook-retention.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The pauses before each attempt, as Standard Webhooks recommends them: three days and some hours in all. */
const PAUSES_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Pauses grow by up to this share, so that simultaneous failures are not all retried at once. */
const JITTER = 0.1;

/** The clock of deliveries and all their times, in one place, so that tests can replace them. */
@Injectable()
export class WebhookTiming {
  /** For how long deliveries are signed with the old secret too, after it was replaced. */
  readonly secretOverlapMs: number = DAY_MS;
  /** How long a receiver may take to answer an attempt. */
  readonly answerWithinMs: number = 15 * SECOND_MS;
  /** An endpoint at which nothing succeeded for this long is disabled when a delivery to it is given up. */
  readonly failingAtMostMs: number = 3 * DAY_MS;
  /** How long events and the results of their deliveries are kept. */
  readonly keptMs: number;
  /** The longest pause that a receiver may ask for. */
  readonly pauseMostMs: number = DAY_MS;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
  ) {
    this.keptMs = settings.get(RETENTION_DELIVERIES_DAYS) * DAY_MS;
  }

  now(): Date {
    return new Date(this.clock.nowMs());
  }

  /** The pause before the attempt at this step of the schedule, the first one's step being 0; null past the last. */
  pauseMs(step: number): number | null {
    const pauseMs = PAUSES_MS[step];
    return pauseMs === undefined ? null : Math.round(pauseMs * (1 + JITTER * Math.random()));
  }

  /** The step of the schedule's last attempt. */
  get lastStep(): number {
    return PAUSES_MS.length - 1;
  }
}
