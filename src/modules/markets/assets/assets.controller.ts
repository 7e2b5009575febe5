import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { AssetListingDto } from './asset-listing.dto.js';
import { AssetsService } from './assets.service.js';

@ApiTags('Markets')
@Public()
@Controller('assets')
export class AssetsController {
  constructor(private readonly assets: AssetsService) {}

  /**
   * List the assets
   * @remarks In order of their codes, with whether this service takes each in and pays it out.
   */
  @Get()
  @ApiPageResponse(AssetListingDto)
  @ApiRevalidated({ dated: false })
  list(@Query() query: PageQueryDto, @Res({ passthrough: true }) response: Response): Page<AssetListingDto> {
    return revalidated(response, this.assets.list(query));
  }
}
