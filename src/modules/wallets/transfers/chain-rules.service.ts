import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import {
  type Amount,
  amount,
  AMOUNT_DECIMALS,
  decimalsOf,
  formatAmount,
} from '../../../domain/money/amount.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import { ChainConnectors } from '../chains/chain-connectors.js';
import { Settings } from '../../../kit/config/settings.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { DESTINATION_NOT_ALLOWED, UNPROCESSABLE, LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { KYC_REQUIRED } from '../../users/errors.js';
import { INVALID_ADDRESS, CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { isClosedSql } from '../../users/closed-owners.js';
import { ChainFees } from './chain-fees.js';
import type { ChainTarget } from './transfer-plan.js';
import { WALLET_SETTINGS } from '../wallet-settings.js';

/** From this level on the owner of an account may send money out over a chain. */
const KYC_LEVEL_NEEDED = 1;

interface OutgoingTransfer {
  readonly chain: string;
  readonly address: string;
  readonly asset: string;
  readonly amount: Amount;
}

/** What must be so before money may leave over a chain. */
@Injectable()
export class ChainRules {
  constructor(
    private readonly core: CoreService,
    private readonly connectors: ChainConnectors,
    private readonly fees: ChainFees,
    private readonly secondPerson: SecondPerson,
    private readonly settings: Settings,
    @InjectDataSource() private readonly database: DataSource,
  ) {}

  /**
   * The chain's own way to write the address of somebody who can have money there. Throws `chain_unavailable` (503),
   * `invalid_address` (422), and `destination_not_allowed` (422) where the money would come back to the service and be
   * nobody's.
   */
  async addressOf(chain: string, text: string): Promise<string> {
    const address = this.connectorOf(chain).canonicalAddress(text);
    if (address === undefined) {
      throw new ApiError(INVALID_ADDRESS, `This is no address of ${chain} that money can go to.`);
    }
    const [{ is_ours: isOurs }] = await this.database.query<[{ is_ours: boolean }]>(
      `SELECT EXISTS (SELECT FROM chains WHERE hot_address = $2)
         OR EXISTS (SELECT FROM wallet_addresses a JOIN wallets w ON w.wallet_id = a.wallet_id
              WHERE a.chain = $1 AND a.address = $2 AND ${isClosedSql('w.owner')}) AS is_ours`,
      [chain, address],
    );
    if (isOurs) {
      throw new ApiError(
        DESTINATION_NOT_ALLOWED,
        'This address is the service’s own, and what is sent there reaches nobody. Name an account or a wallet inside.',
      );
    }
    return address;
  }

  /**
   * Throws, in this order: `chain_unavailable` (503), `invalid_address`, `destination_not_allowed`, `unprocessable` (an asset that the
   * chain does not carry), `amount_too_precise`, `kyc_required` (422), and `chain_unavailable` where the
   * node does not say what it costs.
   */
  async check(
    owner: string,
    { chain, address: text, asset, amount }: OutgoingTransfer,
  ): Promise<ChainTarget> {
    const connector = this.connectorOf(chain);
    const address = await this.addressOf(chain, text);
    const onChain = connector.assets.find(({ code }) => code === asset);
    if (onChain === undefined) {
      const codes = connector.assets.map(({ code }) => code).join(', ');
      throw new ApiError(UNPROCESSABLE, `${asset} does not go over ${chain}; these do: ${codes}.`);
    }
    const decimals = Math.min(onChain.decimals, this.core.asset(asset)!.scale);
    if (decimalsOf(amount) > decimals) {
      throw new ApiError(
        REFUSALS.amount_too_precise,
        `${asset} has ${decimals} decimals on ${chain}. Round the amount.`,
      );
    }
    await this.checkKnown(owner);
    const fee = await this.fees.estimate({ chain, asset, amount, to: address });
    this.checkCountable(connector, fee.asset);
    const limit = this.settings.get(WALLET_SETTINGS).approvalAbove.get(asset);
    return {
      type: 'address',
      chain,
      address,
      feeAsset: fee.asset,
      feeHeld: fee.amount,
      needsApproval:
        (limit !== undefined && amount > limit) || (await this.secondPerson.neededUntil(owner)) !== undefined,
    };
  }

  /**
   * What the owner's list and daily limits say, which bind all wallets of an owner together. Others of the
   * same owner wait until the transaction ends, so that two at once cannot share what is left of a limit.
   * Throws `destination_not_allowed`, `limit_exceeded` (422).
   */
  async checkOwner(manager: EntityManager, owner: string, transfer: OutgoingTransfer): Promise<void> {
    await lockOwner(manager, owner);
    await this.checkListed(manager, owner, transfer);
    await this.checkDailyLimit(manager, owner, transfer);
  }

  private connectorOf(chain: string): ChainConnector {
    const connector = this.connectors.connectorOf(chain);
    if (connector === undefined) {
      throw new ApiError(
        CHAIN_UNAVAILABLE,
        `The service is not connected to ${chain}. Transfers inside work.`,
      );
    }
    return connector;
  }

  /** What a chain takes is paid to the last unit: an asset that counts more coarsely could never pay it. */
  private checkCountable({ chain, assets }: ChainConnector, feeAsset: string): void {
    const needed = assets.find(({ code }) => code === feeAsset)?.decimals ?? AMOUNT_DECIMALS;
    if ((this.core.asset(feeAsset)?.scale ?? 0) >= needed) return;
    throw new ApiError(
      CHAIN_UNAVAILABLE,
      `Nothing goes over ${chain} until ${feeAsset} has ${needed} decimals.`,
    );
  }

  /** Persons are known, not accounts: the level of one of their accounts is that of all. */
  private async checkKnown(owner: string): Promise<void> {
    const accounts = await this.core.accountsOf(owner);
    if (accounts.some(({ kycLevel }) => kycLevel >= KYC_LEVEL_NEEDED)) return;
    throw new ApiError(KYC_REQUIRED, 'Money leaves only for who is known. Submit your KYC data first.');
  }

  private async checkListed(
    manager: EntityManager,
    owner: string,
    { chain, address }: OutgoingTransfer,
  ): Promise<void> {
    const [listed] = await manager.query<[{ any: boolean; effective: boolean; waiting: boolean }]>(
      `SELECT count(*) > 0 AS any,
         count(*) FILTER (WHERE is_it AND effective_at <= now()) > 0 AS effective,
         count(*) FILTER (WHERE is_it) > 0 AS waiting
       FROM (
         SELECT effective_at, removed_at IS NULL AND chain = $2 AND address = $3 AS is_it
         FROM wallet_destinations WHERE owner = $1
       ) AS destinations`,
      [owner, chain, address],
    );
    if (!listed.any || listed.effective) return;
    throw new ApiError(
      DESTINATION_NOT_ALLOWED,
      listed.waiting
        ? 'This destination has been listed too lately. See its effective_at.'
        : 'Your wallets have a list of destinations, and this is none of them. See GET /wallets/{wallet_id}/destinations.',
    );
  }

  private async checkDailyLimit(
    manager: EntityManager,
    owner: string,
    transfer: OutgoingTransfer,
  ): Promise<void> {
    const limit = this.settings.get(WALLET_SETTINGS).dailyLimit.get(transfer.asset);
    if (limit === undefined) return;
    const [sent] = await manager.query<[{ units: string }]>(
      `SELECT coalesce(sum(amount), 0) AS units FROM wallet_transfers
       WHERE source_wallet_id IN (SELECT wallet_id FROM wallets WHERE owner = $1) AND asset = $2 AND chain IS NOT NULL
         AND created_at > now() - interval '24 hours' AND status NOT IN ('failed', 'rejected', 'cancelled')`,
      [owner, transfer.asset],
    );
    const left = limit - BigInt(sent.units);
    if (transfer.amount <= left) return;
    const remainder = formatAmount(left > 0n ? amount(left) : 0n);
    throw new ApiError(
      LIMIT_EXCEEDED,
      `Your wallets may send ${formatAmount(limit)} ${transfer.asset} over chains in 24 hours; ${remainder} is left.`,
    );
  }
}

/** Serializes changes of the owner's list of destinations, and uses of the owner's limits. */
export function lockOwner(manager: EntityManager, owner: string): Promise<void> {
  return lockUntilCommit(manager, `wallets:${owner}`);
}
