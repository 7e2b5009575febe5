import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { In, Repository } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import type { Amount } from '../../domain/money/amount.js';
import { type Awaitable, onceKnown } from '../../kit/awaitable.js';
import { PrincipalAccounts } from '../accounts/owners/principal-accounts.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { RegistrationRoots } from '../users/registration-roots.js';
import { termsAt } from './limit-terms.js';
import { SelfLimitEntity } from './self-limit.entity.js';

/** A limit with the amount that is in force, and what is pending. */
export type LimitInForce = Pick<SelfLimitEntity, 'limitId' | 'accountId' | 'kind' | 'asset' | 'period'> & {
  readonly amount: Amount;
  readonly pendingAmount: Amount | null;
  readonly effectiveAt: Date | null;
};

/** What keeps an account from trading at a moment. */
export interface Standing {
  readonly accountId: number;
  /** The account's `limitsSequence`, read before everything else here; null where it has never had a limit. */
  readonly asOf: number | null;
  /** By the clock of the database. */
  readonly nowMs: number;
  readonly excludedUntil: Date | null;
  /** Of all trading accounts of the owner: each counts what any of them does. */
  readonly limits: readonly LimitInForce[];
  readonly tradingAccountIds: readonly number[];
}

interface StandingRow {
  readonly limits_sequence: string | null;
  readonly now: Date;
  readonly excluded_until: Date | null;
}

const STANDING = `
  SELECT limits_sequence, clock_timestamp() AS now, (
    SELECT max(until) FROM self_exclusions WHERE person = ANY ($2) AND until > clock_timestamp()
  ) AS excluded_until
  FROM accounts WHERE account_id = $1`;

/** Reads limits and exclusions as they are stored: limits are an owner's, exclusions those of a registration root. */
@Injectable()
export class Standings {
  constructor(
    private readonly core: CoreService,
    private readonly accounts: PrincipalAccounts,
    private readonly roots: RegistrationRoots,
    @Inject(PG_POOL) private readonly pool: Pool,
    @InjectRepository(SelfLimitEntity) private readonly limits: Repository<SelfLimitEntity>,
  ) {}

  /** Whether the account has ever had limits, or its owner was excluded while having it. */
  hasLimits(accountId: number): Awaitable<boolean> {
    return onceKnown(this.core.account(accountId), (account) => (account?.limitsSequence ?? null) !== null);
  }

  /**
   * Whether the account may have limits, or its owner be excluded, from memory in nearly all cases. Both are told by the
   * first account of the owner, and an exclusion by that of the registration root, so they count for accounts and users
   * that are made while they last, too.
   */
  isLimited(accountId: number): Awaitable<boolean> {
    return onceKnown(this.core.account(accountId), (account) => {
      if (account === undefined || account.limitsSequence !== null) return account !== undefined;
      const { owner } = account;
      if (owner === null) return false;
      return onceKnown(this.isFirstLimited(owner), (isLimited) => isLimited || this.isRootLimited(owner));
    });
  }

  /** Whether somebody may be excluded as another user of the same registration root. */
  isRootLimited(person: string): Awaitable<boolean> {
    return onceKnown(this.roots.of(person), (root) => root !== person && this.isFirstLimited(root));
  }

  /** The standing of an account, and of who acts on it where that is not its owner. */
  async of(accountId: number, person: string | null): Promise<Standing> {
    const owner = (await this.core.account(accountId))?.owner ?? null;
    const { rows } = await this.pool.query<StandingRow>(STANDING, [
      accountId,
      await this.personsBehind(owner, person),
    ]);
    const { limits_sequence, now, excluded_until } = rows[0]!;
    const nowMs = now.getTime();
    const tradingAccountIds = owner === null ? [accountId] : await this.tradingAccountsOf(owner);
    return {
      accountId,
      asOf: limits_sequence === null ? null : Number(limits_sequence),
      nowMs,
      excludedUntil: excluded_until,
      limits: await this.limitsOf(tradingAccountIds, nowMs),
      tradingAccountIds,
    };
  }

  /** As `of`; an account that was no part of it when a limit was set or an exclusion began is limited from here on. */
  async limited(accountId: number, person: string | null): Promise<Standing> {
    const standing = await this.of(accountId, person);
    const isBound = standing.excludedUntil !== null || standing.limits.length > 0;
    if (standing.asOf !== null || !isBound) return standing;
    await this.core.submit({ commands: [{ type: 'renew_self_limits', accountId }] });
    return this.of(accountId, person);
  }

  async tradingAccountsOf(owner: string): Promise<number[]> {
    const accounts = await this.core.accountsOf(owner);
    return accounts.filter(({ kind }) => kind === 'trading').map(({ accountId }) => accountId);
  }

  private isFirstLimited(person: string): Awaitable<boolean> {
    return onceKnown(this.accounts.accountOf(person), (first) => first !== null && this.hasLimits(first));
  }

  private async personsBehind(...persons: readonly (string | null)[]): Promise<string[]> {
    const known = persons.filter((person) => person !== null);
    return [...known, ...(await Promise.all(known.map(async (person) => this.roots.of(person))))];
  }

  /** In the order in which they were first set. */
  private async limitsOf(accountIds: readonly number[], nowMs: number): Promise<LimitInForce[]> {
    const stored = await this.limits.find({
      where: { accountId: In(accountIds.map(String)) },
      order: { limitId: 'ASC' },
    });
    return stored.flatMap((limit) => limitAt(limit, nowMs) ?? []);
  }
}

/** A stored limit as it is at a moment; null where it has ended. */
export function limitAt(limit: SelfLimitEntity, nowMs: number): LimitInForce | null {
  const { limitId, accountId, kind, asset, period, amount, pendingAmount, effectiveAt } = limit;
  const terms = termsAt({ amount, pendingAmount, effectiveAtMs: effectiveAt?.getTime() ?? null }, nowMs);
  if (terms === null) return null;
  const isPending = terms.effectiveAtMs !== null;
  return {
    limitId,
    accountId,
    kind,
    asset,
    period,
    amount: terms.amount as Amount,
    pendingAmount: isPending ? pendingAmount : null,
    effectiveAt: isPending ? effectiveAt : null,
  };
}
