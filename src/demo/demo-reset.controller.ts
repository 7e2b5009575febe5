import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND } from '../kit/http/error-codes.js';
import { ApiErrors } from '../kit/http/api-errors.js';
import { RequireScopes } from '../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../kit/security/current-principal.js';
import type { Principal } from '../kit/security/principal.js';
import { DemoResetDto } from './demo-reset.dto.js';
import { DemoReset } from './demo-reset.service.js';
import { ADMIN } from '../kit/security/scope.js';

/** The demo data, as operators start them anew. */
@ApiTags('Admin')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('admin/demo')
export class DemoResetController {
  constructor(private readonly demo: DemoReset) {}

  /**
   * Bring the demo accounts back to how they began
   * @remarks Cancels the open orders of all trading accounts of demo users and clients, adjusts what is available in
   * them to what they began with, or took as demo money (to the decimals of the asset), and opens demo markets that are halted. Positions in event markets stay, as does
   * what is held for payouts, and all history. Safe to repeat.
   */
  @Post('reset')
  @HttpCode(200)
  @ApiErrors(NOT_FOUND.means('the service has no demo data.'))
  reset(@CurrentPrincipal() principal: Principal): Promise<DemoResetDto> {
    return this.demo.reset(principal);
  }
}
