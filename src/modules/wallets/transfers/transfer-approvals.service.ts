import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { parseId } from '../../../domain/ids.js';
import { ApprovalKinds } from '../../../platform/approvals/approval-kind.js';
import { approvalIdOf } from '../../../platform/approvals/approval.entity.js';
import { Approvals } from '../../../platform/approvals/approvals.service.js';
import { ApiError } from '../../../platform/http/errors.js';
import { decodeCursor, type Page, pageOf } from '../../../platform/http/pagination.js';
import { personOf, type Principal } from '../../../platform/security/principal.js';
import { DueCommands } from './due-commands.service.js';
import { change, type TransferChange } from './transfer-changes.js';
import {
  type ListOpenTransfersQueryDto,
  type OperatorTransferDto,
  type RejectTransferDto,
  toOperatorTransferDto,
} from './transfer-approvals.dto.js';
import { slotOfTransfer, type TransferPayload } from './transfer-proposal.js';
import { notPending, transferNotFound } from './transfers.service.js';
import { WalletTransferEntity } from './wallet-transfer.entity.js';

/** Large transfers over a chain need a second person: nobody who asked for one, owns it or is related to them. */
@Injectable()
export class TransferApprovalsService implements OnModuleInit {
  constructor(
    private readonly due: DueCommands,
    private readonly approvals: Approvals,
    private readonly kinds: ApprovalKinds,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
  ) {}

  onModuleInit(): void {
    this.kinds.register<TransferPayload>({
      name: 'wallet_transfer',
      hasOwnStates: true,
      lock: lockPending,
      approved: ({ payload: { transferId }, decidedBy }, manager) =>
        step(manager, { transferId, from: ['pending_approval'], to: 'pending', by: decidedBy! }),
      rejected: ({ payload: { transferId }, decidedBy, reason }, manager) =>
        step(manager, {
          transferId,
          from: ['pending_approval'],
          to: 'rejected',
          dueCommand: 'release',
          by: decidedBy!,
          reason: reason!,
          fee: 0n,
        }),
      afterRejection: ({ payload }) => this.due.settle(payload.transferId),
    });
  }

  /** Transfers over chains that have not ended, newest first. Throws `invalid_cursor`. */
  async list({ status, limit, cursor }: ListOpenTransfersQueryDto): Promise<Page<OperatorTransferDto>> {
    const [before] = decodeCursor(cursor, ['integer']) ?? [];
    const selection = this.transfers
      .createQueryBuilder('t')
      .where(`t.status IN ('pending_approval', 'pending', 'broadcasting', 'confirming')`)
      .andWhere('t.status = :status', { status })
      .andWhere('t.chain IS NOT NULL AND t.accepted_at IS NOT NULL')
      .orderBy('t.transfer_id', 'DESC')
      .limit(limit + 1);
    if (before !== undefined) selection.andWhere('t.transfer_id < :before', { before });
    const rows = await selection.getMany();
    return pageOf(rows, limit, ({ transferId }) => [Number(transferId)], toOperatorTransferDto);
  }

  /**
   * Throws `not_found`, `forbidden` for who asked for it, `related_person` (403), and `transfer_not_pending`
   * (409) after any decision.
   */
  approve(principal: Principal, id: string): Promise<OperatorTransferDto> {
    return this.decide(principal, id, (approvalId) => this.approvals.approve(principal, approvalId));
  }

  /** Gives everything back. Throws as `approve` does. */
  reject(principal: Principal, id: string, { reason }: RejectTransferDto): Promise<OperatorTransferDto> {
    return this.decide(principal, id, (approvalId) => this.approvals.reject(principal, approvalId, reason));
  }

  /** The transfer's own routes keep the codes that they had before approvals were one mechanism. */
  private async decide(
    principal: Principal,
    id: string,
    decision: (approvalId: string) => Promise<unknown>,
  ): Promise<OperatorTransferDto> {
    const { transferId } = await this.find(principal, id);
    const open = await this.approvals.openIn(slotOfTransfer(transferId));
    if (open === null) throw notPending();
    try {
      await decision(approvalIdOf(open));
    } catch (error) {
      throw error instanceof ApiError && error.code === 'approval_not_pending' ? notPending() : error;
    }
    return toOperatorTransferDto(await this.transfers.findOneByOrFail({ transferId }));
  }

  private async find(principal: Principal, id: string): Promise<WalletTransferEntity> {
    const transferId = parseId('trf', id);
    const transfer =
      transferId === undefined ? null : await this.transfers.findOneBy({ transferId: String(transferId) });
    // Transfers inside need nobody's approval, and are nobody's business.
    if (transfer === null || transfer.destinationType !== 'address' || transfer.acceptedAt === null) {
      throw transferNotFound();
    }
    if (transfer.requestedBy === personOf(principal)) {
      throw new ApiError('forbidden', 'Who asks for a transfer cannot decide on it. Another operator must.');
    }
    return transfer;
  }
}

async function lockPending({ transferId }: TransferPayload, manager: EntityManager): Promise<void> {
  const transfer = await manager.findOne(WalletTransferEntity, {
    where: { transferId },
    lock: { mode: 'pessimistic_write' },
  });
  if (transfer?.status === 'pending_approval' && transfer.dueCommand === null) return;
  const status = transfer?.status ?? 'gone';
  throw new ApiError('approval_not_pending', `The transfer is ${status} and waits for no approval.`);
}

async function step(manager: EntityManager, taken: TransferChange): Promise<void> {
  if (!(await change(manager, taken))) throw notPending();
}
