import { Body, Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, NOT_FOUND, CONFLICT, UNPROCESSABLE } from '../../kit/http/error-codes.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { ApiRevalidated, revalidated } from '../../kit/http/conditional.js';
import { Idempotent } from '../../kit/http/idempotency/idempotent.js';
import { IntegerId } from '../../kit/http/validation/integer-id.js';
import { Authenticated } from '../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { PetsService } from '../pets/pets.service.js';
import { PlacePurchaseOrderDto, PurchaseOrderDto } from './purchase-order.dto.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';
import { STORE_WRITE } from './scopes.js';

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

  /** Count the pets by status */
  @Get('inventory')
  @Authenticated()
  @ApiRevalidated({ dated: false })
  @ApiOkResponse({
    description: 'The number of pets in each status, also where there is none.',
    schema: {
      type: 'object',
      additionalProperties: { type: 'integer', format: 'int32' },
      example: { available: 8, pending: 1, sold: 1 },
    },
  })
  async countByStatus(@Res({ passthrough: true }) response: Response): Promise<Record<string, number>> {
    return revalidated(response, await this.pets.countByStatus());
  }

  /**
   * Place an order for a pet
   * @remarks The pet must be available. It is an entry of a catalogue, of which any number can be ordered. With
   * `UNIQUE_PETS` there is one of each: an order that is `placed` or `approved` and not `complete` keeps it `pending`;
   * one that is `delivered` or `complete` has it `sold`. Errors are found in this order: the body (400), a quantity
   * above 1 of what is unique (422), an id that is taken (409), a pet that has an open order (409), does not exist
   * (404) or is not available (409).
   */
  @Post('order')
  @HttpCode(200)
  @Authenticated({ apiKeyScope: STORE_WRITE })
  @Idempotent()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_FOUND.means('there is no such pet.'),
    CONFLICT.means('the id is taken, or the pet is not available.'),
    UNPROCESSABLE.means('with `UNIQUE_PETS` every pet is one of its kind.'),
  )
  place(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlacePurchaseOrderDto,
  ): Promise<PurchaseOrderDto> {
    return this.orders.place(principal, body);
  }

  /** Find a purchase order by its id */
  @Get('order/:orderId')
  @Authenticated({ apiKeyScope: STORE_WRITE })
  @ApiErrors(VALIDATION_FAILED.means('no such id can be.'), NOT_FOUND)
  get(
    @CurrentPrincipal() principal: Principal,
    @IntegerId('orderId', 'The id of an order of one’s own.') orderId: number,
  ): Promise<PurchaseOrderDto> {
    return this.orders.get(principal, orderId);
  }

  /**
   * Delete a purchase order by its id
   * @remarks With `UNIQUE_PETS` an order that is neither delivered nor complete gives its pet back.
   */
  @Delete('order/:orderId')
  @HttpCode(200)
  @Authenticated({ apiKeyScope: STORE_WRITE })
  @ApiOkResponse({ description: 'The order is deleted.' })
  @ApiErrors(VALIDATION_FAILED.means('no such id can be.'), NOT_FOUND)
  remove(
    @CurrentPrincipal() principal: Principal,
    @IntegerId('orderId', 'The id of an order of one’s own.') orderId: number,
  ): Promise<void> {
    return this.orders.remove(principal, orderId);
  }
}
