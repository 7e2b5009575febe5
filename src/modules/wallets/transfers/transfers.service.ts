import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { type EntityManager, Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { amountOf, formatAmount } from '../../../domain/money/amount.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { IDEMPOTENCY_IN_PROGRESS, NOT_FOUND, IDEMPOTENCY_KEY_REUSED } from '../../../kit/http/error-codes.js';
import { REFUSALS, errorOf } from '../../accounts/commands/refusals.js';
import { DUPLICATE_CLIENT_TRANSFER_ID, TRANSFER_NOT_PENDING } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { ChainRules } from './chain-rules.service.js';
import { DueCommands } from './due-commands.service.js';
import { type NewTransfer, newTransferOf, type TransferIdentity } from './new-transfer.js';
import { change } from './transfer-changes.js';
import {
  type CreateTransferDto,
  type Destination,
  toDestination,
  toTransferDto,
  toTransferWithStatesDto,
  type TransferDto,
  type TransferWithStatesDto,
} from './transfer.dto.js';
import { beyondLimit, PASSING } from './transfer-refusals.js';
import { slotOfTransfer } from './transfer-proposal.js';
import { TransferParties } from './transfer-parties.service.js';
import type { TransferPlan, TransferSource } from './transfer-plan.js';
import { WalletTransferStateEntity } from './wallet-transfer-state.entity.js';
import { WalletTransferEntity } from './wallet-transfer.entity.js';
import { TRANSFER_IDS } from '../ids.js';

/** A transfer is asked for again where another request of the same id was refused at the same moment. */
const TRIES_MAX = 5;

/** For how long an `Idempotency-Key` stands for the transfer that it made. */
const REQUEST_KEPT = '24 hours';

/** Makes transfers, shows them and takes them back. */
@Injectable()
export class TransfersService {
  constructor(
    private readonly core: CoreService,
    private readonly parties: TransferParties,
    private readonly rules: ChainRules,
    private readonly due: DueCommands,
    private readonly approvals: Approvals,
    @InjectRepository(WalletTransferEntity) private readonly transfers: Repository<WalletTransferEntity>,
    @InjectRepository(WalletTransferStateEntity)
    private readonly states: Repository<WalletTransferStateEntity>,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Throws `not_found` for a foreign wallet, and as `create`; over a chain also what `ChainRules` throws. */
  async createFromWallet(
    principal: Principal,
    wallet: string,
    body: CreateTransferDto,
    key: string | undefined,
  ): Promise<Replayable<TransferDto>> {
    const source = await this.parties.ownWallet(principal, wallet);
    const destination = toDestination(body.destination, ['account', 'wallet', 'address']);
    return this.create(principal, source, body, destination, key);
  }

  /** Throws `account_not_found` for a foreign account, `forbidden` for a role that moves no money, and as `create`. */
  async createFromAccount(
    principal: Principal,
    account: string,
    body: CreateTransferDto,
    key: string | undefined,
  ): Promise<Replayable<TransferDto>> {
    const source = await this.parties.tradingAccount(principal, account, 'move');
    const destination = toDestination(body.destination, ['account', 'wallet']);
    return this.create(principal, source, body, destination, key);
  }

  /** As the wallet sees it, whichever end of it that is. Throws `not_found`. */
  async get(principal: Principal, wallet: string, id: string): Promise<TransferWithStatesDto> {
    const end = await this.parties.ownWallet(principal, wallet);
    return this.describe(await this.findOf(end, id), end);
  }

  /** As the account sees it, whichever end of it that is. Throws `account_not_found`, `not_found`. */
  async getOfAccount(principal: Principal, account: string, id: string): Promise<TransferWithStatesDto> {
    const end = await this.parties.tradingAccount(principal, account, 'read');
    return this.describe(await this.findOf(end, id), end);
  }

  /**
   * Gives the money back, once. Throws `not_found`, and `transfer_not_pending` (409) where it is on its way
   * or has ended.
   */
  async cancel(principal: Principal, wallet: string, id: string): Promise<TransferWithStatesDto> {
    const end = await this.parties.ownWallet(principal, wallet);
    const { transferId, sourceWalletId } = await this.findOf(end, id);
    const by = personOf(principal);
    const cancelled =
      sourceWalletId === end.walletId &&
      (await this.transfers.manager.transaction(async (manager) => {
        const from = ['pending_approval', 'pending'] as const;
        const step = { transferId, from, to: 'cancelled', dueCommand: 'release', by, fee: 0n } as const;
        if (!(await change(manager, step))) return false;
        await this.approvals.unfollow(manager, slotOfTransfer(transferId), by, 'cancelled_by_owner');
        return true;
      }));
    if (!cancelled) throw notPending();
    await this.due.settle(transferId);
    return this.describe(await this.transfers.findOneByOrFail({ transferId }), end);
  }

  /**
   * Throws `idempotency_key_reused` (422) where the key was sent with another request whose outcome is unknown,
   * `destination_not_found`, `asset_not_found` (404), `duplicate_client_transfer_id` (409), `destination_not_allowed`, `insufficient_funds`,
   * `limit_exceeded` (422) where the destination takes less by its owner's wish, and `outcome_unknown` (503) where the core fell
   * silent: then the sweep goes on. A refused transfer leaves nothing behind.
   */
  private async create(
    principal: Principal,
    source: TransferSource,
    body: CreateTransferDto,
    destination: Destination,
    key: string | undefined,
  ): Promise<Replayable<TransferDto>> {
    const identity = identityOf(principal, body, destination, key);
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      const known = await this.findRepeat(this.transfers.manager, source, identity);
      const transfer = known ?? (await this.beginNew(principal, source, body, destination, identity));
      if (transfer === undefined) continue;
      const verdict = await this.due.carryOutForCaller(transfer);
      if (verdict.accepted) {
        return { body: toTransferDto(verdict.row, source.walletId), replayed: known !== undefined };
      }
      if (verdict.refusal.code === 'self_limit_exceeded') throw beyondLimit();
      if (!PASSING.has(verdict.refusal.code)) throw errorOf(verdict.refusal);
    }
    throw new ApiError(
      IDEMPOTENCY_IN_PROGRESS,
      'Another request for the same transfer is running. Repeat it.',
      {
        headers: { 'Retry-After': '1' },
      },
    );
  }

  /** Money that leaves its owner takes somebody who is there. */
  private async beginNew(
    principal: Principal,
    source: TransferSource,
    body: CreateTransferDto,
    destination: Destination,
    identity: TransferIdentity,
  ): Promise<WalletTransferEntity | undefined> {
    if (destination.type === 'address') requireStepUp(principal);
    const plan = await this.plan(principal, source, body, destination);
    if (plan.target.type !== 'address' && plan.target.owner !== source.owner) requireStepUp(principal);
    return this.begin(principal, source, identity, plan);
  }

  private async plan(
    principal: Principal,
    source: TransferSource,
    body: CreateTransferDto,
    destination: Destination,
  ): Promise<TransferPlan> {
    const { asset } = body;
    const amount = amountOf(body.amount);
    if (this.core.asset(asset) === undefined) {
      throw new ApiError(REFUSALS.asset_not_found, `There is no asset ${asset}.`);
    }
    const target =
      destination.type === 'address'
        ? await this.rules.check(source.owner, { ...destination, asset, amount })
        : await this.parties.inside(principal, source, destination);
    await this.checkFunds(source, { asset, amount, target });
    return { asset, amount, target };
  }

  /** Refuses early what the core would refuse; the core decides all the same. */
  private async checkFunds(source: TransferSource, { asset, amount, target }: TransferPlan): Promise<void> {
    const needed = new Map<string, bigint>([[asset, amount]]);
    if (target.type === 'address') {
      needed.set(target.feeAsset, (needed.get(target.feeAsset) ?? 0n) + target.feeHeld);
    }
    await this.core.projected();
    const { rows } = await this.pool.query<{ asset: string; available: string }>(
      'SELECT asset, available FROM balances WHERE account_id = $1 AND asset = ANY ($2)',
      [source.accountId, [...needed.keys()]],
    );
    const available = new Map(rows.map((row) => [row.asset, BigInt(row.available)]));
    for (const [code, units] of needed) {
      if ((available.get(code) ?? 0n) >= units) continue;
      const fee = code === asset ? '' : ' for the fee of the chain';
      throw new ApiError(
        REFUSALS.insufficient_funds,
        `Less than ${formatAmount(units)} ${code} is available${fee}.`,
      );
    }
  }

  /** Commits the transfer with what it has due. Undefined where another one of the same id came first. */
  private begin(
    principal: Principal,
    source: TransferSource,
    identity: TransferIdentity,
    plan: TransferPlan,
  ): Promise<WalletTransferEntity | undefined> {
    const row = newTransferOf(principal, source, identity, plan);
    const { target } = plan;
    const { requestHash } = identity;
    if (target.type !== 'address' && requestHash === null) return this.insert(this.transfers.manager, row);
    return this.transfers.manager.transaction(async (manager) => {
      if (requestHash !== null) {
        await manager.query(
          `UPDATE wallet_transfers SET request_hash = NULL
           WHERE request_hash = $1 AND created_at <= now() - interval '${REQUEST_KEPT}'`,
          [requestHash],
        );
      }
      if (target.type === 'address') {
        await this.rules.checkOwner(manager, source.owner, { ...target, ...plan });
      }
      return this.insert(manager, row);
    });
  }

  private async insert(manager: EntityManager, row: NewTransfer): Promise<WalletTransferEntity | undefined> {
    const { generatedMaps } = await manager
      .createQueryBuilder()
      .insert()
      .into(WalletTransferEntity)
      .values(row)
      .orIgnore()
      .execute();
    const [generated] = generatedMaps as (Partial<WalletTransferEntity> | undefined)[];
    return generated?.transferId === undefined ? undefined : this.transfers.create({ ...row, ...generated });
  }

  /** The transfer that the same request, or the same `client_transfer_id`, has made before. */
  private async findRepeat(
    manager: EntityManager,
    source: TransferSource,
    { requestHash, clientTransferId, fingerprint }: TransferIdentity,
  ): Promise<WalletTransferEntity | undefined> {
    if (requestHash !== null) {
      const made = await manager
        .createQueryBuilder(WalletTransferEntity, 't')
        .where('t.request_hash = :requestHash', { requestHash })
        .andWhere(`t.created_at > now() - interval '${REQUEST_KEPT}'`)
        .getOne();
      if (made !== null) {
        requireSameRequest(made, source, { clientTransferId, fingerprint });
        return made;
      }
    }
    if (clientTransferId === null) return undefined;
    const named = await manager.findOneBy(WalletTransferEntity, {
      sourceAccountId: String(source.accountId),
      clientTransferId,
    });
    if (named === null) return undefined;
    if (named.fingerprint !== fingerprint) {
      throw new ApiError(
        DUPLICATE_CLIENT_TRANSFER_ID,
        'This client_transfer_id belongs to another transfer. Use a new one.',
      );
    }
    return named;
  }

  /** Who receives sees what has arrived, and nothing before. */
  private async findOf(end: TransferSource, id: string): Promise<WalletTransferEntity> {
    const transferId = TRANSFER_IDS.parse(id);
    const transfer =
      transferId === undefined ? null : await this.transfers.findOneBy({ transferId: String(transferId) });
    if (transfer?.acceptedAt != null) {
      const accountId = String(end.accountId);
      if (transfer.sourceAccountId === accountId) return transfer;
      if (transfer.destinationAccountId === accountId && transfer.status === 'completed') return transfer;
    }
    throw transferNotFound();
  }

  private async describe(
    transfer: WalletTransferEntity,
    end: TransferSource,
  ): Promise<TransferWithStatesDto> {
    const { transferId } = transfer;
    const states = await this.states.find({ where: { transferId }, order: { stateId: 'ASC' } });
    return toTransferWithStatesDto(transfer, end, states);
  }
}

export function transferNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such transfer of this wallet or account.');
}

export function notPending(): ApiError {
  return new ApiError(TRANSFER_NOT_PENDING, 'The transfer is on its way, or has ended. Read it to see.');
}

/** An `Idempotency-Key` stands for one request: its source, what it moves and where to, and its id. */
function requireSameRequest(
  made: WalletTransferEntity,
  source: TransferSource,
  { clientTransferId, fingerprint }: Pick<TransferIdentity, 'clientTransferId' | 'fingerprint'>,
): void {
  const isSame =
    made.fingerprint === fingerprint &&
    made.clientTransferId === clientTransferId &&
    made.sourceAccountId === String(source.accountId) &&
    made.sourceType === source.type;
  if (isSame) return;
  throw new ApiError(
    IDEMPOTENCY_KEY_REUSED,
    'This Idempotency-Key stands for another transfer. Send a new key with a new request.',
  );
}

function identityOf(
  principal: Principal,
  body: CreateTransferDto,
  destination: Destination,
  key: string | undefined,
): TransferIdentity {
  return {
    clientTransferId: body.client_transfer_id ?? null,
    requestHash:
      key === undefined
        ? null
        : hash('sha256', `${principal.key}\n${hash('sha256', key, 'hex')}`, 'base64url'),
    fingerprint: hash(
      'sha256',
      JSON.stringify([body.asset, formatAmount(amountOf(body.amount)), destination]),
      'base64url',
    ),
  };
}
