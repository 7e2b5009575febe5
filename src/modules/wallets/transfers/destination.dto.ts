import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { type Chain, CHAINS } from '../keys/chain.js';
import type { WalletDestinationEntity } from './wallet-destination.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { DESTINATION_IDS } from '../ids.js';

/** The body of `POST /wallets/{wallet_id}/destinations`. */
export class ListDestinationDto {
  /** @example "ethereum" */
  @ApiProperty({ enum: CHAINS })
  @IsIn(CHAINS)
  chain: Chain;

  /** @example "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" */
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  address: string;

  /**
   * For people.
   * @example "Cold storage"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  label: string;
}

/** An address outside that all wallets of its owner may send to. */
export class WalletDestinationDto {
  /** @example "dst_00000000001" */
  destination_id: string;
  /** @example "ethereum" */
  chain: string;
  /**
   * In the chain's own form.
   * @example "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
   */
  address: string;
  /** @example "Cold storage" */
  label: string;
  /** RFC 3339, UTC. */
  created_at: string;
  /** RFC 3339, UTC: from then on money may go there. */
  effective_at: string;
}

export function toWalletDestinationDto(destination: WalletDestinationEntity): WalletDestinationDto {
  return {
    destination_id: DESTINATION_IDS.format(Number(destination.destinationId)),
    ...fieldsOf(destination, 'chain', 'address', 'label', 'createdAt', 'effectiveAt'),
  };
}
