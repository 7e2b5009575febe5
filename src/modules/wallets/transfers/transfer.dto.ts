import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsDefined,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { formatAmount } from '../../../domain/money/amount.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { type Chain, CHAINS } from '../keys/chain.js';
import type { TransferEnd, TransferSource } from './transfer-plan.js';
import type { WalletTransferStateEntity } from './wallet-transfer-state.entity.js';
import {
  type EndpointType,
  TRANSFER_STATUSES,
  type TransferStatus,
  type WalletTransferEntity,
} from './wallet-transfer.entity.js';
import { TRANSFER_IDS, WALLET_IDS } from '../ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

export const DIRECTIONS = ['in', 'out'] as const;
export type TransferDirection = (typeof DIRECTIONS)[number];

/** Printable ASCII: what every log, file and database keeps as it is. */
const CLIENT_TRANSFER_ID = /^[\x21-\x7e]{1,64}$/;

const DESTINATION_TYPES = ['account', 'wallet', 'address'] as const satisfies readonly EndpointType[];

/** What each type of destination is named by; anything else beside it is refused. */
const FIELDS_OF_TYPE = {
  account: ['account_id'],
  wallet: ['wallet_id'],
  address: ['chain', 'address'],
} as const satisfies Record<EndpointType, readonly string[]>;

/** Where the money goes: an account (`account_id`), a wallet (`wallet_id`), or an address outside (`chain`, `address`). */
export class DestinationDto {
  /** @example "wallet" */
  @ApiProperty({ enum: DESTINATION_TYPES })
  @IsIn(DESTINATION_TYPES)
  type: EndpointType;

  /**
   * Anybody's trading account; with type `account` only.
   * @example "acc_0000000000D"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;

  /**
   * Anybody's wallet; with type `wallet` only.
   * @example "wlt_00000000001"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  wallet_id?: string;

  /** With type `address` only. */
  @ApiPropertyOptional({ enum: CHAINS })
  @IsOptional()
  @IsIn(CHAINS)
  chain?: Chain;

  /**
   * In the chain's own form, of ethereum with its checksum (EIP-55) or all in lower case; with type
   * `address` only.
   * @example "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  address?: string;
}

/** The body of `POST /wallets/{wallet_id}/transfers` and of `POST /accounts/{account_id}/transfers`. */
export class CreateTransferDto {
  /** @example "USD" */
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  asset: string;

  /**
   * Above zero. Inside with up to 18 decimals, over a chain with as many as the asset has there.
   * @example "100.00"
   */
  @IsPlainDecimal({ positive: true })
  amount: string;

  /** From an account to an account or a wallet only. */
  @IsDefined()
  @IsObject()
  @ValidateNested()
  @Type(() => DestinationDto)
  destination: DestinationDto;

  /**
   * The caller's own id, unique in the wallet (or account) for good: 1 to 64 printable ASCII characters
   * without spaces. Sending it again answers the transfer that it made; with another body it is refused
   * with `duplicate_client_transfer_id` (409).
   */
  @ApiPropertyOptional({ pattern: CLIENT_TRANSFER_ID.source })
  @IsOptional()
  @Matches(CLIENT_TRANSFER_ID, {
    message: '$property must be 1 to 64 printable ASCII characters without spaces',
  })
  client_transfer_id?: string;
}

/** Bodies as they may be sent, by name; for the document. */
export const TRANSFER_FROM_ACCOUNT_EXAMPLES = {
  'into a wallet': {
    value: {
      asset: 'USD',
      amount: '100.00',
      destination: { type: 'wallet', wallet_id: 'wlt_00000000001' },
      client_transfer_id: 'savings-2026-11',
    },
  },
  'to another account': {
    value: {
      asset: 'BTC',
      amount: '0.5',
      destination: { type: 'account', account_id: 'acc_0000000000D' },
    },
  },
} as const;

export const TRANSFER_FROM_WALLET_EXAMPLES = {
  'to another wallet': {
    value: {
      asset: 'USD',
      amount: '25',
      destination: { type: 'wallet', wallet_id: 'wlt_00000000002' },
    },
  },
  'over a chain': {
    value: {
      asset: 'ETH',
      amount: '0.25',
      destination: {
        type: 'address',
        chain: 'ethereum',
        address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      },
      client_transfer_id: 'withdrawal-17',
    },
  },
} as const;

/** The query of `GET /wallets/{wallet_id}/transfers` and of `GET /accounts/{account_id}/transfers`. */
export class ListTransfersQueryDto extends PeriodQueryDto {
  /** `in` is what arrived, `out` what left or is on its way. */
  @ApiPropertyOptional({ enum: DIRECTIONS })
  @IsOptional()
  @IsIn(DIRECTIONS)
  direction?: TransferDirection;

  @ApiPropertyOptional({ enum: TRANSFER_STATUSES })
  @IsOptional()
  @IsIn(TRANSFER_STATUSES)
  status?: TransferStatus;

  /** @example "USD" */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  asset?: string;

  /** Only what goes or came over this chain. */
  @ApiPropertyOptional({ enum: CHAINS })
  @IsOptional()
  @IsIn(CHAINS)
  chain?: Chain;
}

/** One end of a transfer. */
export class TransferEndpointDto {
  /** @example "wallet" */
  @ApiProperty({ enum: DESTINATION_TYPES })
  type: EndpointType;
  /** Of an account. */
  account_id?: string;
  /**
   * Of a wallet.
   * @example "wlt_00000000001"
   */
  wallet_id?: string;
  /** Of an address outside, and of the wallet's own at which a deposit arrived. */
  chain?: string;
  address?: string;
}

/** A transfer as one of its two ends sees it. */
export class TransferDto {
  /** @example "trf_0000000000A" */
  transfer_id: string;
  /** The wallet that it is seen from; null from an account. */
  @ApiProperty({ type: String, nullable: true })
  wallet_id: string | null;
  /** @example "out" */
  @ApiProperty({ enum: DIRECTIONS })
  direction: TransferDirection;
  /**
   * Inside `completed` at once. Over a chain `pending_approval` until a second person agrees (large ones),
   * `pending` until it is sent, `broadcasting`, `confirming`, and then `completed` or `failed`.
   * @example "completed"
   */
  @ApiProperty({ enum: TRANSFER_STATUSES })
  status: TransferStatus;
  /** Why it is `failed` or `rejected`; else null. */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;
  /** @example "USD" */
  asset: string;
  /** @example "100" */
  amount: string;
  /**
   * What the chain takes at most, which is held, until it is known what it took; inside `0`.
   * @example "0"
   */
  fee: string;
  /**
   * The asset of the fee: the chain's own.
   * @example "USD"
   */
  fee_asset: string;
  source: TransferEndpointDto;
  destination: TransferEndpointDto;
  /** Null inside, and until it is sent. */
  @ApiProperty({ type: String, nullable: true })
  tx_hash: string | null;
  /** Blocks on top of its own, that one included; null inside, and until it is sent. */
  @ApiProperty({ type: 'integer', nullable: true })
  confirmations: number | null;
  /** Null where the caller gave none, and to who receives. */
  @ApiProperty({ type: String, nullable: true })
  client_transfer_id: string | null;
  /** RFC 3339, UTC. */
  created_at: string;
  /** RFC 3339, UTC. */
  updated_at: string;
}

/** A state that a transfer came into. */
export class TransferStateDto {
  /** @example "completed" */
  @ApiProperty({ enum: TRANSFER_STATUSES })
  status: TransferStatus;
  /** Why, of `failed` and `rejected`; else null. */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;
  /** RFC 3339, UTC. */
  at: string;
}

/** A transfer and every state that it was in. */
export class TransferWithStatesDto extends TransferDto {
  /** Oldest first. */
  @ApiProperty({ type: [TransferStateDto] })
  states: TransferStateDto[];
}

/** As seen from one of its ends, which is the caller's own. */
export function toTransferDtoOf(transfer: WalletTransferEntity, end: TransferEnd): TransferDto {
  return toTransferDto(transfer, end.walletId, transfer.sourceAccountId !== String(end.accountId));
}

/** A destination as it was asked for, with what its type needs and nothing else. */
export type Destination =
  | { readonly type: 'account'; readonly accountId: string }
  | { readonly type: 'wallet'; readonly walletId: string }
  | { readonly type: 'address'; readonly chain: Chain; readonly address: string };

/** Throws `validation_failed` (400) where a field is missing, or stands beside a type that has none such. */
export function toDestination(dto: DestinationDto, types: readonly EndpointType[]): Destination {
  const problems: FieldError[] = [];
  if (!types.includes(dto.type)) {
    problems.push({ field: 'destination.type', message: `type must be one of: ${types.join(', ')}` });
  }
  const needed: readonly string[] = FIELDS_OF_TYPE[dto.type];
  for (const field of ['account_id', 'wallet_id', 'chain', 'address'] as const) {
    if (needed.includes(field) === (dto[field] != null)) continue;
    const must = needed.includes(field) ? 'be given' : 'be left out';
    problems.push({ field: `destination.${field}`, message: `${field} must ${must} with type ${dto.type}` });
  }
  if (problems.length > 0) throw ApiError.validation(problems);
  switch (dto.type) {
    case 'account':
      return { type: 'account', accountId: dto.account_id! };
    case 'wallet':
      return { type: 'wallet', walletId: dto.wallet_id! };
    case 'address':
      return { type: 'address', chain: dto.chain!, address: dto.address! };
  }
}

/** As seen from the wallet; with null from an account, by default the one that the money left. */
export function toTransferDto(
  transfer: WalletTransferEntity,
  walletId: string | null,
  isIncoming = walletId !== null && transfer.sourceWalletId !== walletId,
): TransferDto {
  return {
    transfer_id: TRANSFER_IDS.format(Number(transfer.transferId)),
    wallet_id: walletId === null ? null : WALLET_IDS.format(Number(walletId)),
    direction: isIncoming ? 'in' : 'out',
    ...fieldsOf(transfer, 'status', 'reason', 'asset', 'amount'),
    fee: isIncoming ? '0' : formatAmount(transfer.fee),
    fee_asset: transfer.feeAsset,
    source: endpointOf(
      transfer.sourceType,
      transfer.sourceAccountId,
      transfer.sourceWalletId,
      transfer.chain,
      transfer.sourceAddress,
    ),
    destination: endpointOf(
      transfer.destinationType,
      transfer.destinationAccountId,
      transfer.destinationWalletId,
      transfer.chain,
      transfer.destinationAddress,
    ),
    tx_hash: transfer.txHash,
    confirmations: transfer.confirmations,
    client_transfer_id: isIncoming ? null : transfer.clientTransferId,
    created_at: transfer.createdAt.toISOString(),
    updated_at: transfer.updatedAt.toISOString(),
  };
}

export function toTransferWithStatesDto(
  transfer: WalletTransferEntity,
  end: TransferSource,
  states: readonly WalletTransferStateEntity[],
): TransferWithStatesDto {
  return { ...toTransferDtoOf(transfer, end), states: states.map(toTransferStateDto) };
}

function toTransferStateDto({ status, reason, changedAt }: WalletTransferStateEntity): TransferStateDto {
  return { status, reason, at: changedAt.toISOString() };
}

function endpointOf(
  type: EndpointType,
  accountId: string | null,
  walletId: string | null,
  chain: string | null,
  address: string | null,
): TransferEndpointDto {
  const outside = chain === null || address === null ? {} : { chain, address };
  switch (type) {
    case 'account':
      return { type, account_id: ACCOUNT_IDS.format(Number(accountId)) };
    case 'wallet':
      return { type, wallet_id: WALLET_IDS.format(Number(walletId)), ...outside };
    case 'address':
      return { type, ...outside };
  }
}
