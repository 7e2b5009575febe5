import type { ServiceFailure } from '../../kit/coded-error.js';
import { tooManyInFlight } from '../../kit/turns/in-flight.js';
import { nameOf, type Owner, SERVICE } from '../../kit/turns/owner.js';
import { unavailable } from './failures.js';

/** The part of all commands that may wait which one owner may take; the service itself may take all. */
export const OWNER_SHARE = 1 / 2;

/** Counts commands that are not answered yet, in all and of each owner. */
export class CommandCounts {
  private commands = 0;
  private readonly commandsOf = new Map<string, number>();

  constructor(private readonly max: number) {}

  get all(): number {
    return this.commands;
  }

  /**
   * Why so many more may not wait: too many do already, of the owner or in all, where `besides` there is room for these. A
   * request may be of any size where none waits.
   */
  refusalOf(owner: Owner, commands: number, besides = 0): ServiceFailure | undefined {
    const ofOwner = this.commandsOf.get(nameOf(owner)) ?? 0;
    const isBound = ofOwner > 0 && nameOf(owner) !== nameOf(SERVICE);
    if (isBound && ofOwner + commands > this.max * OWNER_SHARE) return tooManyInFlight();
    if (this.commands > 0 && this.commands + commands > this.max + besides)
      return unavailable('Too many commands wait already. Slow down.');
    return undefined;
  }

  /** So many more of the owner, or less. */
  change(owner: Owner, commands: number): void {
    this.commands += commands;
    const ofOwner = (this.commandsOf.get(nameOf(owner)) ?? 0) + commands;
    if (ofOwner === 0) this.commandsOf.delete(nameOf(owner));
    else this.commandsOf.set(nameOf(owner), ofOwner);
  }
}
