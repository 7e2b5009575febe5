import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { Outbox } from '../../../core/outbox/outbox.js';
import type { Command } from '../../../domain/engine/commands.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { withHistory } from '../../../kit/database/with-history.js';
import { CreditGate } from '../../limits/credit-gate.js';
import { commandsFor } from './transfer-commands.js';
import { TRANSFER_HISTORY } from './transfer-history.js';
import { transferProposal } from './transfer-proposal.js';
import { type DueCommand, WalletTransferEntity } from './wallet-transfer.entity.js';

type AcceptedRow = Pick<WalletTransferEntity, 'status' | 'acceptedAt' | 'updatedAt'>;

/** Moves the money of transfers, as their rows have it due. */
@Injectable()
export class DueCommands extends Outbox<WalletTransferEntity, DueCommand> {
  constructor(
    protected override readonly core: CoreService,
    @InjectRepository(WalletTransferEntity) transfers: Repository<WalletTransferEntity>,
    private readonly approvals: Approvals,
    private readonly limits: CreditGate,
  ) {
    super(core, transfers, {
      owner: 'transfer',
      idColumn: 'transferId',
      first: ['move', 'hold'],
      laterMessage:
        'The transfer was accepted and its money may move later. Repeat it with the same client_transfer_id or key.',
    });
  }

  protected idOf({ transferId }: WalletTransferEntity): string {
    return transferId;
  }

  /** The same but for what the limits of the destination leave: the core decides by those that it is sent first. */
  protected commandsFor(transfer: WalletTransferEntity, due: DueCommand): Promise<readonly Command[]> {
    const commands = commandsFor(due, transfer).map(async (command): Promise<Command> =>
      due === 'move' && command.type === 'move_money' ? this.limits.forTransfer(command) : command,
    );
    return Promise.all(commands);
  }

  /** One that needs a second person is followed by its approval from here on. */
  protected async accept(transfer: WalletTransferEntity, due: DueCommand): Promise<WalletTransferEntity> {
    const { transferId, sourceAccountId } = transfer;
    // Looked up before the transaction: code that holds a connection must not wait for another one.
    const owner = (await this.core.account(Number(sourceAccountId)))?.owner ?? null;
    const accepted = await this.rows.manager.transaction(async (manager) => {
      const [row] = await manager.query<AcceptedRow[]>(
        withHistory(
          TRANSFER_HISTORY,
          `UPDATE wallet_transfers SET
             status = CASE WHEN $2::text = 'move' THEN 'completed' ELSE status END,
             due_command = NULL, accepted_at = now(), updated_at = now()
           WHERE transfer_id = $1::bigint AND due_command = $2::text
           RETURNING transfer_id, status, requested_by AS changed_by, NULL AS reason,
             accepted_at AS "acceptedAt", updated_at AS "updatedAt"`,
        ),
        [transferId, due],
      );
      if (row?.status === 'pending_approval') {
        const name = owner === null ? 'the house' : await this.approvals.nameOf(owner, manager);
        await this.approvals.follow(manager, transferProposal(transfer, owner, name), transfer.requestedBy!);
      }
      return row;
    });
    // Where somebody else was faster, the transfer may have gone on since.
    if (accepted === undefined) return this.find(transferId);
    const { status, acceptedAt, updatedAt } = accepted;
    return this.rows.create({ ...transfer, status, acceptedAt, updatedAt, dueCommand: null });
  }
}
