import type { Transaction } from '../database/transaction.js';

/** Where the values of a cache are. */
export interface SharedValues {
  get(key: string): unknown;
  keys(): IterableIterator<string>;
  put(transaction: Transaction, key: string, value: unknown): Promise<void>;
  remove(transaction: Transaction, key: string): Promise<void>;
}

const VALUES = new WeakMap<object, SharedValues>();

/** Values are there once all objects are made, before the service takes requests. */
export function bindValues(cache: SharedCache<unknown>, values: SharedValues): void {
  VALUES.set(cache, values);
}

/**
 * Values that every process has in memory, for rules that may do no I/O: `class Tiers extends SharedCache<Tier> { name =
 * 'tiers' }`, in `caches` of the plugin. They are stored in the database, loaded before the service takes requests, and a
 * change is seen in all processes within a second after its transaction, without Redis too; one that cannot reach the
 * database goes by what it saw last. At most 100,000 values, each of 1,024 bytes as JSON, with a key of 200 characters.
 */
export abstract class SharedCache<T> {
  /** Lower-case words with hyphens between; what is stored belongs to it. */
  abstract readonly name: string;

  /** What was committed, frozen; `undefined` where there is nothing. */
  get(key: string): T | undefined {
    return this.values.get(key) as T | undefined;
  }

  keys(): IterableIterator<string> {
    return this.values.keys();
  }

  /**
   * Stores a value, any JSON, in the caller's transaction; given a pool, in one of its own. Throws `unprocessable` (422)
   * for a key or a value that cannot be stored, and `capacity` (503) for one too many.
   */
  put(transaction: Transaction, key: string, value: T): Promise<void> {
    return this.values.put(transaction, key, value);
  }

  remove(transaction: Transaction, key: string): Promise<void> {
    return this.values.remove(transaction, key);
  }

  private get values(): SharedValues {
    const values = VALUES.get(this);
    if (values === undefined)
      throw new Error(
        `the values of ${this.constructor.name} are not there yet, or it is not among "caches"`,
      );
    return values;
  }
}
