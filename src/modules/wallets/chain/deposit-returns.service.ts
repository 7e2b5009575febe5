import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { type Amount, amount, formatAmount } from '../../../domain/money/amount.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import { REFUSALS, errorOf } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ChainFees } from '../transfers/chain-fees.js';
import { ChainRules } from '../transfers/chain-rules.service.js';
import { DueCommands } from '../transfers/due-commands.service.js';
import { type OperatorTransferDto, toOperatorTransferDto } from '../transfers/transfer-approvals.dto.js';
import { newTransferOf } from '../transfers/new-transfer.js';
import { WalletTransferEntity } from '../transfers/wallet-transfer.entity.js';
import { HouseAccounts } from './house-accounts.js';
import { DEPOSIT_IDS, TRANSFER_IDS } from '../ids.js';

interface Arrival {
  readonly chain: string;
  readonly asset: string;
  readonly amount: string;
  readonly source: string;
  readonly house_account_id: string;
}

/** Money that strangers sent to a hot wallet, sent back to them from the house's account once a second operator agrees. */
@Injectable()
export class DepositReturns {
  constructor(
    private readonly rules: ChainRules,
    private readonly fees: ChainFees,
    private readonly house: HouseAccounts,
    private readonly due: DueCommands,
    private readonly audit: AuditLog,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
  ) {}

  /**
   * The transfer that waits for another operator, as those of customers do. Throws `not_found` (404) for what the house was
   * not credited with, `conflict` (409) for what is returned already, `insufficient_funds` (422) where the house has less,
   * and as `ChainRules.addressOf`.
   */
  async propose(principal: Principal, id: string): Promise<OperatorTransferDto> {
    const depositId = DEPOSIT_IDS.parse(id);
    const [arrival] =
      depositId === undefined ? [] : await this.transfers.query<Arrival[]>(ARRIVALS, [depositId]);
    if (arrival === undefined) {
      throw new ApiError(
        NOT_FOUND,
        'Nothing that is credited to the house has arrived under this id. See GET /admin/chain-deposits?at=hot_wallet.',
      );
    }
    const { chain, asset, source, house_account_id: accountId } = arrival;
    await nextTry(this.transfers.manager, accountId, id);
    const units = amount(BigInt(arrival.amount));
    const address = await this.rules.addressOf(chain, source);
    const fee = await this.fees.estimate({ chain, asset, amount: units, to: address });
    await this.requireFunds(Number(accountId), [
      [asset, units],
      [fee.asset, fee.amount],
    ]);
    const house = { type: 'account', accountId: Number(accountId), walletId: null, owner: '' } as const;
    const target = {
      type: 'address',
      chain,
      address,
      feeAsset: fee.asset,
      feeHeld: fee.amount,
      needsApproval: true,
    } as const;
    const transfer = await this.transfers.manager.transaction(async (manager) => {
      await manager.query('SELECT FROM chain_deposits WHERE deposit_id = $1 FOR UPDATE', [depositId]);
      const clientTransferId = await nextTry(manager, accountId, id);
      const identity = { clientTransferId, requestHash: null, fingerprint: clientTransferId };
      const row = newTransferOf(principal, house, identity, { asset, amount: units, target });
      const made = await manager.save(manager.create(WalletTransferEntity, row));
      await this.audit.record(manager, {
        target: { type: 'deposit', id },
        details: { transfer_id: TRANSFER_IDS.format(Number(made.transferId)), asset, address },
      });
      return made;
    });
    const verdict = await this.due.carryOutForCaller(transfer);
    if (!verdict.accepted) throw errorOf(verdict.refusal);
    return toOperatorTransferDto(verdict.row);
  }

  /** Refuses early what the core would refuse; the core decides all the same. */
  private async requireFunds(
    accountId: number,
    needs: readonly (readonly [string, Amount])[],
  ): Promise<void> {
    for (const [asset] of needs) {
      const needed = needs.reduce((sum, [code, units]) => (code === asset ? sum + units : sum), 0n);
      if ((await this.house.available(accountId, asset)) >= needed) continue;
      throw new ApiError(
        REFUSALS.insufficient_funds,
        `The house has less than ${formatAmount(amount(needed))} ${asset}: send the hot wallet more.`,
      );
    }
  }
}

/** The id of the next return: one at a time, and none after one that was sent. Final under a lock on the deposit's row. */
async function nextTry(manager: EntityManager, accountId: string, id: string): Promise<string> {
  const tries = await manager.query<{ status: string }[]>(
    'SELECT status FROM wallet_transfers WHERE source_account_id = $1 AND starts_with(client_transfer_id, $2)',
    [accountId, `${id}:`],
  );
  if (tries.some(({ status }) => !['failed', 'rejected', 'cancelled'].includes(status))) {
    throw new ApiError(
      CONFLICT,
      'It is returned already, or waits for an approval. See GET /admin/transfers.',
    );
  }
  return `${id}:${tries.length + 1}`;
}

/** What contracts have paid has no sender that is known. */
const ARRIVALS = `SELECT d.chain, d.asset, d.amount, d.source, c.house_account_id
  FROM chain_deposits d JOIN chains c ON c.chain = d.chain
  WHERE d.deposit_id = $1 AND d.address_id IS NULL AND d.status = 'credited' AND NOT d.orphaned
    AND d.source <> 'contract'`;
