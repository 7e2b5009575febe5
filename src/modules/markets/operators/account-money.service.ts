import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { AccountAccessService, accountNotFound } from '../../accounts/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import type { CoreRequest, IdempotencyKey } from '../../../core/core.types.js';
import { approvedKey } from '../../accounts/commands/approved-key.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { CreditGate } from '../../limits/credit-gate.js';
import { ClosedOwners } from '../../users/closed-owners.js';
import type { MoveMoney } from '../../../domain/engine/commands.js';
import { type Amount, amountOf, decimalsOf, formatAmount } from '../../../domain/money/amount.js';
import type { ApprovalKind } from '../../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_FINANCE } from '../../../kit/security/operator-roles.js';
import { Approvals, type Proposal, type Proposed } from '../../../kit/approvals/approvals.service.js';
import type { Proposable } from '../../../kit/approvals/proposed.js';
import { ownMatter } from '../../../kit/approvals/second-person.js';
import { fingerprintOf } from '../../../kit/repeated-requests.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { actorOf, personOf, type Principal } from '../../../kit/security/principal.js';
import {
  type AdjustedDto,
  type AdjustmentDto,
  type DepositDto,
  type DepositedDto,
  toAdjustedDto,
  toDepositedDto,
} from './account-money.dto.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** Where money that operators move comes from and goes to: an account of the outside world of their own. */
const OPERATOR_RAIL = 'operator';

/** The stored payload of a proposed deposit or adjustment, also sent to the core. */
interface MoneyPayload {
  readonly accountId: number;
  readonly asset: string;
  /** A decimal number without trailing zeros. */
  readonly amount: string;
  readonly direction: 'credit' | 'debit';
  readonly reference: string;
  /** Why, in the operator's own words; null for deposits. */
  readonly reason: string | null;
}

export const DEPOSIT = new ApprovalType<MoneyPayload>('deposit', { roles: [OPERATOR_FINANCE] });
export const ADJUSTMENT = new ApprovalType<MoneyPayload>('adjustment', { roles: [OPERATOR_FINANCE] });

/** Money that operators put into accounts or take out of them; with `FOUR_EYES` by two persons. */
@Injectable()
export class AccountMoney {
  readonly depositing: ApprovalKind<MoneyPayload> = {
    approved: ({ owner }, manager) => this.requireOpen(owner, manager),
    carryOut: async (approval) => {
      const { decidedBy: actor, payload } = approval;
      await this.move('deposit', payload, {
        idempotency: approvedKey(approval),
        ...(actor !== null && { actor }),
      });
    },
  };
  readonly adjusting: ApprovalKind<MoneyPayload> = {
    carryOut: async ({ decidedBy: actor, payload }) => {
      await this.moveOnce(payload, actor === null ? {} : { actor });
    },
  };

  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly limits: CreditGate,
    private readonly closed: ClosedOwners,
    private readonly approvals: Approvals,
    private readonly audit: AuditLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Throws `account_not_found`, also for accounts of closed users, `asset_not_found`, `invalid_amount`, `amount_too_precise`, `self_excluded` (403),
   * `self_limit_exceeded` (422), and as `propose`.
   */
  async deposit(
    principal: Principal,
    account: string,
    body: DepositDto,
    key: string | undefined,
  ): Promise<Proposable<DepositedDto>> {
    const { accountId, owner } = await this.access.customerAccount(account);
    await this.requireOpen(owner);
    const payload = this.payloadOf({ ...body, accountId, direction: 'credit', reason: null });
    if (this.config.fourEyes) return this.propose(principal, DEPOSIT, owner, payload, key);
    const { transferId, replayed } = await this.move(
      'deposit',
      payload,
      this.actOf(
        principal,
        payload,
        idempotencyOf(principal, key, `/admin/accounts/${account}/deposits`, body),
      ),
    );
    return { body: toDepositedDto(transferId, accountId, body), replayed };
  }

  /**
   * Once for each reference of the account: a repeat is answered as the first was. Throws as `deposit` does,
   * `insufficient_funds` (422) where a debit is more than what is available, `related_person` (403) for one's own
   * account, and `conflict` (409) where the reference is that of another adjustment.
   */
  async adjust(principal: Principal, account: string, body: AdjustmentDto): Promise<Proposable<AdjustedDto>> {
    const { accountId, owner } = await this.access.customerAccount(account);
    if (owner === personOf(principal)) throw ownMatter();
    const payload = this.payloadOf({ ...body, accountId });
    if (this.config.fourEyes) return this.propose(principal, ADJUSTMENT, owner, payload, undefined);
    const { transferId, replayed } = await this.moveOnce(payload, this.actOf(principal, payload, undefined));
    return { body: toAdjustedDto(transferId, accountId, body), replayed };
  }

  /** Nobody could reach what a closed user was given. */
  private async requireOpen(owner: string | null, manager?: EntityManager): Promise<void> {
    if (owner !== null && (await this.closed.has(owner, manager))) throw accountNotFound();
  }

  private async propose(
    principal: Principal,
    kind: ApprovalType<MoneyPayload>,
    owner: string,
    payload: MoneyPayload,
    key: string | undefined,
  ): Promise<Proposed> {
    const id = ACCOUNT_IDS.format(payload.accountId);
    const summary = summaryOf(kind, payload, `account ${id} of ${await this.approvals.nameOf(owner)}`);
    const proposal: Proposal<MoneyPayload> = {
      kind,
      owner,
      subject: { type: 'account', id },
      summary,
      payload,
      // The same adjustment is proposed once, and no other one under its reference.
      ...(kind === ADJUSTMENT && { slot: `adjustment:${id}:${payload.reference}` }),
    };
    return this.approvals.propose({ principal, key }, proposal);
  }

  /** What the engine would refuse whenever it was asked is not worth anybody's second look. */
  private payloadOf(money: MoneyPayload): MoneyPayload {
    const { accountId, asset, direction, reference, reason } = money;
    const units: Amount = amountOf(money.amount);
    const scale = this.core.asset(asset)?.scale;
    if (scale === undefined) throw new ApiError(REFUSALS.asset_not_found, `There is no asset ${asset}.`);
    if (decimalsOf(units) > scale) {
      throw new ApiError(REFUSALS.amount_too_precise, `${asset} has ${scale} decimals.`);
    }
    return { accountId, asset, amount: formatAmount(units), direction, reference, reason };
  }

  /** What one operator does alone. */
  private actOf(
    principal: Principal,
    { accountId, asset, amount, direction, reference }: MoneyPayload,
    idempotency: IdempotencyKey | undefined,
  ): Omit<CoreRequest, 'commands'> {
    const audit = this.audit.entryFor({
      target: { type: 'account', id: ACCOUNT_IDS.format(accountId) },
      details: { direction, asset, amount, reference },
    });
    return { actor: actorOf(principal), audit, ...(idempotency && { idempotency }) };
  }

  /** Under the reference of the adjustment, whichever way it came to be carried out. */
  private moveOnce(
    payload: MoneyPayload,
    act: Omit<CoreRequest, 'commands' | 'idempotency'>,
  ): Promise<{ readonly transferId: number; readonly replayed: boolean }> {
    const { accountId, asset, amount, direction, reference, reason } = payload;
    const idempotency: IdempotencyKey = {
      owner: `adjustment:${accountId}`,
      key: reference,
      fingerprint: fingerprintOf('COMMAND', 'adjustment', { asset, amount, direction, reason }),
      keptForGood: true,
    };
    return this.move('adjustment', payload, { ...act, idempotency });
  }

  private async move(
    reason: 'deposit' | 'adjustment',
    { accountId, asset, amount, direction, reference }: MoneyPayload,
    act: Omit<CoreRequest, 'commands'>,
  ): Promise<{ readonly transferId: number; readonly replayed: boolean }> {
    const customer = { accountId };
    const outside = { rail: OPERATOR_RAIL };
    const [debit, credit] = direction === 'credit' ? [outside, customer] : [customer, outside];
    const command: MoveMoney = { type: 'move_money', debit, credit, asset, amount, reason, reference };
    const { outcomes, replayed } =
      reason === 'deposit'
        ? await this.limits.deposit(accountId, [command], act)
        : await this.core.submit({ commands: [command], ...act });
    const [outcome] = outcomes;
    if (
      outcome?.ok === false &&
      outcome.refusal.code === 'idempotency_key_reused' &&
      reason === 'adjustment'
    ) {
      throw new ApiError(CONFLICT, 'The reference is that of another adjustment of this account.');
    }
    return { transferId: resultOf(outcome, 'transfer').transferId, replayed: replayed[0]! };
  }
}

function summaryOf(
  kind: ApprovalType<MoneyPayload>,
  { asset, amount, direction, reference, reason }: MoneyPayload,
  account: string,
): string {
  if (kind === DEPOSIT) return `Deposit ${amount} ${asset} into the ${account} (${reference}).`;
  const change = direction === 'credit' ? 'Credit' : 'Debit';
  const preposition = direction === 'credit' ? 'to' : 'from';
  return `${change} ${amount} ${asset} ${preposition} the ${account} (${reference}): ${reason ?? ''}`;
}
