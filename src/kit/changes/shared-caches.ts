import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../database/pg-pool.js';
import { rowsOf, type Transaction } from '../database/transaction.js';
import { CAPACITY, UNPROCESSABLE } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { isStorableText } from '../storable-text.js';
import { type ChangeFollower, Changes, IF_NEW, NOTE_CHANGE, THIS_TRANSACTION } from './changes.js';
import { bindValues, type SharedCache, type SharedValues } from './shared-cache.js';

const VALUES_MAX = 100_000;
const VALUE_BYTES_MAX = 1_024;
const KEY_LENGTH_MAX = 200;

const noted = `${NOTE_CHANGE} SELECT ${THIS_TRANSACTION}, $1, $2`;
const PUT = `
  WITH stored AS (
    INSERT INTO shared_values (cache, key, value) VALUES ($1, $2, $3)
    ON CONFLICT (cache, key) DO UPDATE SET value = excluded.value
  ) ${noted} ${IF_NEW}`;
const REMOVE = `
  WITH removed AS (DELETE FROM shared_values WHERE cache = $1 AND key = $2)
  ${noted} ${IF_NEW}`;

interface ValueRow {
  readonly key: string;
  readonly value: unknown;
}

/** Gives the caches that modules declare their values. */
@Injectable()
export class SharedCaches {
  constructor(
    private readonly changes: Changes,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Resolves once everything is loaded. */
  async load(owner: string, cache: SharedCache<unknown>): Promise<void> {
    const name = `${owner}/${cache.name}`;
    const values = new StoredValues(name, this.pool);
    await this.changes.follow(name, values);
    bindValues(cache, values);
  }
}

class StoredValues implements SharedValues, ChangeFollower {
  private held = new Map<string, unknown>();

  constructor(
    private readonly cache: string,
    private readonly pool: Pool,
  ) {}

  get(key: string): unknown {
    return this.held.get(key);
  }

  keys(): IterableIterator<string> {
    return this.held.keys();
  }

  async put(transaction: Transaction, key: string, value: unknown): Promise<void> {
    const json = this.jsonOf(key, value);
    if (!this.held.has(key) && this.held.size >= VALUES_MAX)
      throw new ApiError(CAPACITY, `${this.cache} has room for ${VALUES_MAX} values.`);
    await rowsOf(transaction, PUT, [this.cache, key, json]);
  }

  async remove(transaction: Transaction, key: string): Promise<void> {
    this.requireKey(key);
    await rowsOf(transaction, REMOVE, [this.cache, key]);
  }

  async reload(): Promise<void> {
    const { rows } = await this.pool.query<ValueRow>(
      'SELECT key, value FROM shared_values WHERE cache = $1',
      [this.cache],
    );
    this.held = new Map(rows.map(({ key, value }) => [key, frozen(value)]));
  }

  async changed(keys: readonly string[]): Promise<void> {
    const { rows } = await this.pool.query<ValueRow>(
      'SELECT key, value FROM shared_values WHERE cache = $1 AND key = ANY ($2)',
      [this.cache, keys],
    );
    const found = new Map(rows.map(({ key, value }) => [key, value]));
    for (const key of keys) {
      if (found.has(key)) this.held.set(key, frozen(found.get(key)));
      else this.held.delete(key);
    }
  }

  private jsonOf(key: string, value: unknown): string {
    this.requireKey(key);
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined || Buffer.byteLength(json) > VALUE_BYTES_MAX)
      throw this.unstorable(`the value must be JSON of at most ${VALUE_BYTES_MAX} bytes`);
    // PostgreSQL takes neither half a surrogate pair nor U+0000; JSON writes both as escapes.
    if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json))
      throw this.unstorable('the value must be well-formed text without U+0000');
    return json;
  }

  private requireKey(key: string): void {
    const isRight = key !== '' && key.length <= KEY_LENGTH_MAX && isStorableText(key);
    if (!isRight) throw this.unstorable(`the key must be text of 1 to ${KEY_LENGTH_MAX} characters`);
  }

  private unstorable(problem: string): ApiError {
    return new ApiError(UNPROCESSABLE, `${this.cache}: ${problem}.`);
  }
}

/** With all that is in it: the same value is handed to everybody who asks. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
