import { Inject, Injectable } from '@nestjs/common';
import { ServiceFailure } from '../coded-error.js';
import { CONFIG, type Config } from '../config/config.js';

/** What is being handled for an owner. */
export interface Flight {
  /** To be called when it is answered; again does nothing. */
  end(): void;
}

/** Counts what each owner has in flight, whether it waits or runs, and refuses more than the maximum. */
@Injectable()
export class InFlight {
  private readonly flights = new Map<string, number>();
  private readonly ownerMax: number;

  constructor(@Inject(CONFIG) { ownerWaitingMax }: Pick<Config, 'ownerWaitingMax'>) {
    this.ownerMax = ownerWaitingMax;
  }

  /** Throws `too_many_in_flight` (429). */
  begin(ownerName: string): Flight {
    const before = this.flights.get(ownerName) ?? 0;
    if (before >= this.ownerMax) throw tooManyInFlight();
    this.flights.set(ownerName, before + 1);
    return new CountedFlight(this.flights, ownerName);
  }
}

class CountedFlight implements Flight {
  private isOver = false;

  constructor(
    private readonly flights: Map<string, number>,
    private readonly ownerName: string,
  ) {}

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    const left = this.flights.get(this.ownerName)! - 1;
    if (left === 0) this.flights.delete(this.ownerName);
    else this.flights.set(this.ownerName, left);
  }
}

export function tooManyInFlight(): ServiceFailure {
  return new ServiceFailure(
    'too_many_in_flight',
    'Too many requests of yours are in flight; wait for some of their answers.',
    { retryAfterS: 1 },
  );
}
