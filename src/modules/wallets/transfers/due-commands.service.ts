import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, MoreThan, Not, Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import type { CoreAnswer } from '../../../core/core.types.js';
import type { Command, Refusal } from '../../../domain/engine/commands.js';
import { Approvals } from '../../../platform/approvals/approvals.service.js';
import { commandsFor, releasesOf } from './transfer-commands.js';
import { transferProposal } from './transfer-proposal.js';
import { type DueCommand, WalletTransferEntity } from './wallet-transfer.entity.js';

/** Whose keys the commands of transfers are in the core. */
const KEYS_OWNER = 'transfer';

/** A command of no effect that takes the place of one that must never happen any more. */
const NOTHING: Command = { type: 'advance_time' };

const SWEEP_EVERY_MS = 10_000;
/** Who committed a transfer this lately is about to tell the core itself. */
const SWEPT_AFTER_MS = 5_000;
const SWEPT_AT_ONCE_MAX = 100;

/** How a transfer fared: it is as it was told here, or it is gone without a trace. */
export type Verdict =
  | { readonly accepted: true; readonly transfer: WalletTransferEntity }
  | { readonly accepted: false; readonly refusal: Refusal };

type AcceptedRow = Pick<WalletTransferEntity, 'status' | 'acceptedAt' | 'updatedAt'>;

/**
 * Tells the core what transfers have due. A transfer and its commands are two transactions: first the row
 * says what is due, then the core does it, once, under a key made of the transfer's id; then the row is told.
 * Where a process dies in between, the sweep of another one (or of its next start) does the rest.
 *
 * A refused transfer leaves nothing: its key is first used up by a command of no effect, so that nobody who
 * read the row before can still move its money, and only then is the row deleted.
 */
@Injectable()
export class DueCommands implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('WalletTransfers');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly core: CoreService,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
    private readonly approvals: Approvals,
  ) {}

  onApplicationBootstrap(): void {
    this.sweepByItself(0);
    this.timer = setInterval(() => this.sweepByItself(SWEPT_AFTER_MS), SWEEP_EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /**
   * Does what the transfer has due. Throws what the core throws: `temporarily_unavailable` or
   * `outcome_unknown` (503), after either of which the sweep tries again.
   */
  async carryOut(transfer: WalletTransferEntity): Promise<Verdict> {
    const { dueCommand } = transfer;
    switch (dueCommand) {
      case null:
        return { accepted: true, transfer };
      case 'move':
      case 'hold':
        return this.begin(transfer, dueCommand);
      case 'credit':
      case 'pay':
      case 'release':
        return this.finish(transfer, dueCommand);
    }
  }

  /**
   * Does what follows from a state that has been decided and committed; where the core cannot be asked
   * now, the sweep will.
   */
  async settle(transferId: string): Promise<void> {
    await this.carryOutOrLog(await this.transfers.findOneByOrFail({ transferId }));
  }

  /** Goes on with what was committed longer ago than `olderThanMs`, oldest first; tells how many it was. */
  async sweep(olderThanMs: number): Promise<number> {
    let swept = 0;
    let after = '0';
    for (;;) {
      const due = await this.transfers.find({
        where: {
          dueCommand: Not(IsNull()),
          transferId: MoreThan(after),
          updatedAt: LessThan(new Date(Date.now() - olderThanMs)),
        },
        order: { transferId: 'ASC' },
        take: SWEPT_AT_ONCE_MAX,
      });
      for (const transfer of due) await this.carryOutOrLog(transfer);
      swept += due.length;
      if (due.length < SWEPT_AT_ONCE_MAX) return swept;
      after = due.at(-1)!.transferId;
    }
  }

  private sweepByItself(olderThanMs: number): void {
    // Whoever leads sweeps; the core takes no commands from anybody else.
    if (!this.core.status().leading) return;
    this.running ??= this.sweep(olderThanMs)
      .then((swept) => {
        if (swept > 0)
          this.logger.log({ swept, msg: 'transfers that were left half done were looked after' });
      })
      .catch((error: unknown) => this.logger.warn({ err: error, msg: 'transfers could not be swept' }))
      .finally(() => {
        this.running = null;
      });
  }

  /** One that fails must not keep the others from their turn. */
  private async carryOutOrLog(transfer: WalletTransferEntity): Promise<void> {
    const { transferId, dueCommand } = transfer;
    try {
      const verdict = await this.carryOut(transfer);
      if (!verdict.accepted)
        this.logger.log({ transferId, code: verdict.refusal.code, msg: 'a transfer was refused' });
    } catch (error) {
      this.logger.warn({ err: error, transferId, dueCommand, msg: 'a transfer waits for the core' });
    }
  }

  /** Moves the money, or puts it aside: all of it, or the transfer never was. */
  private async begin(transfer: WalletTransferEntity, due: 'move' | 'hold'): Promise<Verdict> {
    const { key, commands } = commandsFor(due, transfer);
    const { outcomes } = await this.submit(key, due, commands, transfer.requestedBy ?? undefined);
    const refusal = outcomes.find((outcome) => !outcome.ok)?.refusal;
    if (refusal === undefined) return { accepted: true, transfer: await this.accept(transfer, due) };
    if (refusal.code !== 'idempotency_key_reused' && !(await this.withdraw(transfer, key, due, outcomes))) {
      // Somebody else's try under the same key was accepted meanwhile.
      return this.begin(transfer, due);
    }
    await this.transfers.delete({ transferId: transfer.transferId, dueCommand: due });
    return { accepted: false, refusal };
  }

  /** Makes sure that nothing of a refused transfer happened or ever will. False where all of it did happen. */
  private async withdraw(
    transfer: WalletTransferEntity,
    key: string,
    due: DueCommand,
    outcomes: CoreAnswer['outcomes'],
  ): Promise<boolean> {
    const placed = outcomes.map(({ ok }) => ok);
    if (placed.includes(true)) {
      // A key that was used in part is used up: nobody gets further with it.
      await this.submit(`${transfer.transferId}:withdraw`, due, releasesOf(transfer, placed));
      return true;
    }
    const { outcomes: taken } = await this.submit(key, 'nothing', [NOTHING]);
    return taken[0]!.ok;
  }

  /** One that needs a second person is followed by its approval from here on. */
  private async accept(transfer: WalletTransferEntity, due: 'move' | 'hold'): Promise<WalletTransferEntity> {
    const { transferId, sourceAccountId } = transfer;
    // Asked before the transaction: whoever holds a connection waits for no other one.
    const owner = (await this.core.account(Number(sourceAccountId)))?.owner ?? null;
    const accepted = await this.transfers.manager.transaction(async (manager) => {
      const [row] = await manager.query<AcceptedRow[]>(
        `WITH accepted AS (
           UPDATE wallet_transfers SET
             status = CASE WHEN $2::text = 'move' THEN 'completed' ELSE status END,
             due_command = NULL, accepted_at = now(), updated_at = now()
           WHERE transfer_id = $1::bigint AND due_command = $2::text
           RETURNING transfer_id, status, requested_by, accepted_at, updated_at
         ), told AS (
           INSERT INTO wallet_transfer_states (transfer_id, status, changed_by)
           SELECT transfer_id, status, requested_by FROM accepted
         )
         SELECT status, accepted_at AS "acceptedAt", updated_at AS "updatedAt" FROM accepted`,
        [transferId, due],
      );
      if (row?.status === 'pending_approval') {
        const name = owner === null ? '?' : await this.approvals.nameOf(owner, manager);
        await this.approvals.follow(manager, transferProposal(transfer, owner, name), transfer.requestedBy!);
      }
      return row;
    });
    // Where somebody else was faster, the transfer may have gone on since.
    if (accepted === undefined) return this.transfers.findOneByOrFail({ transferId });
    return this.transfers.create({ ...transfer, ...accepted, dueCommand: null });
  }

  /** Follows from what the core has accepted before, so a refusal is a fault and the transfer stays due. */
  private async finish(transfer: WalletTransferEntity, due: 'credit' | 'pay' | 'release'): Promise<Verdict> {
    const { transferId } = transfer;
    const { key, commands } = commandsFor(due, transfer);
    const { outcomes } = await this.submit(key, due, commands);
    const refused = outcomes.find((outcome) => !outcome.ok);
    if (refused !== undefined) {
      throw new Error(`the core refused to ${due} transfer ${transferId}: ${refused.refusal.code}`);
    }
    await this.transfers.query(
      `UPDATE wallet_transfers SET due_command = NULL, accepted_at = coalesce(accepted_at, now())
       WHERE transfer_id = $1::bigint AND due_command = $2::text`,
      [transferId, due],
    );
    return { accepted: true, transfer: await this.transfers.findOneByOrFail({ transferId }) };
  }

  /** `actor` asked for it; what follows from that is the service's own work. */
  private submit(
    key: string,
    fingerprint: string,
    commands: readonly Command[],
    actor?: string,
  ): Promise<CoreAnswer> {
    return this.core.submit({
      commands,
      ...(actor !== undefined && { actor }),
      idempotency: { owner: KEYS_OWNER, key, fingerprint, keptForGood: true },
    });
  }
}
