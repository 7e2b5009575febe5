import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import type { ApprovalKind } from '../../../kit/approvals/approval-kind.js';
import { approvalIdOf } from '../../../kit/approvals/approval.entity.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { FORBIDDEN, APPROVAL_NOT_PENDING } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Page } from '../../../kit/http/pagination.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { type HeldBecause, WithdrawalGate, withdrawalHeld } from '../../users/withdrawal-gate.js';
import { DueCommands } from './due-commands.service.js';
import { change, type TransferChange } from './transfer-changes.js';
import {
  type ListAllTransfersQueryDto,
  type OperatorTransferDto,
  type RejectTransferDto,
  toOperatorTransferDto,
} from './transfer-approvals.dto.js';
import { TransferListService } from './transfer-list.service.js';
import { TransferParties } from './transfer-parties.service.js';
import { slotOfTransfer, type TransferPayload } from './transfer-proposal.js';
import { notPending, transferNotFound } from './transfers.service.js';
import { WalletTransferEntity } from './wallet-transfer.entity.js';
import { TRANSFER_IDS } from '../ids.js';

/** Large transfers over a chain need a second person: not the requester, not the owner, and nobody related to them. */
@Injectable()
export class TransferApprovalsService {
  readonly kind: ApprovalKind<TransferPayload> = {
    hasOwnStates: true,
    lock: lockPending,
    approved: async ({ payload: { transferId }, decidedBy }, manager) => {
      const transfer = await manager.findOneByOrFail(WalletTransferEntity, { transferId });
      const held = (await this.heldAmong([transfer], manager)).get(transfer.sourceAccountId!);
      if (held !== undefined) throw withdrawalHeld(held);
      await step(manager, { transferId, from: ['pending_approval'], to: 'pending', by: decidedBy! });
    },
    rejected: ({ payload: { transferId }, decidedBy, reason }, manager) =>
      step(manager, rejection(transferId, 'pending_approval', decidedBy!, reason!)),
    afterRejection: ({ payload }) => this.due.settle(payload.transferId),
  };

  constructor(
    private readonly due: DueCommands,
    private readonly lists: TransferListService,
    private readonly parties: TransferParties,
    private readonly approvals: Approvals,
    private readonly secondPerson: SecondPerson,
    private readonly gate: WithdrawalGate,
    private readonly audit: AuditLog,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
  ) {}

  /**
   * The transfers of all owners, or of one account, newest first. Throws `account_not_found`, `invalid_cursor`,
   * `validation_failed`.
   */
  async list({
    account_id: account,
    ...query
  }: ListAllTransfersQueryDto): Promise<Page<OperatorTransferDto>> {
    const { data, next_cursor } =
      account === undefined
        ? await this.lists.listOfAll(query)
        : await this.lists.listOfEnd(await this.parties.anybodys(account), query);
    const held = await this.heldAmong(data);
    return {
      data: data.map((transfer) => toOperatorTransferDto(transfer, held.get(transfer.sourceAccountId!))),
      next_cursor,
    };
  }

  /**
   * Throws `not_found`, `forbidden` for the requester, `related_person` (403), `transfer_not_pending` (409) after any
   * decision, and `payment_held` (409) while its account is frozen, or its owner locked or closed.
   */
  async approve(principal: Principal, id: string): Promise<OperatorTransferDto> {
    const transfer = await this.find(principal, id);
    return this.decide(transfer, (approvalId) => this.approvals.approve(principal, approvalId));
  }

  /**
   * Gives everything back, of a transfer that waits for an approval, or that is held. Throws as `approve` does,
   * but for `payment_held`.
   */
  async reject(
    principal: Principal,
    id: string,
    { reason }: RejectTransferDto,
  ): Promise<OperatorTransferDto> {
    const transfer = await this.find(principal, id);
    if (transfer.status === 'pending') return this.rejectHeld(principal, transfer, reason);
    return this.decide(transfer, (approvalId) => this.approvals.reject(principal, approvalId, reason));
  }

  /** The transfer's own routes keep the codes that they had before approvals were one mechanism. */
  private async decide(
    { transferId }: WalletTransferEntity,
    decision: (approvalId: string) => Promise<unknown>,
  ): Promise<OperatorTransferDto> {
    const open = await this.approvals.openIn(slotOfTransfer(transferId));
    if (open === null) throw notPending();
    try {
      await decision(approvalIdOf(open));
    } catch (error) {
      throw ApiError.is(error, APPROVAL_NOT_PENDING) ? notPending() : error;
    }
    return this.show(transferId);
  }

  /** Rejects a transfer that needs no approval, but whose account is frozen, or its owner locked or closed. */
  private async rejectHeld(
    principal: Principal,
    transfer: WalletTransferEntity,
    reason: string,
  ): Promise<OperatorTransferDto> {
    const { transferId, requestedBy: proposedBy } = transfer;
    const by = personOf(principal);
    await this.transfers.manager.transaction(async (manager) => {
      const [source] = await manager.query<[{ readonly owner: string | null }]>(
        'SELECT owner FROM accounts WHERE account_id = $1',
        [transfer.sourceAccountId],
      );
      await this.secondPerson.require(manager, by, { proposedBy, owner: source.owner });
      if ((await this.heldAmong([transfer], manager)).size === 0) throw notPending();
      await step(manager, rejection(transferId, 'pending', by, reason));
      const target = { type: 'transfer', id: TRANSFER_IDS.format(Number(transferId)) };
      await this.audit.record(manager, { target, details: { status: 'rejected', reason } });
    });
    await this.due.settle(transferId);
    return this.show(transferId);
  }

  private async show(transferId: string): Promise<OperatorTransferDto> {
    const transfer = await this.transfers.findOneByOrFail({ transferId });
    return toOperatorTransferDto(transfer, (await this.heldAmong([transfer])).get(transfer.sourceAccountId!));
  }

  private heldAmong(
    transfers: readonly WalletTransferEntity[],
    manager?: EntityManager,
  ): Promise<ReadonlyMap<string, HeldBecause>> {
    const accountIds = transfers.map(({ sourceAccountId }) => sourceAccountId).filter((id) => id !== null);
    return this.gate.heldAmong(accountIds, manager);
  }

  private async find(principal: Principal, id: string): Promise<WalletTransferEntity> {
    const transferId = TRANSFER_IDS.parse(id);
    const transfer =
      transferId === undefined ? null : await this.transfers.findOneBy({ transferId: String(transferId) });
    // Internal transfers need no approval, and operators do not see them here.
    if (transfer === null || transfer.destinationType !== 'address' || transfer.acceptedAt === null) {
      throw transferNotFound();
    }
    if (transfer.requestedBy === personOf(principal)) {
      throw new ApiError(FORBIDDEN, 'Who asks for a transfer cannot decide on it. Another operator must.');
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
  throw new ApiError(APPROVAL_NOT_PENDING, `The transfer is ${status} and waits for no approval.`);
}

function rejection(
  transferId: string,
  from: 'pending_approval' | 'pending',
  by: string,
  reason: string,
): TransferChange {
  return { transferId, from: [from], to: 'rejected', dueCommand: 'release', by, reason, fee: 0n };
}

async function step(manager: EntityManager, taken: TransferChange): Promise<void> {
  if (!(await change(manager, taken))) throw notPending();
}
