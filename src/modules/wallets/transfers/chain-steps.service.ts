import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import { type Amount, amount } from '../../../domain/money/amount.js';
import { TransferLifecycle, type TransferStep } from './transfer-lifecycle.service.js';
import { type TransferStatus, WalletTransferEntity } from './wallet-transfer.entity.js';
import { isHeldSql, WithdrawalGate } from '../../users/withdrawal-gate.js';

/** A transfer that leaves, or has left, over a chain. */
export interface OutgoingTransfer {
  readonly transferId: string;
  readonly status: TransferStatus;
  readonly chain: string;
  readonly walletId: string;
  /** The core's account of the wallet. */
  readonly accountId: string;
  readonly asset: string;
  readonly amount: Amount;
  /** In the chain's canonical form. */
  readonly to: string;
  /** The held fee in the native asset: the maximum that may be spent. */
  readonly feeHeld: Amount;
  readonly txHash: string | null;
}

/** Money that has arrived on a chain for good. */
export interface ChainDeposit {
  readonly chain: string;
  readonly walletId: string;
  /** The core's account of the wallet. */
  readonly accountId: number;
  readonly asset: string;
  readonly amount: Amount;
  readonly txHash: string;
  /** Which movement of the transaction it is. */
  readonly index: number;
  readonly from: string;
  /** The wallet's own address at which it arrived. */
  readonly to: string;
  readonly confirmations: number;
}

/**
 * What a chain does with transfers. Every method may be repeated at any time without further effect, and
 * those that take a `manager` take part in its transaction: so a transfer and what is known about its
 * transaction are committed together.
 */
@Injectable()
export class ChainSteps {
  constructor(
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
    private readonly lifecycle: TransferLifecycle,
    private readonly gate: WithdrawalGate,
  ) {}

  /** Transfers in one of the states, oldest first: by default those that are to be sent now, none of them held. */
  async waiting(
    chain: string,
    limit: number,
    statuses: readonly TransferStatus[] = ['pending'],
  ): Promise<readonly OutgoingTransfer[]> {
    const rows = await this.transfers
      .createQueryBuilder('t')
      .where(`t.status IN ('pending_approval', 'pending', 'broadcasting', 'confirming')`)
      .andWhere('t.status IN (:...statuses)', { statuses })
      .andWhere('t.chain = :chain AND t.accepted_at IS NOT NULL', { chain })
      .andWhere(`NOT ${isHeldSql('t.source_account_id')}`)
      .orderBy('t.transfer_id', 'ASC')
      .limit(limit)
      .getMany();
    return rows.map(toOutgoing);
  }

  /** The transfers of these ids that leave over a chain, in whatever state. */
  async find(transferIds: readonly string[]): Promise<readonly OutgoingTransfer[]> {
    const rows = await this.transfers.findBy({
      transferId: In([...transferIds]),
      destinationType: 'address',
    });
    return rows.map(toOutgoing);
  }

  /** As `broadcasting`, for the first send: returns false also if its money is held. */
  async begin({ transferId, accountId }: OutgoingTransfer, txHash: string, manager: EntityManager) {
    await this.gate.enter(manager);
    const held = await this.gate.heldAmong([accountId], manager);
    return held.size === 0 && this.broadcasting(transferId, txHash, manager);
  }

  /**
   * From `pending`, before anything is sent: from now on it can be cancelled no more. From `broadcasting`
   * or `confirming` where another transaction has taken the place of the one before, or where a
   * reorganisation has taken it out of its block. False where it is in another state, such as `cancelled`:
   * then nothing may be sent.
   */
  async broadcasting(
    transferId: string,
    txHash: string,
    manager: EntityManager = this.transfers.manager,
  ): Promise<boolean> {
    const step = { to: 'broadcasting', by: null, txHash, confirmations: 0 } as const;
    if (await this.lifecycle.step(manager, transferId, step)) return true;
    return this.note(manager, transferId, 'broadcasting', txHash, 0);
  }

  /** In a block, with this many confirmations. Returns false if it is not in flight. */
  async confirming(
    transferId: string,
    txHash: string,
    confirmations: number,
    manager: EntityManager = this.transfers.manager,
  ): Promise<boolean> {
    const step = { to: 'confirming', by: null, txHash, confirmations } as const;
    if (await this.lifecycle.step(manager, transferId, step)) return true;
    return this.note(manager, transferId, 'confirming', txHash, confirmations);
  }

  /**
   * Final on the chain: pays the amount and the actual fee to the chain's rail and releases the rest of the held fee.
   * The part of `feePaid` beyond the held fee cannot be taken from the wallet: it is returned, and the house must book
   * it.
   */
  async complete(
    transferId: string,
    { txHash, feePaid, confirmations }: { txHash: string; feePaid: Amount; confirmations: number },
  ): Promise<Amount> {
    return this.end(transferId, feePaid, { to: 'completed', by: null, txHash, confirmations });
  }

  /**
   * Failed for good: releases everything, less the fee of a transaction that failed on the chain. The caller sees
   * `code` as the reason. Returns as `complete` does.
   */
  async fail(transferId: string, code: string, feePaid: Amount = amount(0n)): Promise<Amount> {
    return this.end(transferId, feePaid, { to: 'failed', by: null, reason: code });
  }

  /**
   * Puts what has arrived into the wallet, once for each chain, transaction and index; answers the
   * transfer's id, also when repeated. The chain's rail owes what the chain has.
   */
  async creditDeposit(deposit: ChainDeposit): Promise<string> {
    const depositKey = `${deposit.chain}:${deposit.txHash}:${deposit.index}`;
    await this.transfers.query(
      this.lifecycle.recorded(
        `INSERT INTO wallet_transfers (status, due_command, chain, asset, amount, fee_asset, fee, fee_held,
           source_type, source_address, destination_type, destination_account_id, destination_wallet_id,
           destination_address, tx_hash, confirmations, deposit_key)
         VALUES ('completed', 'credit', $1, $2, $3::numeric, $2, 0, 0,
           'address', $4, 'wallet', $5::bigint, $6::bigint, $7, $8, $9::integer, $10)
         ON CONFLICT (deposit_key) WHERE deposit_key IS NOT NULL DO NOTHING
         RETURNING transfer_id, status, NULL AS changed_by, NULL AS reason`,
      ),
      [
        deposit.chain,
        deposit.asset,
        deposit.amount.toString(),
        deposit.from,
        deposit.accountId,
        deposit.walletId,
        deposit.to,
        deposit.txHash,
        deposit.confirmations,
        depositKey,
      ],
    );
    const transfer = await this.transfers.findOneByOrFail({ depositKey });
    await this.lifecycle.carryOut(transfer);
    return transfer.transferId;
  }

  /** Of a state that stays: another transaction, or more confirmations. */
  private async note(
    manager: EntityManager,
    transferId: string,
    status: TransferStatus,
    txHash: string,
    confirmations: number,
  ): Promise<boolean> {
    const { affected } = await manager.update(
      WalletTransferEntity,
      { transferId, status },
      { txHash, confirmations, updatedAt: () => 'now()' },
    );
    return affected === 1;
  }

  private async end(transferId: string, feePaid: Amount, step: TransferStep): Promise<Amount> {
    const { feeHeld } = await this.transfers.findOneByOrFail({ transferId });
    const fee = feePaid < feeHeld ? feePaid : feeHeld;
    await this.lifecycle.step(this.transfers.manager, transferId, { ...step, fee });
    const transfer = await this.transfers.findOneByOrFail({ transferId });
    if (transfer.status !== step.to) {
      throw new Error(`transfer ${transferId} is ${transfer.status} and cannot be ${step.to} any more`);
    }
    await this.lifecycle.carryOut(transfer);
    return amount(feePaid - fee);
  }
}

function toOutgoing(transfer: WalletTransferEntity): OutgoingTransfer {
  return {
    transferId: transfer.transferId,
    status: transfer.status,
    chain: transfer.chain!,
    walletId: transfer.sourceWalletId!,
    accountId: transfer.sourceAccountId!,
    asset: transfer.asset,
    amount: transfer.amount,
    to: transfer.destinationAddress!,
    feeHeld: transfer.feeHeld,
    txHash: transfer.txHash,
  };
}
