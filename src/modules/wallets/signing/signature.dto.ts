import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { SIGNATURE_SCHEMES, type SignatureEntity, type SignatureScheme } from './signature.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { ADDRESS_IDS, SIGNATURE_IDS } from '../ids.js';

const ADDRESS_LENGTH_MAX = 128;

/** The body of `POST /wallets/{wallet_id}/sign`. */
export class SignDto {
  /** An address of the wallet, which signs by its key. */
  @IsString()
  @MinLength(1)
  @MaxLength(ADDRESS_LENGTH_MAX)
  address: string;

  /** `raw` signs `payload` as a message of the chain, `typed` signs `typed_data` by EIP-712 (ethereum only). */
  @ApiProperty({ enum: ['raw', 'typed'] })
  @IsIn(['raw', 'typed'])
  type: 'raw' | 'typed';

  /** How `payload` is written; with `typed` there is none. */
  @ApiPropertyOptional({ enum: ['utf8', 'hex'], default: 'utf8' })
  @IsOptional()
  @IsIn(['utf8', 'hex'])
  encoding?: 'utf8' | 'hex';

  /**
   * The message. In hex, with or without 0x, it is any bytes; 32 of them are a message like any other, and
   * never signed as a digest.
   */
  @IsOptional()
  @IsString()
  payload?: string;

  /**
   * EIP-712: `types`, `primaryType`, `domain` and `message`. Numbers that are no safe integers are strings,
   * decimal or 0x-hex; bytes are 0x-hex.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsOptional()
  @IsObject()
  typed_data?: Record<string, unknown>;
}

/** A signature of a wallet's key. */
export class SignedDto {
  /** @example "sig_00000000001" */
  signature_id: string;

  /**
   * Of ethereum 65 bytes (r, s, v) in 0x-hex, of bitcoin the witness in base64, of solana 64 bytes in base58.
   * @example "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c"
   */
  signature: string;

  /**
   * What was signed, in 0x-hex: the EIP-191 or EIP-712 digest; the tagged message hash of BIP-322; the SHA-256 of
   * Solana's off-chain message.
   * @example "0x1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655"
   */
  digest: string;

  @ApiProperty({ enum: SIGNATURE_SCHEMES, example: 'eip191' })
  scheme: SignatureScheme;
}

/** That something was signed. The signature itself is not kept. */
export class SignatureRecordDto {
  /** @example "sig_00000000001" */
  signature_id: string;

  /** @example "adr_00000000001" */
  address_id: string;

  /** @example "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" */
  address: string;

  @ApiProperty({ enum: SIGNATURE_SCHEMES, example: 'eip191' })
  scheme: SignatureScheme;

  /** @example "0x1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655" */
  digest: string;

  /**
   * Who asked for it: a user, a client or an API key.
   * @example "client:demo"
   */
  requested_by: string;

  /** RFC 3339, UTC. */
  created_at: string;
}

export function toSignatureRecordDto(signature: SignatureEntity): SignatureRecordDto {
  return {
    signature_id: SIGNATURE_IDS.format(Number(signature.signatureId)),
    address_id: ADDRESS_IDS.format(Number(signature.addressId)),
    ...fieldsOf(signature, 'address', 'scheme', 'digest', 'requestedBy', 'createdAt'),
  };
}
