import { Injectable } from '@nestjs/common';
import { PointInTime } from '../../../core/journal/point-in-time.js';
import { askedSequence } from '../../core-access/asked-sequence.js';
import type { PointInTimeQueryDto } from '../../core-access/point-in-time.dto.js';

/** A point in the one history that all accounts and markets share. */
export interface Moment {
  /** The last place in the global ledger sequence that has happened by then. */
  readonly sequence: number;
  /** When that was committed; now, where it is the present. */
  readonly timeMs: number;
  /** Whether it is now, so that order books tell more than history does. */
  readonly isPresent: boolean;
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
    return { sequence: await this.pointInTime.present(), timeMs: Date.now(), isPresent: true };
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
