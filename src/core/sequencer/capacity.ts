/**
 * How many live orders a process may have: a leader that comes near the end of its memory refuses new orders rather than
 * die, since every process after it would die of the same orders.
 */
import { getHeapStatistics } from 'node:v8';
import type { Command } from '../../domain/engine/commands.js';
import { isStopType } from '../../domain/engine/order-terms.js';
import type { ServiceFailure } from '../../kit/coded-error.js';
import { atCapacity } from '../requests/failures.js';
import type { Work } from '../requests/work.js';

/** What everything else takes under full load; measured, see docs/operating.md. */
const RESERVED_BYTES = 256 * 1024 * 1024;
/** A live order, with the garbage that taking over with it makes. */
const BYTES_PER_ORDER = 1_500;
/** Where somebody runs the service with less memory than it needs for anything. */
const LEAST = 10_000;

export function liveOrdersCapacity(heapBytes = getHeapStatistics().heap_size_limit): number {
  return Math.max(LEAST, Math.floor((heapBytes - RESERVED_BYTES) / BYTES_PER_ORDER));
}

export class Capacity {
  constructor(private readonly liveOrdersMax = liveOrdersCapacity()) {}

  /** Null where the leader has memory for what the work adds; a standby leaves that to the leader. */
  refusal(work: Work, term: { readonly liveOrders: number } | null): ServiceFailure | null {
    if (term === null || work.kind !== 'request') return null;
    const added = ordersAddedBy(work.request.commands);
    return added === 0 || term.liveOrders + added <= this.liveOrdersMax ? null : atCapacity();
  }
}

/** How many orders the commands may add to those that live. What takes the place of another adds none. */
export function ordersAddedBy(commands: readonly Command[]): number {
  return commands.reduce((sum, command) => sum + addedBy(command), 0);
}

function addedBy(command: Command): number {
  switch (command.type) {
    case 'place_order': {
      const endsAtOnce =
        command.timeInForce === 'IOC' || command.timeInForce === 'FOK' || command.orderType === 'market';
      return endsAtOnce && !isStopType(command.orderType) ? 0 : 1;
    }
    case 'place_order_list':
      return command.entry === null ? 2 : 3;
    case 'mass_quote':
      return command.quotes.reduce(
        (sum, { bid, ask }) => sum + (bid === null ? 0 : 1) + (ask === null ? 0 : 1),
        0,
      );
    default:
      return 0;
  }
}
