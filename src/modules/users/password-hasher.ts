import { Inject, Injectable } from '@nestjs/common';
import { hash, verify, type Options } from '@node-rs/argon2';
import { ConcurrencyLimit } from '../../platform/concurrency-limit.js';
import { CONFIG, type Config } from '../../platform/config/config.js';

/** Each takes a thread for tens of milliseconds and 19 MiB; more at once would only starve everything else. */
const RUNNING_MAX = 2;
const WAITING_MAX = 64;

/**
 * Hashes and verifies secrets that people choose. However many log in at once, a bounded number is
 * worked on and a bounded number waits; beyond it both methods reject with `rate_limited` (429).
 * Secrets are compared in Unicode's form NFC (RFC 8265): keyboards differ in how they compose a letter.
 */
@Injectable()
export class PasswordHasher {
  private readonly limit = new ConcurrencyLimit(RUNNING_MAX, WAITING_MAX);
  /** Of argon2id, which is the library's default algorithm. */
  private readonly parameters: Options;

  constructor(@Inject(CONFIG) { passwordMemoryKib }: Pick<Config, 'passwordMemoryKib'>) {
    this.parameters = { memoryCost: passwordMemoryKib, timeCost: 2, parallelism: 1 };
  }

  /** The argon2id hash of a secret, in PHC form, with a salt of its own. */
  hash(secret: string): Promise<string> {
    return this.limit.take(() => hash(secret.normalize(), this.parameters));
  }

  /** Whether `phc` was made from `secret`. */
  verify(phc: string, secret: string): Promise<boolean> {
    return this.limit.take(() => verify(phc, secret.normalize()));
  }
}
