import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_MARKETS, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { AssetDto, CreateAssetDto } from './asset.dto.js';
import { MarketOperationsService } from './market-operations.service.js';

/** Assets, as operators make them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_MARKETS))
@Controller('admin/assets')
export class AdminAssetsController {
  constructor(private readonly operations: MarketOperationsService) {}

  /** Create an asset */
  @Post()
  @ApiErrors(REFUSALS.asset_exists)
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateAssetDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AssetDto> {
    return answer(response, await this.operations.createAsset(principal, body, key));
  }
}
