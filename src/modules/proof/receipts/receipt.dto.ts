import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { QueryInteger } from '../../../kit/http/validation/query.js';
import { JournalHeadDto } from '../journal/journal-proof.dto.js';

const MOMENTS = ['accepted', 'latest'] as const;

export class OrderReceiptQueryDto {
  /** Which commit: the one that accepted the order, or the last one that changed it. */
  @ApiPropertyOptional({ enum: MOMENTS, default: 'accepted' })
  @IsOptional()
  @IsIn(MOMENTS)
  of: (typeof MOMENTS)[number] = 'accepted';
}

export class AccountReceiptQueryDto {
  @QueryInteger(
    1,
    Number.MAX_SAFE_INTEGER,
    'A place in the ledger’s one global sequence, such as the `ledger_sequence` of a fill or an entry. Without it, the ' +
      'last commit that changed the account.',
  )
  ledger_sequence?: number;
}

/** A row of a table as a commit left it, or those columns that it changed. */
export class StatedChangeDto {
  /** @example "orders" */
  table: string;
  /** `change` has the key and what may change; the others have the whole row. */
  @ApiProperty({ enum: ['insert', 'append', 'replace', 'change'], example: 'insert' })
  kind: string;
  /**
   * Its columns as docs/journal.md describes them: amounts in units of 10^-18 as text, prices in ticks, sizes in lots,
   * times in milliseconds, ids as their numbers. Of a trade or transfer, one’s own side alone.
   */
  @ApiProperty({ type: 'object', additionalProperties: true })
  row: object;
}

/** All that one commit did to one account, or to one market. */
export class ReceiptStatementDto {
  /** The number in the account’s id; of accounts alone. */
  @ApiPropertyOptional({ type: 'integer' })
  account_id?: number;
  /** Of markets alone. */
  @ApiPropertyOptional()
  market_id?: string;
  @ApiProperty({ type: [StatedChangeDto] })
  changes: readonly StatedChangeDto[];
}

/** What a commit did to an account or a market, and the way from there to a signed head of the journal. */
export class ReceiptDto {
  statement: ReceiptStatementDto;
  /** 32 bytes in hexadecimal digits, hashed before the statement. */
  salt: string;
  /** The place of the statement among those of its journal row, from 0. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  statement_index: number;
  /** Hashes from the statement to `statements.root_hash` of the leaf. */
  @ApiProperty({ type: [String] })
  statement_proof: readonly string[];
  /** Which row of the journal; the first one is 1. */
  @ApiProperty({ type: 'integer', minimum: 1 })
  height: number;
  /** The row’s leaf, RFC 8785 JSON, in base64. */
  leaf: string;
  /** Hashes from the leaf to `root_hash` of the head. */
  @ApiProperty({ type: [String] })
  proof: readonly string[];
  /** The signed head that the receipt leads to. */
  head: JournalHeadDto;
}
