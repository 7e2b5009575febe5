import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { Repository } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import type { Amount } from '../../domain/money/amount.js';
import { PrincipalAccounts } from '../auth/credentials/principal-accounts.js';
import { PG_POOL } from '../../platform/database/pg-pool.js';
import { termsAt } from './limit-terms.js';
import { SelfLimitEntity } from './self-limit.entity.js';

/** A limit with the amount that is in force, and what is pending. */
export type LimitInForce = Pick<SelfLimitEntity, 'limitId' | 'kind' | 'asset' | 'period'> & {
  readonly amount: Amount;
  readonly pendingAmount: Amount | null;
  readonly effectiveAt: Date | null;
};

/** What keeps an account from trading at a moment. */
export interface Standing {
  /** The account's `limitsSequence`, read before everything else here; null where it has never had a limit. */
  readonly asOf: number | null;
  /** By the clock of the database. */
  readonly nowMs: number;
  readonly excludedUntil: Date | null;
  readonly limits: readonly LimitInForce[];
}

interface StandingRow {
  readonly limits_sequence: string | null;
  readonly now: Date;
  readonly excluded_until: Date | null;
}

const STANDING = `
  SELECT limits_sequence, clock_timestamp() AS now, (
    SELECT max(until) FROM self_exclusions
    WHERE (person = owner OR person = $2) AND until > clock_timestamp()
  ) AS excluded_until
  FROM accounts WHERE account_id = $1`;

/** Reads limits and exclusions as they are stored. */
@Injectable()
export class Standings {
  constructor(
    private readonly core: CoreService,
    private readonly accounts: PrincipalAccounts,
    @Inject(PG_POOL) private readonly pool: Pool,
    @InjectRepository(SelfLimitEntity) private readonly limits: Repository<SelfLimitEntity>,
  ) {}

  /** Whether the account has ever had limits, or its owner was excluded while having it. */
  async hasLimits(accountId: number): Promise<boolean> {
    return ((await this.core.account(accountId))?.limitsSequence ?? null) !== null;
  }

  /**
   * Whether the account may have limits, or its owner be excluded, from memory in nearly all cases. An exclusion is told by
   * the owner's first account, so it counts for those that are opened while it lasts, too.
   */
  async isLimited(accountId: number): Promise<boolean> {
    const account = await this.core.account(accountId);
    if (account === undefined || account.limitsSequence !== null) return account !== undefined;
    const first = account.owner === null ? null : await this.accounts.accountOf(account.owner);
    return first !== null && first !== accountId && this.hasLimits(first);
  }

  /** The standing of an account, and of who acts on it where that is not its owner. */
  async of(accountId: number, person: string | null): Promise<Standing> {
    const { rows } = await this.pool.query<StandingRow>(STANDING, [accountId, person]);
    const { limits_sequence, now, excluded_until } = rows[0]!;
    const nowMs = now.getTime();
    return {
      asOf: limits_sequence === null ? null : Number(limits_sequence),
      nowMs,
      excludedUntil: excluded_until,
      limits: limits_sequence === null ? [] : await this.limitsOf(accountId, nowMs),
    };
  }

  /** In the order in which they were first set. */
  private async limitsOf(accountId: number, nowMs: number): Promise<LimitInForce[]> {
    const stored = await this.limits.find({
      where: { accountId: String(accountId) },
      order: { limitId: 'ASC' },
    });
    return stored.flatMap((limit) => limitAt(limit, nowMs) ?? []);
  }
}

/** A stored limit as it is at a moment; null where it has ended. */
export function limitAt(limit: SelfLimitEntity, nowMs: number): LimitInForce | null {
  const { limitId, kind, asset, period, amount, pendingAmount, effectiveAt } = limit;
  const terms = termsAt({ amount, pendingAmount, effectiveAtMs: effectiveAt?.getTime() ?? null }, nowMs);
  if (terms === null) return null;
  const isPending = terms.effectiveAtMs !== null;
  return {
    limitId,
    kind,
    asset,
    period,
    amount: terms.amount as Amount,
    pendingAmount: isPending ? pendingAmount : null,
    effectiveAt: isPending ? effectiveAt : null,
  };
}
