/**
 * The numbering of account streams. Each commit that changes an account of somebody gets the next number
 * within that account, in the transaction that makes it durable; so the numbers have no gaps, whatever fails.
 */
import type pg from 'pg';
import type { Changes } from '../../domain/engine/changes.js';
import type { Account } from '../../domain/engine/state.js';
import { invariant } from '../../domain/invariant.js';
import { growingCache } from '../../kit/growing-cache.js';
import type { AccountChangeRow } from '../tables/core-tables.js';

/**
 * Beyond this many accounts, the last numbers of the longest-idle ones are dropped and read again when needed. It is
 * more than can wait for the projector, so that the number read is the last one.
 */
const NUMBERS_REMEMBERED_MAX = 200_000;

interface LastNumber {
  sequence: number;
}

/** Lives as long as a term: numbers that were given to a commit that failed are forgotten with it. */
export class AccountChanges {
  /** Bounded by size, since a bound on the count would take all its room at once, at every start. */
  private readonly lastNumbers = growingCache<number, LastNumber>(NUMBERS_REMEMBERED_MAX);

  constructor(private readonly client: pg.ClientBase) {}

  /** Gives the next numbers to the accounts that a batch has changed; the house's own accounts have no stream. */
  async number(
    changes: Changes,
    accounts: ReadonlyMap<number, Account>,
    ledgerSequence: number,
  ): Promise<AccountChangeRow[]> {
    const ordersOfAccount = new Map<number, number[]>();
    for (const { accountId } of changes.balances) {
      if (accounts.get(accountId)!.owner !== null) ordersOfAccount.set(accountId, []);
    }
    for (const { accountId, orderId } of changes.orders) {
      const orders = ordersOfAccount.get(accountId);
      if (orders === undefined) ordersOfAccount.set(accountId, [orderId]);
      else orders.push(orderId);
    }
    await this.readMissing([...ordersOfAccount.keys()].filter((id) => !this.lastNumbers.has(id)));
    return [...ordersOfAccount].map(([accountId, orderIds]) => {
      const last = this.lastNumbers.get(accountId);
      invariant(last !== undefined, 'the last number of an account is known', accountId);
      const sequence = ++last.sequence;
      return { accountId, sequence, ledgerSequence, orderIds };
    });
  }

  private async readMissing(accountIds: readonly number[]): Promise<void> {
    if (accountIds.length === 0) return;
    const { rows } = await this.client.query<{ account_id: string; sequence: string }>({
      name: 'core-account-changes',
      text: `
        SELECT account_id, coalesce((
          SELECT sequence FROM account_changes c WHERE c.account_id = a.account_id ORDER BY sequence DESC LIMIT 1
        ), 0) AS sequence
        FROM unnest($1::int8[]) AS a(account_id)`,
      values: [accountIds],
    });
    for (const row of rows) this.lastNumbers.set(Number(row.account_id), { sequence: Number(row.sequence) });
  }
}
