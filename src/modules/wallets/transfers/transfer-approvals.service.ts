import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { parseId } from '../../../domain/ids.js';
import { ApiError } from '../../../platform/http/errors.js';
import { AnswerTransaction } from '../../../platform/http/idempotency/answer-transaction.js';
import { decodeCursor, type Page, pageOf } from '../../../platform/http/pagination.js';
import { personOf, type Principal } from '../../../platform/security/principal.js';
import { DueCommands } from './due-commands.service.js';
import { change } from './transfer-changes.js';
import {
  type ListOpenTransfersQueryDto,
  type OperatorTransferDto,
  type RejectTransferDto,
  toOperatorTransferDto,
} from './transfer-approvals.dto.js';
import { notPending, transferNotFound } from './transfers.service.js';
import { WalletTransferEntity } from './wallet-transfer.entity.js';

/** Large transfers over a chain need a second person: an operator who is not who asked for them. */
@Injectable()
export class TransferApprovalsService {
  constructor(
    private readonly due: DueCommands,
    private readonly answers: AnswerTransaction,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
  ) {}

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

  /** Throws `not_found`, `forbidden` for who asked for it, and `transfer_not_pending` (409) after any decision. */
  async approve(principal: Principal, id: string): Promise<OperatorTransferDto> {
    const { transferId } = await this.find(principal, id);
    return this.answers.run(async (manager) => {
      const by = personOf(principal);
      const decided = await change(manager, { transferId, from: ['pending_approval'], to: 'pending', by });
      if (!decided) throw notPending();
      return toOperatorTransferDto(await manager.findOneByOrFail(WalletTransferEntity, { transferId }));
    });
  }

  /** Gives everything back. Throws as `approve` does. */
  async reject(
    principal: Principal,
    id: string,
    { reason }: RejectTransferDto,
  ): Promise<OperatorTransferDto> {
    const { transferId } = await this.find(principal, id);
    const answer = await this.answers.run(async (manager) => {
      const decided = await change(manager, {
        transferId,
        from: ['pending_approval'],
        to: 'rejected',
        dueCommand: 'release',
        by: personOf(principal),
        reason,
        fee: 0n,
      });
      if (!decided) throw notPending();
      return toOperatorTransferDto(await manager.findOneByOrFail(WalletTransferEntity, { transferId }));
    });
    await this.due.settle(transferId);
    return answer;
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
