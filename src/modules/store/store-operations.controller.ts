import { Body, Controller, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiIntegerId, IntegerIdPipe } from '../../platform/http/validation/integer-id.js';
import { RequireScopes } from '../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../platform/security/current-principal.js';
import type { Principal } from '../../platform/security/principal.js';
import { AdvancePurchaseOrderDto, PurchaseOrderDto } from './purchase-order.dto.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';

/** Purchase orders, as operators carry them out. */
@ApiTags('Admin')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/store/orders')
export class StoreOperationsController {
  constructor(private readonly orders: PurchaseOrdersService) {}

  @Patch(':orderId')
  @ApiOperation({
    summary: 'Say how far a purchase is',
    description:
      'From `placed` to `approved` to `delivered`, never back; delivered or complete, it sells its pet.',
  })
  @ApiIntegerId('orderId', 'The id of anyone’s order.')
  @ApiOkResponse({ type: PurchaseOrderDto })
  @ApiErrors('not_found', 'invalid_status_change')
  advance(
    @CurrentPrincipal() principal: Principal,
    @Param('orderId', IntegerIdPipe) orderId: number,
    @Body() body: AdvancePurchaseOrderDto,
  ): Promise<PurchaseOrderDto> {
    return this.orders.advance(principal, orderId, body);
  }
}
