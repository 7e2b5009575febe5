import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { Lifecycle, type LifecycleTerms, type Step } from '../../../core/outbox/lifecycle.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { PAYOUT_STEPS, type PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { Command } from '../../../domain/engine/commands.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { APPROVAL_NOT_PENDING, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { commandsFor, payoutIdOf } from './payout-commands.js';
import { notifyOfPayout } from './payout-notice.js';
import { payoutProposal } from './payout-proposal.js';
import { PayoutEntity, type PayoutDueCommand } from './payout.entity.js';

type Changed = 'code' | 'message' | 'paidAfter' | 'bankReference';

export type PayoutStep = Step<PayoutEntity, PayoutStatus, Changed>;

export const PAYOUT_TERMS: LifecycleTerms<PayoutEntity, PayoutStatus, PayoutDueCommand> = {
  owner: 'payout',
  idColumn: 'payoutId',
  first: ['hold'],
  laterMessage:
    'The payout was accepted and its money may be held later. Repeat it with the same Idempotency-Key, or see GET /payouts.',
  entity: PayoutEntity,
  table: 'payouts',
  history: 'payout_states',
  reasons: ['code', 'message'],
  steps: PAYOUT_STEPS,
};

/** Takes payouts through their states, and their money with them. */
@Injectable()
export class PayoutLifecycle extends Lifecycle<PayoutEntity, PayoutStatus, PayoutDueCommand, Changed> {
  constructor(
    core: CoreService,
    @InjectRepository(PayoutEntity) payouts: Repository<PayoutEntity>,
    approvals: Approvals,
  ) {
    super(core, payouts, approvals, PAYOUT_TERMS);
  }

  protected idOf(payout: PayoutEntity): string {
    return payoutIdOf(payout);
  }

  protected async commandsFor(payout: PayoutEntity, due: PayoutDueCommand): Promise<readonly Command[]> {
    const isFeePaid = due === 'pay' && payout.fee > 0n;
    return commandsFor(due, payout, isFeePaid ? await this.feesAccount() : undefined);
  }

  protected notFound(): ApiError {
    return payoutNotFound();
  }

  protected impossible({ status }: PayoutEntity, to: PayoutStatus): ApiError {
    return new ApiError(REFUSALS.invalid_status_change, `The payout is ${status} and cannot become ${to}.`);
  }

  protected notWaiting(payout: PayoutEntity): ApiError {
    return new ApiError(APPROVAL_NOT_PENDING, waitsForNone(payout));
  }

  protected ownerOf({ owner }: PayoutEntity): string {
    return owner;
  }

  protected proposalOf(manager: EntityManager, payout: PayoutEntity, _owner: string, ownerName: string) {
    return payoutProposal(manager, payout, ownerName);
  }

  protected override afterAcceptance(manager: EntityManager, payout: PayoutEntity): Promise<void> {
    return notifyOfPayout(manager, payout);
  }

  /** The house's account for the fees of payouts: made once, and found again by the key it was made under. */
  private async feesAccount(): Promise<number> {
    const { outcomes } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'fees', name: 'payouts', owner: null }],
      idempotency: {
        owner: PAYOUT_TERMS.owner,
        key: 'fees account',
        fingerprint: 'create',
        keptForGood: true,
      },
    });
    return resultOf(outcomes[0], 'account').accountId;
  }
}

export function payoutNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such payout of yours. See GET /payouts.');
}

export function waitsForNone({ status }: PayoutEntity): string {
  return `The payout is ${status} and waits for no approval.`;
}
