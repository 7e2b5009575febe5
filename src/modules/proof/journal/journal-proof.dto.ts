import { ApiProperty } from '@nestjs/swagger';
import { QueryInteger, RequiredQueryInteger } from '../../../kit/http/validation/query.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';

export const HASH = { pattern: '^[0-9a-f]{64}$', example: '5'.repeat(64) } as const;
export const WHOLE = { type: 'integer', minimum: 1 } as const;
export const NUMBER_OF_ID = { ...WHOLE, example: 1042 } as const;
export const TICKS = { ...WHOLE, example: 5_000 } as const;

/** Where the journal stands, signed. */
export class JournalHeadDto {
  /** How many rows of the journal it covers. */
  @ApiProperty({ ...WHOLE, example: 1 })
  height: number;
  /** How many leaves the tree has; the same as the height. */
  @ApiProperty({ ...WHOLE, example: 1 })
  tree_size: number;
  /** The last place in the ledger's one global sequence. */
  @ApiProperty({ ...WHOLE, example: 4 })
  sequence: number;
  /** The Merkle tree's root over one leaf for each row (RFC 9162, SHA-256). */
  @ApiProperty(HASH)
  root_hash: string;
  /** The last row’s hash in the chain of rows: it covers everything up to there. */
  @ApiProperty(HASH)
  chain_hash: string;
  /** Of all balances, positions, open orders, holds and markets after the last row. */
  @ApiProperty(HASH)
  state_hash: string;
  /** Of all books and markets’ figures after the last row: what a replay of GET /journal/public leads to. */
  @ApiProperty(HASH)
  public_state_hash: string;
  /** When the last row was committed; RFC 3339, UTC. */
  time: string;
  /** Which of GET /journal/keys has signed. */
  key_id: string;
  /** Ed25519 in base64, over the head as RFC 8785 JSON without this member. */
  signature: string;
}

/** A key that signs heads and reports. */
export class JournalKeyDto {
  /** The first 32 hexadecimal digits of the SHA-256 hash of the key. */
  key_id: string;
  /** Ed25519, 32 bytes in base64. */
  public_key: string;
  /** RFC 3339, UTC. */
  activated_at: string;
  /** The key that signed before; null for the first one. */
  previous_key_id: string | null;
  /**
   * By the previous key, over the members above as RFC 8785 JSON; null for the first one.
   */
  handover_signature: string | null;
  /** By the key itself, over the same. */
  own_signature: string;
}

export class JournalKeysDto {
  /** The first one first. Who trusts it may trust all: each has signed the next. */
  @ApiProperty({ type: [JournalKeyDto] })
  data: JournalKeyDto[];
}

export class ListHeadsQueryDto extends PageQueryDto {
  @QueryInteger(1, Number.MAX_SAFE_INTEGER, 'The lowest height to answer; 1 is the default.')
  from: number = 1;
}

export class ConsistencyQueryDto {
  @RequiredQueryInteger(1, Number.MAX_SAFE_INTEGER, 'The size of the smaller tree.')
  first: number;

  @QueryInteger(
    1,
    Number.MAX_SAFE_INTEGER,
    'The size of the larger one; that of the newest head is the default.',
  )
  second?: number;
}

/** That a tree is the beginning of a larger one: nothing was changed or taken out. */
export class ConsistencyProofDto {
  @ApiProperty(WHOLE)
  first: number;
  @ApiProperty(WHOLE)
  second: number;
  /** Hashes of nodes, as RFC 9162 (2.1.4) orders them. */
  @ApiProperty({ type: [String] })
  proof: string[];
}

export class InclusionQueryDto {
  @RequiredQueryInteger(1, Number.MAX_SAFE_INTEGER, 'Which row of the journal; the first one is 1.')
  height: number;

  @QueryInteger(1, Number.MAX_SAFE_INTEGER, 'The size of the tree; that of the newest head is the default.')
  tree_size?: number;
}

/** That a row is in the journal. */
export class InclusionProofDto {
  @ApiProperty(WHOLE)
  height: number;
  @ApiProperty(WHOLE)
  tree_size: number;
  /** The row’s leaf, RFC 8785 JSON, in base64. */
  leaf: string;
  /** SHA-256 of a zero byte and the leaf. */
  @ApiProperty(HASH)
  leaf_hash: string;
  /** Hashes from the leaf to the root, as RFC 9162 (2.1.3) orders them. */
  @ApiProperty({ type: [String] })
  proof: string[];
}
