import { Body, Controller, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND } from '../../kit/http/error-codes.js';
import { REFUSALS } from '../accounts/commands/refusals.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { IntegerId } from '../../kit/http/validation/integer-id.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import { OPERATOR_SUPPORT, operators } from '../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { AdvancePurchaseOrderDto, PurchaseOrderDto } from './purchase-order.dto.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';

/** Purchase orders, as operators carry them out. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT))
@Controller('admin/store/orders')
export class AdminStoreOrdersController {
  constructor(private readonly orders: PurchaseOrdersService) {}

  /**
   * Say how far a purchase is
   * @remarks From `placed` to `approved` to `delivered`, never back; delivered or complete, it sells its
   * pet.
   */
  @Patch(':orderId')
  @ApiErrors(NOT_FOUND, REFUSALS.invalid_status_change)
  advance(
    @CurrentPrincipal() principal: Principal,
    @IntegerId('orderId', 'The id of anyone’s order.') orderId: number,
    @Body() body: AdvancePurchaseOrderDto,
  ): Promise<PurchaseOrderDto> {
    return this.orders.advance(principal, orderId, body);
  }
}
