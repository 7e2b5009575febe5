import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import type { AddressEntity } from './address.entity.js';
import { ADDRESS_PURPOSES, type AddressPurpose, CHAINS, type Chain } from './chain.js';
import { ADDRESS_IDS } from '../ids.js';

const LABEL_LENGTH_MAX = 100;

/** The body of `POST /wallets/{wallet_id}/addresses`. */
export class CreateAddressDto {
  /** @example "ethereum" */
  @ApiProperty({ enum: CHAINS })
  @IsIn(CHAINS)
  chain: Chain;

  /**
   * `deposit`, the default, is to receive at, on a chain that the service is connected to. `signing` is only to sign
   * with the key, on any chain: send nothing there.
   */
  @ApiPropertyOptional({ enum: ADDRESS_PURPOSES, default: 'deposit' })
  @IsOptional()
  @IsIn(ADDRESS_PURPOSES)
  purpose?: AddressPurpose;

  /**
   * For people; need not be unique.
   * @example "Customer 1042"
   */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(LABEL_LENGTH_MAX)
  @Matches(/^\P{C}*$/u, { message: '$property must not have control or formatting characters' })
  label?: string | null;
}

/** What may be asked of `GET /wallets/{wallet_id}/addresses`. */
export class ListAddressesQueryDto extends PageQueryDto {
  /** Only addresses of this chain. */
  @ApiPropertyOptional({ enum: CHAINS })
  @IsOptional()
  @IsIn(CHAINS)
  chain?: Chain;
}

/** What may be sent to an address. */
export class DepositMinimumDto {
  /** @example "ETH" */
  asset: string;
  /**
   * The minimum total of it on the address: below that nothing is credited.
   * @example "0.001"
   */
  minimum: string;
}

/** An address of a wallet. It is never given to anybody else, and stays good for ever. */
export class AddressDto {
  /** @example "adr_00000000001" */
  address_id: string;

  @ApiProperty({ enum: CHAINS, example: 'ethereum' })
  chain: Chain;

  /**
   * `deposit`: what arrives there is credited. `signing`: its key signs, and nothing that is sent there may ever be
   * credited, as it was made for that or the service is not connected to the chain.
   */
  @ApiProperty({ enum: ADDRESS_PURPOSES, example: 'deposit' })
  purpose: AddressPurpose;

  /** What may be sent there; anything else is not credited. Empty for an address that only signs. */
  @ApiProperty({ type: [DepositMinimumDto] })
  deposit_minimums: DepositMinimumDto[];

  /**
   * As the chain writes it: ethereum in checksum case, bitcoin bech32 (P2WPKH), solana base58.
   * @example "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
   */
  address: string;

  /**
   * From the wallet's seed: BIP-44 for ethereum, BIP-84 for bitcoin, SLIP-10 for solana. The last number that
   * changes counts the wallet's addresses of the chain from 0, without gaps.
   */
  @ApiProperty({ example: "m/44'/60'/0'/0/0" })
  derivation_path: string;

  /**
   * Compressed, in hex (with 0x for ethereum); of solana base58.
   * @example "0x0237b0bb7a8288d38ed49a524b5dc98cff3eb5ca824c9f9dc0dfdb3d9cd600f299"
   */
  public_key: string;

  /** @example "Customer 1042" */
  label: string | null;

  /** RFC 3339, UTC. */
  created_at: string;
}

/** An address that was just made. */
export class CreatedAddressDto extends AddressDto {
  /**
   * How many of the wallet's newest addresses of this chain, this one included, have never received money.
   * A wallet that is restored elsewhere stops looking after 20 of them (BIP-44).
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  gap: number;
}

/** `minimums` of the address's chain; undefined where the service is not connected to it. */
export function toAddressDto(
  address: AddressEntity,
  minimums: readonly DepositMinimumDto[] | undefined,
): AddressDto {
  const purpose = minimums === undefined ? 'signing' : address.purpose;
  return {
    address_id: ADDRESS_IDS.format(Number(address.addressId)),
    chain: address.chain,
    purpose,
    deposit_minimums: purpose === 'deposit' ? [...(minimums ?? [])] : [],
    ...fieldsOf(address, 'address', 'derivationPath', 'publicKey', 'label', 'createdAt'),
  };
}
