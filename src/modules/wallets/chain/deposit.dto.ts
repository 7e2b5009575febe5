import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { amount, formatAmount } from '../../../domain/money/amount.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { ApiQueryChoices, QueryText } from '../../../kit/http/validation/query.js';
import { DEPOSIT_IDS, TRANSFER_IDS, WALLET_IDS } from '../ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

export const DEPOSIT_STATUSES = [
  'waiting',
  'below_minimum',
  'unsupported',
  'held_for_review',
  'orphaned',
  'credited',
] as const;

export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

const STATUS = `(?:${DEPOSIT_STATUSES.join('|')})`;
const STATUS_LIST = new RegExp(`^${STATUS}(?:,${STATUS}){0,${DEPOSIT_STATUSES.length - 1}}$`);

/** The query of `GET /wallets/{wallet_id}/deposits`. */
export class ListDepositsQueryDto extends PageQueryDto {
  @ApiQueryChoices(DEPOSIT_STATUSES, 'Only deposits in one of these states, separated by commas.')
  @IsOptional()
  @IsString()
  @Matches(STATUS_LIST, {
    message: `$property must be one or more of ${DEPOSIT_STATUSES.join(', ')}, separated by commas`,
  })
  status?: string;
}

export const ARRIVED_AT = ['wallet', 'hot_wallet'] as const;

/** The query of `GET /admin/chain-deposits`. */
export class ListAllDepositsQueryDto extends ListDepositsQueryDto {
  /** @example "ethereum" */
  @QueryText(64, 'Only what arrived on this chain.')
  chain?: string;

  /** Only what arrived at addresses of wallets, or at the house’s own. */
  @ApiPropertyOptional({ enum: ARRIVED_AT })
  @IsOptional()
  @IsIn(ARRIVED_AT)
  at?: (typeof ARRIVED_AT)[number];
}

/** Money that has arrived over a chain. */
export class ChainDepositDto {
  /** @example "dep_00000000001" */
  deposit_id: string;
  /** @example "ethereum" */
  chain: string;
  /** @example "ETH" */
  asset: string;
  /** @example "0.25" */
  amount: string;
  /**
   * The minimum total on the address, below which nothing there is credited; null if the service does not take the asset.
   * @example "0.001"
   */
  @ApiProperty({ type: String, nullable: true })
  minimum: string | null;
  /**
   * The address at which it arrived.
   * @example "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
   */
  address: string;
  /** Who sent it; null if a contract did. */
  @ApiProperty({ type: String, nullable: true, example: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' })
  source: string | null;
  /** Null if a contract sent it: such payments are found by balances. */
  @ApiProperty({ type: String, nullable: true })
  tx_hash: string | null;
  /** Blocks on top of its own, that one included. */
  @ApiProperty({ type: 'integer', example: 12 })
  confirmations: number;
  /**
   * `waiting`: until it is final, or collected from an address that has signed. `below_minimum`: until more arrives at the
   * address. `unsupported`: the service does not take the asset, or no amount that fine. `held_for_review`: until operators
   * decide. `orphaned`: its block was replaced; it counts again once it is in another one. `credited`: in the wallet.
   */
  @ApiProperty({ enum: DEPOSIT_STATUSES, example: 'credited' })
  status: DepositStatus;
  /** Why it is not credited yet, and what helps; null once it is. */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;
  /** The transfer that credited it to the wallet; null before. */
  @ApiProperty({ type: String, nullable: true, example: 'trf_00000000001' })
  transfer_id: string | null;
  /** When it was first seen: RFC 3339, UTC. */
  created_at: string;
}

/** A deposit as operators see it. */
export class OperatorChainDepositDto extends ChainDepositDto {
  /** Null for what arrived at the hot wallet. */
  @ApiProperty({ type: String, nullable: true, example: 'wlt_00000000001' })
  wallet_id: string | null;
  /**
   * The wallet’s, or the house’s for what arrived at the hot wallet.
   * @example "acc_00000000005"
   */
  account_id: string;
}

/** A deposit as `Deposits` reads it. */
export interface DepositRow {
  readonly deposit_id: string;
  readonly chain: string;
  readonly tx_hash: string;
  readonly asset: string;
  readonly amount: string;
  readonly source: string;
  readonly address: string;
  readonly wallet_id: string | null;
  readonly account_id: string;
  readonly minimum: string | null;
  readonly step: string | null;
  readonly confirmations: string;
  readonly is_connected: boolean;
  readonly status: DepositStatus;
  readonly transfer_id: string | null;
  readonly created_at: Date;
}

/** How money is marked that contracts have paid: see `InternalTransactions`. */
const BY_CONTRACT = 'contract';

export function toChainDepositDto(row: DepositRow): ChainDepositDto {
  const isByContract = row.source === BY_CONTRACT;
  return {
    deposit_id: DEPOSIT_IDS.format(Number(row.deposit_id)),
    chain: row.chain,
    asset: row.asset,
    amount: unitsText(row.amount),
    minimum: row.minimum === null || row.step === null ? null : unitsText(row.minimum),
    address: row.address,
    source: isByContract ? null : row.source,
    tx_hash: isByContract ? null : row.tx_hash,
    confirmations: Number(row.confirmations),
    status: row.status,
    reason: reasonOf(row),
    transfer_id: row.transfer_id === null ? null : TRANSFER_IDS.format(Number(row.transfer_id)),
    created_at: row.created_at.toISOString(),
  };
}

export function toOperatorChainDepositDto(row: DepositRow): OperatorChainDepositDto {
  return {
    ...toChainDepositDto(row),
    wallet_id: row.wallet_id === null ? null : WALLET_IDS.format(Number(row.wallet_id)),
    account_id: ACCOUNT_IDS.format(Number(row.account_id)),
  };
}

function reasonOf({
  status,
  asset,
  chain,
  minimum,
  step,
  is_connected: isConnected,
}: DepositRow): string | null {
  switch (status) {
    case 'credited':
      return null;
    case 'waiting':
      return isConnected
        ? 'It is credited once it is final; where its address has signed, once it is collected.'
        : `The service is not connected to ${chain} at present.`;
    case 'below_minimum':
      return `Less than ${unitsText(minimum!)} ${asset} in all waits on the address. Send more there.`;
    case 'unsupported':
      return step === null
        ? `The service does not take ${asset} over ${chain}. Ask its operators.`
        : `The amount has more decimals than ${asset} has here. Ask the operators of the service.`;
    case 'held_for_review':
      return 'The owner of the wallet has closed. Operators decide what becomes of it.';
    case 'orphaned':
      return 'The chain has replaced its block. It counts again once it is in another one.';
  }
}

function unitsText(units: string): string {
  return formatAmount(amount(BigInt(units)));
}
