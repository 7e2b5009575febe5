import { Injectable } from '@nestjs/common';
import { Between, type FindOperator } from 'typeorm';
import { PointInTime } from '../../../core/journal/point-in-time.js';
import { askedSequence } from './asked-sequence.js';
import type { PointInTimeQueryDto } from './point-in-time.dto.js';
import { periodOf, type PeriodQueryDto } from '../../../kit/http/period.js';

/** A point in the one history that all accounts and markets share. */
export interface Moment {
  /** The last place in the global ledger sequence that has happened by then. */
  readonly sequence: number;
  /** When that was committed; now, where it is the present. */
  readonly timeMs: number;
  /** Whether it is now, so that order books tell more than history does. */
  readonly isPresent: boolean;
}

/** What came after one sequence, up to and with another. */
export interface SequenceSpan {
  readonly after: number;
  readonly until: number;
}

/** Turns what requests name into moments. */
@Injectable()
export class MomentsService {
  constructor(private readonly pointInTime: PointInTime) {}

  /** The moment that a request names, the present where it names none. Throws `validation_failed`. */
  async of(query: PointInTimeQueryDto): Promise<Moment> {
    const sequence = await askedSequence(this.pointInTime, query);
    if (sequence === undefined) return this.present();
    return { sequence, timeMs: await this.pointInTime.timeOf(sequence), isPresent: false };
  }

  /** Everything that is committed. */
  async present(): Promise<Moment> {
    return { sequence: await this.pointInTime.present(), timeMs: this.pointInTime.nowMs(), isPresent: true };
  }

  /** The moment before a time; the present where that lies ahead. */
  async before(timeMs: number): Promise<Moment> {
    if (timeMs > this.pointInTime.nowMs()) return this.present();
    return { sequence: await this.sequenceBefore(timeMs), timeMs, isPresent: false };
  }

  /**
   * The sequences that the period of a request comes down to and, where it can name one, its moment. Throws
   * `validation_failed`.
   */
  async spanOf(query: PeriodQueryDto & Partial<PointInTimeQueryDto>): Promise<SequenceSpan> {
    const { fromMs, toMs } = periodOf(query);
    const asked = await askedSequence(this.pointInTime, query);
    const [after, until] = await Promise.all([
      fromMs === undefined ? 0 : this.sequenceBefore(fromMs),
      toMs === undefined ? Number.MAX_SAFE_INTEGER : this.sequenceBefore(toMs),
    ]);
    return { after, until: Math.min(until, asked ?? until) };
  }

  /** The last sequence committed before the millisecond; 0 if there is none. */
  async sequenceBefore(timeMs: number): Promise<number> {
    const [sequence] = await this.sequencesBefore([timeMs]);
    return sequence!;
  }

  /** The same for many times at once, in their order. */
  async sequencesBefore(timesMs: readonly number[]): Promise<number[]> {
    return timesMs.length === 0 ? [] : this.pointInTime.sequencesAt(timesMs.map((timeMs) => timeMs - 1));
  }
}

/** The condition of a sequence in a span and, where a cursor is given, before it. */
export function sequencesIn({ after, until }: SequenceSpan, before?: number): FindOperator<number> {
  return Between(after + 1, before === undefined ? until : Math.min(until, before - 1));
}
