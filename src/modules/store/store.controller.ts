import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { Idempotent } from '../../platform/http/idempotency/idempotent.js';
import { ApiIntegerId, IntegerIdPipe } from '../../platform/http/validation/integer-id.js';
import { Authenticated } from '../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../platform/security/current-principal.js';
import type { Principal } from '../../platform/security/principal.js';
import { PetsService } from '../pets/pets.service.js';
import { PlacePurchaseOrderDto, PurchaseOrderDto } from './purchase-order.dto.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';

/**
 * The Petstore's store. An order is seen by its owner and by operators; to others it does not exist. An API key
 * needs a scope for orders: one that is given away to show pets must not take them.
 */
@ApiTags('Store')
@Controller('store')
export class StoreController {
  constructor(
    private readonly pets: PetsService,
    private readonly orders: PurchaseOrdersService,
  ) {}

  @Get('inventory')
  @Authenticated()
  @ApiOperation({ summary: 'Count the pets by status' })
  @ApiOkResponse({
    description: 'The number of pets in each status, also where there is none.',
    schema: {
      type: 'object',
      additionalProperties: { type: 'integer', format: 'int32' },
      example: { available: 8, pending: 1, sold: 1 },
    },
  })
  countByStatus(): Promise<Record<string, number>> {
    return this.pets.countByStatus();
  }

  @Post('order')
  @Authenticated(['client_credentials', 'api_key'], { apiKeyScope: 'store:write' })
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Place an order for a pet',
    description:
      'The pet must be available. An order that is `placed` or `approved` and not `complete` keeps it `pending`; one that is `delivered` or `complete` has it `sold`. Errors are found in this order: the body (400), a quantity above 1 (422), an id that is taken (409), a pet that has an open order (409), does not exist (404) or is not available (409).',
  })
  @ApiOkResponse({ type: PurchaseOrderDto })
  @ApiErrors(
    'validation_failed',
    'not_found: there is no such pet.',
    'conflict: the id is taken, or the pet is not available.',
    'unprocessable: every pet is one of its kind.',
  )
  place(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlacePurchaseOrderDto,
  ): Promise<PurchaseOrderDto> {
    return this.orders.place(principal, body);
  }

  @Get('order/:orderId')
  @Authenticated(['client_credentials', 'api_key'], { apiKeyScope: 'store:write' })
  @ApiOperation({ summary: 'Find a purchase order by its id' })
  @ApiIntegerId('orderId', 'The id of an order of one’s own.')
  @ApiOkResponse({ type: PurchaseOrderDto })
  @ApiErrors('validation_failed: no such id can be.', 'not_found')
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('orderId', IntegerIdPipe) orderId: number,
  ): Promise<PurchaseOrderDto> {
    return this.orders.get(principal, orderId);
  }

  @Delete('order/:orderId')
  @Authenticated(['client_credentials', 'api_key'], { apiKeyScope: 'store:write' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delete a purchase order by its id',
    description: 'An order that is neither delivered nor complete gives its pet back.',
  })
  @ApiIntegerId('orderId', 'The id of an order of one’s own.')
  @ApiOkResponse({ description: 'The order is deleted.' })
  @ApiErrors('validation_failed: no such id can be.', 'not_found')
  remove(
    @CurrentPrincipal() principal: Principal,
    @Param('orderId', IntegerIdPipe) orderId: number,
  ): Promise<void> {
    return this.orders.remove(principal, orderId);
  }
}
