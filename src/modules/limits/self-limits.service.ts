import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import { type Amount, amountOf, decimalsOf, formatAmount } from '../../domain/money/amount.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { lockUntilCommit } from '../../kit/database/advisory-locks.js';
import { REFUSALS, errorOf } from '../accounts/commands/refusals.js';
import { NOT_FOUND } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { isInPerson, type Principal } from '../../kit/security/principal.js';
import { requireStepUp } from '../../kit/security/step-up.js';
import { AccountAccessService, accountNotFound } from '../accounts/access/account-access.service.js';
import { loginRequired } from '../users/user-access.js';
import { Allowances } from './allowances.js';
import { isLooser, type LimitTerms, termsAt, withAmount, withoutLimit } from './limit-terms.js';
import {
  type SelfLimitDto,
  type SelfLimitsDto,
  type SetSelfLimitDto,
  toSelfLimitDto,
} from './self-limit.dto.js';
import { SelfLimitEntity } from './self-limit.entity.js';
import { Standings } from './standings.js';
import { ACCOUNT_IDS } from '../accounts/ids.js';
import { SELF_LIMIT_IDS } from './ids.js';

/** Sets and shows the limits of accounts. Their owners alone change them, in person. */
@Injectable()
export class SelfLimitsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly standings: Standings,
    private readonly allowances: Allowances,
    private readonly audit: AuditLog,
    @InjectRepository(SelfLimitEntity) private readonly limits: Repository<SelfLimitEntity>,
  ) {}

  /** Owners see those of their other accounts, too; members, and keys of one account, no others. Throws `account_not_found`. */
  async list(principal: Principal, account: string): Promise<SelfLimitsDto> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const limits = await this.describe(accountId);
    const owner = (await this.core.account(accountId))?.owner;
    if (owner === principal.accountOwner && principal.isBoundToAccount !== true) return { limits };
    return { limits: limits.filter((limit) => limit.account_id === ACCOUNT_IDS.format(accountId)) };
  }

  /** Those of any customer's account, for operators. Throws `account_not_found`. */
  async listFor(account: string): Promise<SelfLimitsDto> {
    return { limits: await this.describe((await this.access.customerAccount(account)).accountId) };
  }

  /**
   * Tighter takes effect before this resolves: whatever is answered later obeys. Throws `forbidden` unless the owner asks in
   * person, `account_not_found`, `asset_not_found`, `amount_too_precise`, and for a looser one `step_up_required`.
   */
  async set(principal: Principal, account: string, body: SetSelfLimitDto): Promise<SelfLimitDto> {
    const accountId = await this.ownTradingAccount(principal, account);
    const { kind, asset, period } = body;
    const amount = this.amountIn(asset, body.amount);
    const accountIds = await this.standings.tradingAccountsOf(principal.accountOwner);
    await this.ensureLimited(accountIds);
    const limitId = await this.limits.manager.transaction(async (manager) => {
      const nowMs = await lockLimitsOf(manager, accountId);
      const stored = await manager.findOneBy(SelfLimitEntity, {
        accountId: String(accountId),
        kind,
        asset,
        period,
      });
      const terms = stored === null ? null : termsAt(termsOf(stored), nowMs);
      if (isLooser(terms, amount)) requireStepUp(principal);
      const changed = {
        ...(stored ?? { accountId: String(accountId), kind, asset, period }),
        ...columnsOf(withAmount(terms, amount, nowMs)),
      };
      const saved = await manager.save(SelfLimitEntity, changed);
      await this.record(manager, accountId, saved);
      return saved.limitId;
    });
    await this.renew(accountIds);
    return this.describeOne(accountId, limitId);
  }

  /**
   * The limit ends after a day. Throws `forbidden` unless the owner asks in person, `step_up_required`,
   * `account_not_found`, and `not_found` for limits of other accounts.
   */
  async remove(principal: Principal, account: string, id: string): Promise<SelfLimitDto> {
    const accountId = await this.ownTradingAccount(principal, account);
    const limitId = SELF_LIMIT_IDS.parse(id);
    if (limitId === undefined) throw limitNotFound();
    requireStepUp(principal);
    await this.limits.manager.transaction(async (manager) => {
      const nowMs = await lockLimitsOf(manager, accountId);
      const stored = await manager.findOneBy(SelfLimitEntity, {
        accountId: String(accountId),
        limitId: String(limitId),
      });
      const terms = stored === null ? null : termsAt(termsOf(stored), nowMs);
      if (stored === null || terms === null) throw limitNotFound();
      const saved = await manager.save(SelfLimitEntity, {
        ...stored,
        ...columnsOf(withoutLimit(terms, nowMs)),
      });
      await this.record(manager, accountId, saved);
    });
    return this.describeOne(accountId, String(limitId));
  }

  private async ownTradingAccount(principal: Principal, text: string): Promise<number> {
    if (!isInPerson(principal)) throw loginRequired();
    const accountId = await this.access.accountIdOf(principal, text, 'manage');
    if ((await this.core.account(accountId))?.kind !== 'trading') throw accountNotFound();
    return accountId;
  }

  private amountIn(asset: string, text: string): Amount {
    const amount = amountOf(text);
    const scale = this.core.asset(asset)?.scale;
    if (scale === undefined) throw new ApiError(REFUSALS.asset_not_found, `There is no asset ${asset}.`);
    if (decimalsOf(amount) > scale)
      throw new ApiError(REFUSALS.amount_too_precise, `${asset} has ${scale} decimals.`);
    return amount;
  }

  /** Before the first limit is stored, so that a stored one is never left without effect by a crash. */
  private async ensureLimited(accountIds: readonly number[]): Promise<void> {
    for (const each of accountIds) if (!(await this.standings.hasLimits(each))) return this.renew(accountIds);
  }

  /** Whatever was prepared under the former limits, for any account of the owner, is refused from here on. */
  private async renew(accountIds: readonly number[]): Promise<void> {
    const { outcomes } = await this.core.submit({
      commands: accountIds.map((accountId) => ({ type: 'renew_self_limits', accountId })),
    });
    for (const outcome of outcomes) if (!outcome.ok) throw errorOf(outcome.refusal);
  }

  private record(manager: EntityManager, accountId: number, limit: SelfLimitEntity): Promise<void> {
    const { limitId, kind, asset, period, amount, pendingAmount, effectiveAt } = limit;
    return this.audit.record(manager, {
      target: { type: 'account', id: ACCOUNT_IDS.format(accountId) },
      details: {
        limit_id: SELF_LIMIT_IDS.format(Number(limitId)),
        kind,
        asset,
        period,
        amount: formatAmount(amount),
        pending_amount: pendingAmount === null ? null : formatAmount(pendingAmount),
        effective_at: effectiveAt?.toISOString() ?? null,
      },
    });
  }

  private async describe(accountId: number): Promise<SelfLimitDto[]> {
    const standing = await this.standings.of(accountId, null);
    const measured = await this.allowances.measure(standing, standing.limits);
    return measured.map(toSelfLimitDto);
  }

  private async describeOne(accountId: number, limitId: string): Promise<SelfLimitDto> {
    const standing = await this.standings.of(accountId, null);
    const limits = standing.limits.filter((limit) => limit.limitId === limitId);
    const [measured] = await this.allowances.measure(standing, limits);
    return toSelfLimitDto(measured!);
  }
}

/** One change of an account's limits at a time; answers the time by the clock of the database. */
async function lockLimitsOf(manager: EntityManager, accountId: number): Promise<number> {
  await lockUntilCommit(manager, `self limits of ${accountId}`);
  const [row] = await manager.query<[{ now: Date }]>('SELECT clock_timestamp() AS now');
  return row.now.getTime();
}

function termsOf({ amount, pendingAmount, effectiveAt }: SelfLimitEntity): LimitTerms {
  return { amount, pendingAmount, effectiveAtMs: effectiveAt?.getTime() ?? null };
}

function columnsOf({ amount, pendingAmount, effectiveAtMs }: LimitTerms) {
  return {
    amount: amount as Amount,
    pendingAmount: pendingAmount as Amount | null,
    effectiveAt: effectiveAtMs === null ? null : new Date(effectiveAtMs),
  };
}

function limitNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'The account has no such limit. See GET /accounts/{account_id}/limits.');
}
