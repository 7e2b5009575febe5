import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { formatAmount } from '../../../domain/money/amount.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { storableText } from '../../../kit/storable-text.js';
import { PayoutRail, type Payee, type RailTerms } from '../bank-rails/payout-rail.js';
import { PAYOUT_IDS } from '../ids.js';
import { PayoutAccountEntity } from '../payout-accounts/payout-account.entity.js';
import { PayoutAccountsService } from '../payout-accounts/payout-accounts.service.js';
import { paymentIdOf, payoutIdOf } from '../payouts/payout-commands.js';
import { payoutNotFound, PayoutLifecycle, type PayoutStep } from '../payouts/payout-lifecycle.service.js';
import { PayoutEntity } from '../payouts/payout.entity.js';
import { lockRail, PayablePayouts } from './payable-payouts.js';

const TEXT_LENGTH_MAX = 500;

/** A payout that is to be sent, or maybe was by a process that has died. */
export interface PendingPayout extends Payee {
  /** Such as `pay_00000000007`. */
  readonly id: string;
  /** For the bank, as its idempotency key: letters, digits and a hyphen, never used for another payout. */
  readonly paymentId: string;
  readonly currency: string;
  /** A plain decimal. */
  readonly amount: string;
  /** The owner's words for the payee. */
  readonly reference: string | null;
}

/** What a bank says has become of a payout that it was sent. `returned` may follow `paid`. */
export type PayoutOutcome = 'paid' | 'failed' | 'returned';

/** The states in which a plugin has a payout. */
const AT_THE_BANK = ['processing', 'in_transit', 'paid', 'failed', 'returned'];

/**
 * Sends payouts of a rail that a plugin declares with `isSentByPlugin`. Each act is in the audit log. All of it may be done
 * again: what has happened already changes nothing.
 */
@Injectable()
export class Payouts {
  constructor(
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    private readonly rail: PayoutRail,
    private readonly payable: PayablePayouts,
    private readonly accounts: PayoutAccountsService,
    private readonly lifecycle: PayoutLifecycle,
    private readonly audit: AuditLog,
  ) {}

  /**
   * All that is to be sent by a rail. From here on a payout is `processing`, and its owner cannot cancel it. It is answered
   * again until `sent` or `report` is called, since whoever was to send it may have died: give the bank its `paymentId`, which
   * makes it pay once. Payouts of frozen accounts are left out, and those fail whose owners may not be paid any more.
   */
  async pending(rail: string): Promise<readonly PendingPayout[]> {
    const terms = this.termsOf(rail);
    while (await this.claim(terms));
    const rows = await this.payouts.find({
      where: { rail, status: 'processing', fileId: IsNull(), bankReference: IsNull() },
      order: { payoutId: 'ASC' },
      take: terms.paymentsMax,
    });
    const pending: PendingPayout[] = [];
    for (const payout of rows) {
      const { payoutAccountId, amount, currency, reference } = payout;
      const account = await this.payouts.manager.findOneByOrFail(PayoutAccountEntity, { payoutAccountId });
      pending.push({
        ...(await this.accounts.payeeOf(account)),
        id: payoutIdOf(payout),
        paymentId: paymentIdOf(payout),
        currency,
        amount: formatAmount(amount),
        reference,
      });
    }
    return pending;
  }

  /**
   * The bank has it, under this reference of its own. Throws `not_found` (404), and `conflict` (409) where it has another
   * reference already, or is in no state to be sent.
   */
  async sent(id: string, reference: string): Promise<void> {
    const bankReference = textOf(reference);
    await this.take(id, 'payout_sent', { bankReference }, (payout) => {
      if (payout.bankReference === bankReference) return null;
      if (payout.bankReference !== null)
        throw new ApiError(CONFLICT, `The bank has the payout under another reference already.`);
      return { to: 'in_transit', by: null, bankReference };
    });
  }

  /**
   * What has become of it, with the bank's reason. Throws `not_found` (404), `conflict` (409) where it was not to be sent yet,
   * and `invalid_status_change` (409) where it has come to another end.
   */
  async report(id: string, outcome: PayoutOutcome, reason: string | null = null): Promise<void> {
    const message = reason === null ? null : textOf(reason);
    await this.take(id, 'payout_report', { outcome, reason: message }, ({ status }) =>
      status === outcome ? null : { to: outcome, by: null, message },
    );
  }

  private async take(
    text: string,
    what: string,
    details: Readonly<Record<string, unknown>>,
    stepOf: (payout: PayoutEntity) => PayoutStep | null,
  ): Promise<void> {
    const payoutId = PAYOUT_IDS.parse(text);
    if (payoutId === undefined) throw payoutNotFound();
    await this.lifecycle.take(String(payoutId), async (payout, manager) => {
      const { rail, fileId, status } = payout;
      this.termsOf(rail);
      if (fileId !== null || !AT_THE_BANK.includes(status))
        throw new ApiError(CONFLICT, `The payout is ${status}, and not one that a plugin sends.`);
      const step = stepOf(payout);
      if (step !== null)
        await this.audit.recordOfSystem(manager, what, {
          target: { type: 'payout', id: payoutIdOf(payout) },
          details: { rail, ...details },
        });
      return step;
    });
  }

  /** Answers whether more may wait. */
  private async claim(terms: RailTerms): Promise<boolean> {
    const { failedPayoutIds, isFull } = await this.payouts.manager.transaction(async (manager) => {
      await lockRail(manager, terms.name);
      const payable = await this.payable.of(manager, terms);
      for (const payout of payable.payouts) {
        await this.lifecycle.stepLocked(manager, payout, { to: 'processing', by: null });
        await this.audit.recordOfSystem(manager, 'payout_claim', {
          target: { type: 'payout', id: payoutIdOf(payout) },
          details: { rail: terms.name, amount: formatAmount(payout.amount), currency: payout.currency },
        });
      }
      return payable;
    });
    for (const payoutId of failedPayoutIds) await this.lifecycle.settle(payoutId);
    return isFull;
  }

  private termsOf(rail: string): RailTerms {
    const terms = this.rail.rails().find(({ name }) => name === rail);
    if (terms?.isSentByPlugin === true) return terms;
    throw new ApiError(NOT_FOUND, `There is no rail "${rail}" whose payouts a plugin sends.`);
  }
}

function textOf(value: string): string {
  if (typeof value !== 'string' || value === '')
    throw new ApiError(CONFLICT, 'A reference and a reason must be text that is not empty.');
  return storableText(value.slice(0, TEXT_LENGTH_MAX));
}
