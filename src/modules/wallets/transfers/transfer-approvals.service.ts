import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { decideInSlot, lifecycleApprovals } from '../../../core/outbox/lifecycle-approvals.js';
import { ZERO } from '../../../domain/money/amount.js';
import type { ApprovalKind } from '../../../kit/approvals/approval-kind.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Page } from '../../../kit/http/pagination.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { type HeldBecause, WithdrawalGate, withdrawalHeld } from '../../users/withdrawal-gate.js';
import {
  type ListAllTransfersQueryDto,
  type OperatorTransferDto,
  type RejectTransferDto,
  toOperatorTransferDto,
} from './transfer-approvals.dto.js';
import { TransferLifecycle, type TransferStep } from './transfer-lifecycle.service.js';
import { TransferListService } from './transfer-list.service.js';
import { TransferParties } from './transfer-parties.service.js';
import { slotOfTransfer, type TransferPayload } from './transfer-proposal.js';
import { notPending, transferNotFound } from './transfer-refusals.js';
import { WalletTransferEntity } from './wallet-transfer.entity.js';
import { TRANSFER_IDS } from '../ids.js';

/** Large transfers over a chain need a second person: not the requester, not the owner, and nobody related to them. */
@Injectable()
export class TransferApprovalsService {
  readonly kind: ApprovalKind<TransferPayload>;

  constructor(
    private readonly lifecycle: TransferLifecycle,
    private readonly lists: TransferListService,
    private readonly parties: TransferParties,
    private readonly approvals: Approvals,
    private readonly secondPerson: SecondPerson,
    private readonly gate: WithdrawalGate,
    private readonly audit: AuditLog,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
  ) {
    this.kind = lifecycleApprovals(lifecycle, {
      idIn: ({ transferId }) => transferId,
      check: async (transfer, manager) => {
        const held = (await this.heldAmong([transfer], manager)).get(transfer.sourceAccountId!);
        if (held !== undefined) throw withdrawalHeld(held);
      },
      approval: (by): TransferStep => ({ to: 'pending', by }),
      rejection,
    });
  }

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
    await decideInSlot(this.approvals, slotOfTransfer(transferId), decision, notPending);
    return this.show(transferId);
  }

  /** Rejects a transfer that needs no approval, but whose account is frozen, or its owner locked or closed. */
  private async rejectHeld(
    principal: Principal,
    transfer: WalletTransferEntity,
    reason: string,
  ): Promise<OperatorTransferDto> {
    const { transferId, requestedBy: proposedBy, sourceAccountId } = transfer;
    const by = personOf(principal);
    await this.lifecycle.take(transferId, async (locked, manager) => {
      const [source] = await manager.query<[{ readonly owner: string | null }]>(
        'SELECT owner FROM accounts WHERE account_id = $1',
        [sourceAccountId],
      );
      await this.secondPerson.require(manager, by, { proposedBy, owner: source.owner });
      const held = await this.heldAmong([locked], manager);
      if (locked.status !== 'pending' || held.size === 0) throw notPending();
      const target = { type: 'transfer', id: TRANSFER_IDS.format(Number(transferId)) };
      await this.audit.record(manager, { target, details: { status: 'rejected', reason } });
      return rejection(by, reason);
    });
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

function rejection(by: string | null, reason: string): TransferStep {
  return { to: 'rejected', by, reason, fee: ZERO };
}
