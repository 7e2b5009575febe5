import { Controller, Get, Header, HttpCode, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import {
  CONFLICT,
  RATE_LIMITED,
  INVALID_CURSOR,
  NOT_FOUND,
  VALIDATION_FAILED,
  FORBIDDEN,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Authenticated, Public } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { ExportDownloads } from './export-downloads.js';
import { ExportsService } from './exports.service.js';
import { ExportDto, ExportTicketDto } from './user-export.dto.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

const ExportId = (): ParameterDecorator =>
  PathParam('export_id', { description: 'One of the caller’s own exports.', example: 'exp_00000000001' });

/** One's own data, all of it, to take along. */
@ApiTags('Users')
@Authenticated({ callers: 'logged_in_users' })
@Controller('user/exports')
export class ExportsController {
  constructor(
    private readonly exports: ExportsService,
    private readonly downloads: ExportDownloads,
  ) {}

  /**
   * Export all your data
   * @remarks A job writes a zip with everything that the service knows about you, as JSON and as CSV. Ask for its progress
   * at `GET /user/exports/{export_id}`, which has the link to the file once it is ready: for a day.
   */
  @Post()
  @HttpCode(202)
  @Audited()
  @Idempotent()
  @ApiAcceptedResponse({ type: ExportDto, description: 'It has begun, or will soon.' })
  @ApiErrors(
    NOT_ALLOWED,
    NEEDS_STEP_UP,
    CONFLICT.means('one is under way.'),
    RATE_LIMITED.means('five in 24 hours.'),
  )
  create(@CurrentPrincipal() principal: Principal): Promise<ExportDto> {
    return this.exports.request(principal);
  }

  /**
   * List your exports
   * @remarks Newest first; for 30 days, while their files are there for one.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiPageResponse(ExportDto)
  @ApiErrors(INVALID_CURSOR, NOT_ALLOWED)
  list(@CurrentPrincipal() principal: Principal, @Query() page: PageQueryDto): Promise<Page<ExportDto>> {
    return this.exports.list(principal, page);
  }

  /** Get one of your exports */
  @Get(':export_id')
  @Header('Cache-Control', 'no-store')
  @ApiErrors(NOT_ALLOWED, NOT_FOUND)
  get(@CurrentPrincipal() principal: Principal, @ExportId() exportId: string): Promise<ExportDto> {
    return this.exports.get(principal, exportId);
  }

  /**
   * Download the file of an export
   * @remarks The ticket of its link is all that it takes. In the file, `manifest.json` lists the parts.
   */
  @Get(':export_id/file')
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOkResponse({
    description: 'The zip.',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_FOUND.means('there is no such file, any more, or the ticket is another one.'),
  )
  async getFile(
    @ExportId() exportId: string,
    @Query() { ticket }: ExportTicketDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { name, sizeBytes, content } = await this.downloads.open(exportId, ticket);
    return new StreamableFile(content, {
      type: 'application/zip',
      length: sizeBytes,
      disposition: `attachment; filename="${name}"`,
    }).setErrorHandler(() => void response.destroy());
  }
}
