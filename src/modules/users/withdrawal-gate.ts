import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { lockUntilCommit } from '../../kit/database/advisory-locks.js';
import { PAYMENT_HELD } from './errors.js';
import { ApiError } from '../../kit/http/errors.js';
import { UserStatus } from './user.entity.js';

/** Why the money of an account does not leave now. */
export const HELD_BECAUSE = ['account_frozen', 'user_locked', 'user_closed'] as const;
export type HeldBecause = (typeof HELD_BECAUSE)[number];

/** The lock of the gate, shared by withdrawals on their way through it. Its name stays: an older process takes it too. */
const GATE = 'payment gate';

const USER_ID = `substring(account.owner FROM '^user:([0-9]+)$')::bigint`;
const OWNERS = `accounts account LEFT JOIN users holder ON holder.user_id = ${USER_ID}`;
const HELD = `(account.frozen OR holder.user_status <> ${UserStatus.active})`;

/**
 * The gate of all withdrawals: payment files, chain transfers, and signatures of wallets. It is closed for frozen
 * accounts, and for all accounts of locked or closed users. Their withdrawals are held until the account is unfrozen or
 * its owner unlocked.
 */
@Injectable()
export class WithdrawalGate {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Call it in the transaction of a withdrawal, before checking for holds and before locking any row that another
   * withdrawal may wait for. Closing the gate waits for the end of this transaction.
   */
  async enter(manager: EntityManager): Promise<void> {
    await lockUntilCommit(manager, GATE, { isShared: true });
  }

  /**
   * Call it after the commit that freezes an account, or locks or closes a user. It returns when all withdrawals that
   * did not see that commit have ended. From then on none of theirs leaves.
   */
  async waitUntilClear(): Promise<void> {
    await lockUntilCommit(this.dataSource.manager, GATE);
  }

  /** Of these accounts those whose money is held, each with the reason. */
  async heldAmong(
    accountIds: readonly string[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<ReadonlyMap<string, HeldBecause>> {
    const rows = await manager.query<{ readonly account_id: string; readonly because: HeldBecause }[]>(
      `SELECT account.account_id, CASE WHEN account.frozen THEN 'account_frozen'
                                       WHEN holder.user_status = ${UserStatus.locked} THEN 'user_locked'
                                       ELSE 'user_closed' END AS because
         FROM ${OWNERS} WHERE account.account_id = ANY($1::bigint[]) AND ${HELD}`,
      [accountIds],
    );
    return new Map(rows.map(({ account_id, because }) => [account_id, because]));
  }
}

/** The SQL condition that the money of an account is held; `accountId` is the expression that names it. */
export function isHeldSql(accountId: string): string {
  return `EXISTS (SELECT FROM ${OWNERS} WHERE account.account_id = ${accountId} AND ${HELD})`;
}

/** 409: a held withdrawal cannot be released by approval. */
export function withdrawalHeld(because: HeldBecause): ApiError {
  return new ApiError(PAYMENT_HELD, WORDS[because]);
}

const WORDS: Readonly<Record<HeldBecause, string>> = {
  account_frozen: 'The account is frozen. Unfreeze it first, or reject the payment.',
  user_locked: 'The owner is locked. Unlock the user first, or reject the payment.',
  user_closed: 'The owner is closed. The payment can only be rejected.',
};
