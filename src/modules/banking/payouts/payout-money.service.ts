import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { Outbox } from '../../../core/outbox/outbox.js';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { Command } from '../../../domain/engine/commands.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { withHistory } from '../../../kit/database/with-history.js';
import { commandsFor, payoutIdOf } from './payout-commands.js';
import { PAYOUT_HISTORY } from './payout-history.js';
import { tellOfPayout } from './payout-notice.js';
import { payoutProposal } from './payout-proposal.js';
import { PayoutEntity, type PayoutDueCommand } from './payout.entity.js';

/** Whose keys the commands of payouts are in the core. */
const KEYS_OWNER = 'payout';

/** Moves the money of payouts, as their rows have it due. */
@Injectable()
export class PayoutMoney extends Outbox<PayoutEntity, PayoutDueCommand> {
  constructor(
    core: CoreService,
    @InjectRepository(PayoutEntity) payouts: Repository<PayoutEntity>,
    private readonly approvals: Approvals,
  ) {
    super(core, payouts, {
      owner: KEYS_OWNER,
      idColumn: 'payoutId',
      first: ['hold'],
      laterMessage:
        'The payout was accepted and its money may be held later. Repeat it with the same Idempotency-Key, or see GET /payouts.',
    });
  }

  protected idOf(payout: PayoutEntity): string {
    return payoutIdOf(payout);
  }

  protected async commandsFor(payout: PayoutEntity, due: PayoutDueCommand): Promise<readonly Command[]> {
    const isFeePaid = due === 'pay' && payout.fee > 0n;
    return commandsFor(due, payout, isFeePaid ? await this.feesAccount() : undefined);
  }

  /** One that needs a second person is followed by its approval from here on. */
  protected async accept({ payoutId }: PayoutEntity): Promise<PayoutEntity> {
    await this.rows.manager.transaction(async (manager) => {
      const [accepted] = await manager.query<{ readonly status: PayoutStatus }[]>(
        withHistory(
          PAYOUT_HISTORY,
          `UPDATE payouts SET due_command = NULL, accepted_at = now(), updated_at = now()
           WHERE payout_id = $1::bigint AND due_command = 'hold'
           RETURNING payout_id, status, requested_by AS changed_by, NULL AS code, NULL AS message`,
        ),
        [payoutId],
      );
      if (accepted === undefined) return;
      const payout = await manager.findOneByOrFail(PayoutEntity, { payoutId });
      await tellOfPayout(manager, payout);
      if (accepted.status !== 'pending_approval') return;
      const ownerName = await this.approvals.nameOf(payout.owner, manager);
      const proposal = await payoutProposal(manager, payout, ownerName);
      await this.approvals.follow(manager, proposal, payout.requestedBy);
    });
    return this.find(payoutId);
  }

  /** The house's account for the fees of payouts: made once, and found again by the key it was made under. */
  private async feesAccount(): Promise<number> {
    const { outcomes } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'fees', name: 'payouts', owner: null }],
      idempotency: { owner: KEYS_OWNER, key: 'fees account', fingerprint: 'create', keptForGood: true },
    });
    return resultOf(outcomes[0], 'account').accountId;
  }
}
