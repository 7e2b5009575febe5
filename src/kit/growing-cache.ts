import { LRUCache } from 'lru-cache';

/**
 * Holds that many entries at most; the least recently used make way. It grows with what it holds, where one with `max`
 * makes its arrays whole at once: for tens of thousands of entries that is a part of every start.
 */
export function growingCache<K extends string | number, V extends string | number | object>(
  entriesMax: number,
  options: { readonly ttl?: number } = {},
): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: entriesMax, sizeCalculation: () => 1 });
}
