import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';
import { moneyStepOf, type PayoutStatus } from '../../../domain/banking/payout-states.js';
import { withHistory } from '../../../kit/database/with-history.js';
import { TEMPORARILY_UNAVAILABLE, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { PAYOUT_HISTORY } from './payout-history.js';
import { PayoutMoney } from './payout-money.service.js';
import { PayoutEntity, type PayoutDueCommand } from './payout.entity.js';

/** A step from one status to the next, as it goes into the history. */
export interface PayoutStep {
  readonly to: PayoutStatus;
  /** The person, see `personOf`; null where the service itself does it. */
  readonly by: string | null;
  readonly code?: string | null;
  readonly message?: string | null;
  /** With `in_transit`: the day on which silence means that it was paid. */
  readonly paidAfter?: CalendarDate;
}

/** The previous transition's command may still be pending; settle it and retry this often. */
const TRIES_MAX = 3;

/**
 * Moves payouts between statuses. Each transition locks the row, so concurrent ones are serialized. A transition starts
 * only after the core has all commands of the previous one.
 */
@Injectable()
export class PayoutSteps {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly money: PayoutMoney,
  ) {}

  /**
   * Makes the transition that `decide` returns for the locked payout (it may throw), and moves its money; null changes
   * nothing. Returns the payout afterwards. Throws `not_found` (404), `invalid_status_change` (409) if there is no such
   * transition, and `temporarily_unavailable` (503) while the core lacks commands of the previous one.
   */
  async take(
    payoutId: string,
    decide: (payout: PayoutEntity, manager: EntityManager) => PayoutStep | null | Promise<PayoutStep | null>,
  ): Promise<PayoutEntity> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      const { payout, isTaken } = await this.dataSource.transaction(async (manager) => {
        const locked = await lockPayout(manager, payoutId);
        if (locked.dueCommand !== null) return { payout: locked, isTaken: false };
        const step = await decide(locked, manager);
        return { payout: step === null ? locked : await takeStep(manager, locked, step), isTaken: true };
      });
      if (isTaken) {
        if (payout.dueCommand !== null) await this.money.settle(payoutId);
        return payout;
      }
      await this.money.carryOut(payout);
    }
    throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The payout is being changed; try again in a moment.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** Makes a transition of a locked payout in the caller's transaction; afterwards the caller settles the due command. */
export async function takeStep(
  manager: EntityManager,
  payout: PayoutEntity,
  { to, by, code = null, message = null, paidAfter }: PayoutStep,
): Promise<PayoutEntity> {
  const money = moneyStepOf(payout.status, to);
  if (money === undefined) {
    throw new ApiError(
      REFUSALS.invalid_status_change,
      `The payout is ${payout.status} and cannot become ${to}.`,
    );
  }
  const dueCommand: PayoutDueCommand | null = money === 'keep' ? null : money;
  const changes = {
    status: to,
    code,
    message,
    dueCommand,
    updatedAt: new Date(),
    ...(paidAfter !== undefined && { paidAfter }),
  };
  await manager.query(
    withHistory(
      PAYOUT_HISTORY,
      `UPDATE payouts SET status = $2::text, code = $3::text, message = $4::text, due_command = $5::text,
         updated_at = $6::timestamptz, paid_after = coalesce($7::date, paid_after)
       WHERE payout_id = $1::bigint
       RETURNING payout_id, status, $8::text AS changed_by, code, message`,
    ),
    [payout.payoutId, to, code, message, dueCommand, changes.updatedAt, paidAfter ?? null, by],
  );
  return Object.assign(payout, changes);
}

/** Throws `not_found` (404). */
export async function lockPayout(manager: EntityManager, payoutId: string): Promise<PayoutEntity> {
  const payout = await manager.findOne(PayoutEntity, {
    where: { payoutId },
    lock: { mode: 'pessimistic_write' },
  });
  if (payout === null || payout.acceptedAt === null) throw payoutNotFound();
  return payout;
}

export function payoutNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such payout of yours. See GET /payouts.');
}
