import { words } from '../words/index.js';
import type { Order } from './account.js';

/** An order as people tell it from others. */
export function nameOf({ side, size, price }: Pick<Order, 'side' | 'size' | 'price'>): string {
  return words.orders.nameOf({ side: words.side[side], size, price: price ?? '–' });
}
