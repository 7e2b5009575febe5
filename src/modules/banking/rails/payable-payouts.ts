import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PayoutRail, type RailPayment, type RailTerms } from '../bank-rails/payout-rail.js';
import { KycStanding } from '../kyc/kyc-standing.js';
import { PayoutAccountEntity } from '../payout-accounts/payout-account.entity.js';
import { PayoutAccountsService } from '../payout-accounts/payout-accounts.service.js';
import { paymentIdOf } from '../payouts/payout-commands.js';
import { centsOf } from '../payouts/payout-limits.js';
import { PayoutLifecycle } from '../payouts/payout-lifecycle.service.js';
import { PayoutEntity } from '../payouts/payout.entity.js';
import { isHeldSql, WithdrawalGate } from '../../users/withdrawal-gate.js';
import { PayoutRailEntity } from './payout-file.entity.js';

/** Locked payouts that may leave now, each with its payment. */
export interface Payable {
  readonly payouts: readonly PayoutEntity[];
  readonly payments: readonly RailPayment[];
  /** Those that have failed instead: the caller settles them after the commit. */
  readonly failedPayoutIds: readonly string[];
  /** More waits than was taken. */
  readonly isFull: boolean;
}

/** Finds out which payouts may leave by a rail, whoever sends them. */
@Injectable()
export class PayablePayouts {
  constructor(
    private readonly rail: PayoutRail,
    private readonly accounts: PayoutAccountsService,
    private readonly standing: KycStanding,
    private readonly lifecycle: PayoutLifecycle,
    private readonly gate: WithdrawalGate,
  ) {}

  async of(manager: EntityManager, terms: RailTerms): Promise<Payable> {
    await this.gate.enter(manager);
    // A concurrent cancel holds its row: this waits, and then finds it cancelled.
    const waiting = await manager
      .createQueryBuilder(PayoutEntity, 'payout')
      .where(`payout.rail = :rail AND payout.status = 'pending'`, { rail: terms.name })
      .andWhere('payout.accepted_at IS NOT NULL AND payout.due_command IS NULL')
      .andWhere(`NOT ${isHeldSql('payout.account_id')}`)
      .orderBy('payout.payout_id')
      .limit(terms.paymentsMax)
      .setLock('pessimistic_write')
      .getMany();
    const isFull = waiting.length === terms.paymentsMax;
    return { ...(await this.separatePayable(manager, terms, waiting)), isFull };
  }

  /** Payouts fail if their owner has lost the KYC approval meanwhile, or if the rail no longer carries them. */
  private async separatePayable(
    manager: EntityManager,
    { name: rail }: RailTerms,
    waiting: readonly PayoutEntity[],
  ): Promise<Omit<Payable, 'isFull'>> {
    const approved = new Map<string, boolean>();
    const payees = new Map<string, Omit<RailPayment, 'paymentId' | 'amountCents' | 'reference'>>();
    const payouts: PayoutEntity[] = [];
    const payments: RailPayment[] = [];
    const failedPayoutIds: string[] = [];
    for (const payout of waiting) {
      const { owner, payoutAccountId, reference } = payout;
      if (!approved.has(owner))
        approved.set(owner, (await this.standing.standingOf(owner, manager)).approved);
      if (!payees.has(payoutAccountId)) {
        const account = await manager.findOneByOrFail(PayoutAccountEntity, { payoutAccountId });
        payees.set(payoutAccountId, await this.accounts.payeeOf(account, manager));
      }
      const payment: RailPayment = {
        ...payees.get(payoutAccountId)!,
        paymentId: paymentIdOf(payout),
        amountCents: centsOf(payout.amount),
        reference,
      };
      const refusal =
        approved.get(owner) === true
          ? { code: 'rail_refused', message: this.rail.refusalOf(rail, payment) }
          : { code: 'kyc_required', message: 'The KYC record is not approved any more.' };
      if (refusal.message === undefined) {
        payouts.push(payout);
        payments.push(payment);
      } else {
        await this.lifecycle.stepLocked(manager, payout, {
          to: 'failed',
          by: null,
          code: refusal.code,
          message: refusal.message,
        });
        failedPayoutIds.push(payout.payoutId);
      }
    }
    return { payouts, payments, failedPayoutIds };
  }
}

/** Whoever sends by the rail does so after the other. */
export async function lockRail(manager: EntityManager, rail: string): Promise<PayoutRailEntity> {
  await manager.createQueryBuilder().insert().into(PayoutRailEntity).values({ rail }).orIgnore().execute();
  return manager.findOneOrFail(PayoutRailEntity, { where: { rail }, lock: { mode: 'pessimistic_write' } });
}
