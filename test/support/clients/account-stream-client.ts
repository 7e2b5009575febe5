import { expect } from 'vitest';
import type { Json } from '../caller.js';

/** The state of an account as known from its stream alone; checks the stream's guarantees. */
export class ClientAccount {
  readonly orders = new Map<string, Json>();
  readonly balances = new Map<string, Json>();
  readonly fills: Json[] = [];
  readonly snapshots: Json[] = [];
  sequence: number | undefined;

  apply(event: Json): void {
    if (event.type === 'account.snapshot') {
      if (event.data.balances.length > 0) this.orders.clear();
      this.snapshots.push(event);
    } else {
      expect(event.data.previous_sequence, 'nothing may be missing or be told twice').toBe(this.sequence);
      expect(event.sequence).toBeGreaterThan(this.sequence!);
      this.fills.push(...event.data.fills);
    }
    for (const order of event.data.orders) {
      const known = this.orders.get(order.order_id);
      if (known !== undefined) {
        expect(order.sequence, 'an order never goes back').toBeGreaterThanOrEqual(known.sequence);
      }
      this.orders.set(order.order_id, order);
    }
    for (const balance of event.data.balances) this.balances.set(balance.asset, balance);
    if (event.sequence !== undefined) this.sequence = event.sequence;
  }

  get liveOrders(): Json[] {
    return [...this.orders.values()].filter(({ status }) => isLive(status));
  }
}

export function isLive(status: string): boolean {
  return status === 'open' || status === 'partially_filled' || status === 'untriggered';
}
