import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { lockUntilCommit } from '../../platform/database/advisory-locks.js';
import { ApiError } from '../../platform/http/errors.js';
import { UserStatus } from './user.entity.js';

/** Why the money of an account does not leave now. */
export const HELD_BECAUSE = ['account_frozen', 'user_locked', 'user_closed'] as const;
export type HeldBecause = (typeof HELD_BECAUSE)[number];

/** The lock of the gate: shared by payments on their way through it. */
const GATE = 'payment gate';

const USER_ID = `substring(account.owner FROM '^user:([0-9]+)$')::bigint`;
const OWNERS = `accounts account LEFT JOIN users holder ON holder.user_id = ${USER_ID}`;
const HELD = `(account.frozen OR holder.user_status <> ${UserStatus.active})`;

/**
 * The gate through which money leaves: into payment files, onto chains, by signatures of wallets. It is shut
 * for accounts that are frozen, and for all accounts of users who are locked or closed. What waits before it
 * is held, and goes on once the account is unfrozen or its owner unlocked.
 */
@Injectable()
export class PaymentGate {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * To be called in the transaction that lets money out, before it asks who is held and before it locks any
   * row that another payment may wait for. Whoever shuts the gate waits for the end of this transaction.
   */
  async enter(manager: EntityManager): Promise<void> {
    await lockUntilCommit(manager, GATE, { isShared: true });
  }

  /**
   * To be called once an account is frozen, or a user locked or closed, and that is committed: returns when
   * nobody is on the way through who has not seen it. From then on nothing of theirs leaves.
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

/** 409: nobody may let a payment go while it is held. */
export function paymentHeld(because: HeldBecause): ApiError {
  return new ApiError('payment_held', WORDS[because]);
}

const WORDS: Readonly<Record<HeldBecause, string>> = {
  account_frozen: 'The account is frozen. Unfreeze it first, or reject the payment.',
  user_locked: 'The owner is locked. Unlock the user first, or reject the payment.',
  user_closed: 'The owner is closed. The payment can only be rejected.',
};
