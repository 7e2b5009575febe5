import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  INVALID_CURSOR,
  VALIDATION_FAILED,
  NOT_FOUND,
  TEMPORARILY_UNAVAILABLE,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { Public } from '../../../kit/security/credential-policy.js';
import {
  ConsistencyProofDto,
  ConsistencyQueryDto,
  InclusionProofDto,
  InclusionQueryDto,
  JournalHeadDto,
  JournalKeysDto,
  ListHeadsQueryDto,
} from './journal-proof.dto.js';
import { JournalProofs } from './journal-proofs.service.js';
import { ListPublicRowsQueryDto, PublicRowDto } from './public-journal.dto.js';

const NOTHING_YET = NOT_FOUND.means('nothing has been committed yet.');
const UNSIGNED = TEMPORARILY_UNAVAILABLE.means('the first head is being signed.');

/** What anyone may check of the books. */
@ApiTags('Proof')
@Public()
@Controller('journal')
export class JournalController {
  constructor(private readonly proofs: JournalProofs) {}

  /**
   * Get the newest signed head of the journal
   * @remarks About a second after a commit. Keep it: whoever has two heads of one height that differ has proof that the
   * service lied, by the signatures alone.
   */
  @Get('head')
  @ApiErrors(NOTHING_YET, UNSIGNED)
  head(): Promise<JournalHeadDto> {
    return this.proofs.head();
  }

  /**
   * List the signed heads of the journal
   * @remarks The oldest first. After 30 days one an hour is kept, for good.
   */
  @Get('heads')
  @ApiPageResponse(JournalHeadDto)
  @ApiErrors(INVALID_CURSOR)
  heads(@Query() query: ListHeadsQueryDto): Promise<Page<JournalHeadDto>> {
    return this.proofs.list(query);
  }

  /**
   * List the public part of the journal
   * @remarks Every order in every book and every trade, row by row from the first on, with pseudonyms in place of accounts.
   * `npx @tradepost/verify public` replays it: the leaves lead to the signed head, each trade was the turn of its maker,
   * and the books to the `public_state_hash` of the head. A page may have fewer rows than asked for where these are large.
   */
  @Get('public')
  @ApiPageResponse(PublicRowDto)
  @ApiErrors(INVALID_CURSOR)
  publicRows(@Query() query: ListPublicRowsQueryDto): Promise<Page<PublicRowDto>> {
    return this.proofs.publicRows(query);
  }

  /**
   * List the keys that sign the journal's heads
   * @remarks Each was signed by the one before it.
   */
  @Get('keys')
  keys(): Promise<JournalKeysDto> {
    return this.proofs.listKeys();
  }

  /**
   * Prove that the journal only grew
   * @remarks That the tree of `first` rows is the beginning of the tree of `second` rows.
   */
  @Get('proofs/consistency')
  @ApiErrors(VALIDATION_FAILED, NOTHING_YET, UNSIGNED)
  consistency(@Query() query: ConsistencyQueryDto): Promise<ConsistencyProofDto> {
    return this.proofs.consistency(query);
  }

  /**
   * Prove that a row is in the journal
   * @remarks The row’s leaf, and the hashes that lead from it to the root of the tree.
   */
  @Get('proofs/inclusion')
  @ApiErrors(VALIDATION_FAILED, NOTHING_YET, UNSIGNED)
  inclusion(@Query() query: InclusionQueryDto): Promise<InclusionProofDto> {
    return this.proofs.inclusion(query);
  }
}
