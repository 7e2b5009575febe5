import { Inject, Injectable } from '@nestjs/common';
import { hash, verify, type Options } from '@node-rs/argon2';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { presentOwner } from '../../kit/turns/owner.js';
import { TurnQueue } from '../../kit/turns/turn-queue.js';

/** Each takes a thread for tens of milliseconds and 19 MiB; more at once would only starve everything else. */
const BOUNDS = { runningMax: 2, ownerRunningMax: 1, waitingMax: 1_024, ownerWaitingMax: 64 };

/**
 * Hashes and verifies secrets that people choose. However many log in at once, a bounded number is
 * worked on and a bounded number waits; beyond it both methods reject with `rate_limited` (429). By default it is done in
 * the turn of the owner of the request.
 * Secrets are compared in Unicode's form NFC (RFC 8265): keyboards differ in how they compose a letter.
 */
@Injectable()
export class PasswordHasher {
  private readonly turns = new TurnQueue(BOUNDS);
  /** Of argon2id, which is the library's default algorithm. */
  private readonly parameters: Options;

  constructor(@Inject(CONFIG) { passwordMemoryKib }: Pick<Config, 'passwordMemoryKib'>) {
    this.parameters = { memoryCost: passwordMemoryKib, timeCost: 2, parallelism: 1 };
  }

  /** The argon2id hash of a secret, in PHC form, with a salt of its own. */
  hash(secret: string): Promise<string> {
    return this.turns.take(presentOwner(), () => hash(secret.normalize(), this.parameters));
  }

  /** Whether `phc` was made from `secret`. */
  verify(phc: string, secret: string, owner = presentOwner()): Promise<boolean> {
    return this.turns.take(owner, () => verify(phc, secret.normalize()));
  }
}
