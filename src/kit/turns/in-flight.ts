import { Inject, Injectable } from '@nestjs/common';
import { ServiceFailure } from '../coded-error.js';
import { CONFIG, type Config } from '../config/config.js';
import { loopTurns } from './loop-turns.js';
import { type Flight, nameOf, type Owner } from './owner.js';

/**
 * Counts what each owner has in flight, whether it waits or runs, and refuses more than the maximum; what is let in begins
 * by turns.
 */
@Injectable()
export class InFlight {
  private readonly flights = new Map<string, number>();
  private readonly ownerMax: number;

  constructor(@Inject(CONFIG) { ownerWaitingMax }: Pick<Config, 'ownerWaitingMax'>) {
    this.ownerMax = ownerWaitingMax;
  }

  /** Throws `too_many_in_flight` (429). */
  begin(owner: Owner): Flight {
    const ownerName = nameOf(owner);
    const before = this.flights.get(ownerName) ?? 0;
    if (before >= this.ownerMax) throw tooManyInFlight();
    this.flights.set(ownerName, before + 1);
    return new CountedFlight(this.flights, ownerName, loopTurns.turnOf(owner));
  }
}

class CountedFlight implements Flight {
  private isOver = false;

  constructor(
    private readonly flights: Map<string, number>,
    private readonly ownerName: string,
    readonly turn: Promise<void> | undefined,
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
