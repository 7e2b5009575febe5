import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { Lifecycle, type LifecycleTerms, type Step } from '../../../core/outbox/lifecycle.js';
import type { Command } from '../../../domain/engine/commands.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { APPROVAL_NOT_PENDING } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { CreditGate } from '../../limits/credit-gate.js';
import { commandsFor } from './transfer-commands.js';
import { transferProposal } from './transfer-proposal.js';
import { notPending, transferNotFound } from './transfer-refusals.js';
import { type DueCommand, type TransferStatus, WalletTransferEntity } from './wallet-transfer.entity.js';

type Changed = 'reason' | 'txHash' | 'confirmations' | 'fee';

export type TransferStep = Step<WalletTransferEntity, TransferStatus, Changed>;

export const TRANSFER_TERMS: LifecycleTerms<WalletTransferEntity, TransferStatus, DueCommand> = {
  owner: 'transfer',
  idColumn: 'transferId',
  first: ['move', 'hold'],
  laterMessage:
    'The transfer was accepted and its money may move later. Repeat it with the same client_transfer_id or key.',
  entity: WalletTransferEntity,
  table: 'wallet_transfers',
  history: 'wallet_transfer_states',
  reasons: ['reason'],
  acceptedAs: { move: 'completed' },
  steps: {
    pending_approval: { pending: 'keep', rejected: 'release', cancelled: 'release' },
    // Rejected while its account is frozen, or its owner locked or closed.
    pending: { broadcasting: 'keep', failed: 'release', rejected: 'release', cancelled: 'release' },
    broadcasting: { confirming: 'keep', completed: 'pay', failed: 'release' },
    // A reorganisation takes a transaction out of its block.
    confirming: { broadcasting: 'keep', completed: 'pay', failed: 'release' },
    completed: {},
    failed: {},
    rejected: {},
    cancelled: {},
  },
};

/** Takes transfers through their states, and their money with them. */
@Injectable()
export class TransferLifecycle extends Lifecycle<WalletTransferEntity, TransferStatus, DueCommand, Changed> {
  constructor(
    protected override readonly core: CoreService,
    @InjectRepository(WalletTransferEntity) transfers: Repository<WalletTransferEntity>,
    approvals: Approvals,
    private readonly limits: CreditGate,
  ) {
    super(core, transfers, approvals, TRANSFER_TERMS);
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

  protected notFound(): ApiError {
    return transferNotFound();
  }

  protected impossible(): ApiError {
    return notPending();
  }

  protected notWaiting({ status }: WalletTransferEntity): ApiError {
    return new ApiError(APPROVAL_NOT_PENDING, `The transfer is ${status} and waits for no approval.`);
  }

  protected async ownerOf({ sourceAccountId }: WalletTransferEntity): Promise<string | null> {
    return (await this.core.account(Number(sourceAccountId)))?.owner ?? null;
  }

  protected proposalOf(
    _manager: EntityManager,
    transfer: WalletTransferEntity,
    owner: string | null,
    ownerName: string,
  ) {
    return transferProposal(transfer, owner, ownerName);
  }
}
