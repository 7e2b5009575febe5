import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NOT_FOUND, CONFLICT, UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { UploadBody } from '../../../kit/http/body-policy.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_FINANCE, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import {
  CreatePayoutFilesDto,
  PayoutFileDto,
  PayoutFilesDto,
  PayoutReportDto,
  UploadPayoutReportDto,
} from './payout-file.dto.js';
import { PayoutFilesService } from './payout-files.service.js';
import { PayoutReportsService } from './payout-reports.service.js';

/** The files that carry payouts to the bank, and the bank's reports about them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/payout-files')
export class PayoutFilesController {
  constructor(
    private readonly files: PayoutFilesService,
    private readonly reports: PayoutReportsService,
  ) {}

  /**
   * List payment files
   * @remarks Newest first.
   */
  @Get()
  @ApiPageResponse(PayoutFileDto)
  list(@Query() query: PageQueryDto): Promise<Page<PayoutFileDto>> {
    return this.files.list(query);
  }

  /**
   * Make a payment file now
   * @remarks Of all payouts that wait for the rail, as the cut-off of each business day does by itself. A
   * payout is in one file at most, so sending this again makes a file of what has come since, or none.
   */
  @Post()
  @Idempotent()
  @ApiErrors(
    NOT_FOUND.means('there is no such rail.'),
    CONFLICT.means(
      'settings are missing, which the message names, or the day has all the files that it can.',
    ),
  )
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreatePayoutFilesDto,
  ): Promise<PayoutFilesDto> {
    return { data: await this.files.close(principal, body.rail) };
  }

  /**
   * Upload a report of the bank
   * @remarks An ISO 20022 pain.002 or a NACHA file of returns. What it says of each payout is applied once;
   * a report that is uploaded again changes nothing.
   */
  @Post('reports')
  @HttpCode(200)
  @Idempotent()
  @UploadBody()
  @ApiErrors(UNPROCESSABLE.means('it is no report, or not a whole one.'))
  upload(
    @CurrentPrincipal() principal: Principal,
    @Body() { file }: UploadPayoutReportDto,
  ): Promise<PayoutReportDto> {
    return this.reports.upload(principal, file);
  }

  /**
   * Fetch a payment file
   * @remarks As the bank takes it.
   */
  @Get(':file_id/content')
  @ApiProduces('application/xml', 'text/plain', '*/*')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiErrors(NOT_FOUND)
  async content(@Param('file_id') fileId: string, @Res() response: Response): Promise<void> {
    const { file, content } = await this.files.content(fileId);
    response
      .setHeader('Content-Disposition', `attachment; filename="${file.name}"`)
      .setHeader('Cache-Control', 'no-store')
      .type(file.mediaType)
      .send(content);
  }

  /**
   * Say that the bank has a payment file
   * @remarks Its payouts become `in_transit`. From then on they count as paid when nothing has come back for
   * as many business days as their rail is given.
   */
  @Post(':file_id/delivered')
  @HttpCode(200)
  @Idempotent()
  @ApiErrors(NOT_FOUND)
  deliver(
    @CurrentPrincipal() principal: Principal,
    @Param('file_id') fileId: string,
  ): Promise<PayoutFileDto> {
    return this.files.deliver(principal, fileId);
  }
}
