import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, Not, Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { resultOf } from '../../../core/http/outcome.js';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { Command, Outcome, Refusal } from '../../../domain/engine/commands.js';
import { Approvals } from '../../../platform/approvals/approvals.service.js';
import { commandsFor, payoutIdOf } from './payout-commands.js';
import { payoutProposal } from './payout-proposal.js';
import { PayoutEntity, type PayoutDueCommand } from './payout.entity.js';

/** Whose keys the commands of payouts are in the core. */
const KEYS_OWNER = 'payout';

/** A command of no effect that takes the place of one that must never happen any more. */
const NOTHING: Command = { type: 'advance_time' };

const SWEPT_AT_ONCE_MAX = 100;

/** How a new payout fared: its money was put aside, or it is gone without a trace. */
export type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly refusal: Refusal };

/**
 * Tells the core what payouts have due. A payout and its commands are two transactions: first the row says
 * what is due, then the core does it, once for all time, under a key made of the payout's id; then the row is
 * told. Where a process dies in between, the sweep does the rest.
 */
@Injectable()
export class PayoutMoney {
  private readonly logger = new Logger('Payouts');

  constructor(
    private readonly core: CoreService,
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    private readonly approvals: Approvals,
  ) {}

  /**
   * Does what the payout has due. Throws what the core throws: `temporarily_unavailable` or
   * `outcome_unknown` (503), after either of which the sweep tries again.
   */
  async carryOut(payout: PayoutEntity): Promise<Verdict> {
    const { dueCommand } = payout;
    if (dueCommand === null) return { accepted: true };
    if (dueCommand === 'hold') return this.begin(payout);
    await this.finish(payout, dueCommand);
    return { accepted: true };
  }

  /** Does what follows from a step that is committed; where the core cannot be asked now, the sweep will. */
  async settle(payoutId: string): Promise<void> {
    await this.carryOutOrLog(await this.payouts.findOneByOrFail({ payoutId }));
  }

  /** Goes on with what was committed longer ago than `olderThanMs`, oldest first; tells how many it was. */
  async sweep(olderThanMs: number): Promise<number> {
    let swept = 0;
    let after = '0';
    for (;;) {
      const due = await this.payouts.find({
        where: {
          dueCommand: Not(IsNull()),
          payoutId: MoreThan(after),
          updatedAt: LessThan(new Date(Date.now() - olderThanMs)),
        },
        order: { payoutId: 'ASC' },
        take: SWEPT_AT_ONCE_MAX,
      });
      for (const payout of due) await this.carryOutOrLog(payout);
      swept += due.length;
      if (due.length < SWEPT_AT_ONCE_MAX) return swept;
      after = due.at(-1)!.payoutId;
    }
  }

  /** One that fails must not keep the others from their turn. */
  private async carryOutOrLog(payout: PayoutEntity): Promise<void> {
    const { dueCommand } = payout;
    try {
      const verdict = await this.carryOut(payout);
      if (!verdict.accepted)
        this.logger.log({
          payoutId: payoutIdOf(payout),
          code: verdict.refusal.code,
          msg: 'a payout was refused',
        });
    } catch (error) {
      this.logger.warn({
        err: error,
        payoutId: payoutIdOf(payout),
        dueCommand,
        msg: 'a payout waits for the core',
      });
    }
  }

  /**
   * Puts the money aside, or the payout never was. Of a refused one the key is first used up by a command of
   * no effect, so that nobody who read the row before can still hold its money; only then is the row deleted.
   */
  private async begin(payout: PayoutEntity): Promise<Verdict> {
    const [held] = await this.submit(payout, 'hold', commandsFor('hold', payout, undefined));
    if (held!.ok) {
      await this.accept(payout);
      return { accepted: true };
    }
    const { refusal } = held!;
    if (refusal.code !== 'idempotency_key_reused') {
      const [taken] = await this.submit(payout, 'hold', [NOTHING], 'nothing');
      // Somebody else's try under the same key was accepted meanwhile.
      if (!taken!.ok) return this.begin(payout);
    }
    await this.payouts.delete({ payoutId: payout.payoutId, dueCommand: 'hold' });
    return { accepted: false, refusal };
  }

  /** One that needs a second person is followed by its approval from here on. */
  private async accept({ payoutId }: PayoutEntity): Promise<void> {
    await this.payouts.manager.transaction(async (manager) => {
      const [accepted] = await manager.query<{ readonly status: PayoutStatus }[]>(
        `WITH accepted AS (
           UPDATE payouts SET due_command = NULL, accepted_at = now(), updated_at = now()
           WHERE payout_id = $1::bigint AND due_command = 'hold'
           RETURNING payout_id, status, requested_by
         ), told AS (
           INSERT INTO payout_states (payout_id, status, changed_by)
           SELECT payout_id, status, requested_by FROM accepted
         )
         SELECT status FROM accepted`,
        [payoutId],
      );
      if (accepted?.status !== 'pending_approval') return;
      const payout = await manager.findOneByOrFail(PayoutEntity, { payoutId });
      const ownerName = await this.approvals.nameOf(payout.owner, manager);
      const proposal = await payoutProposal(manager, payout, ownerName);
      await this.approvals.follow(manager, proposal, payout.requestedBy);
    });
  }

  /** Follows from what the core has accepted before, so a refusal is a fault and the payout stays due. */
  private async finish(payout: PayoutEntity, due: Exclude<PayoutDueCommand, 'hold'>): Promise<void> {
    const feesAccountId = due === 'pay' && payout.fee > 0n ? await this.feesAccount() : undefined;
    const outcomes = await this.submit(payout, due, commandsFor(due, payout, feesAccountId));
    const refused = outcomes.find((outcome) => !outcome.ok);
    if (refused !== undefined) {
      throw new Error(`the core refused to ${due} ${payoutIdOf(payout)}: ${refused.refusal.code}`);
    }
    await this.payouts.update({ payoutId: payout.payoutId, dueCommand: due }, { dueCommand: null });
  }

  /** The house's account for the fees of payouts: made once, and found again by the key it was made under. */
  private async feesAccount(): Promise<number> {
    const { outcomes } = await this.core.submit({
      commands: [{ type: 'create_account', kind: 'fees', name: 'payouts', owner: null }],
      idempotency: { owner: KEYS_OWNER, key: 'fees account', fingerprint: 'create', keptForGood: true },
    });
    return resultOf(outcomes[0], 'account').accountId;
  }

  private async submit(
    payout: PayoutEntity,
    due: PayoutDueCommand,
    commands: readonly Command[],
    fingerprint: string = due,
  ): Promise<readonly Outcome[]> {
    const key = `${payoutIdOf(payout)}:${due}`;
    const { outcomes } = await this.core.submit({
      commands,
      // What follows from the hold is the service's own work.
      ...(due === 'hold' && { actor: payout.requestedBy }),
      idempotency: { owner: KEYS_OWNER, key, fingerprint, keptForGood: true },
    });
    return outcomes;
  }
}
