import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_SECURITY, OPERATOR_SUPPORT, operators } from '../../../kit/security/operator-roles.js';
import { WebhookDeliveries } from '../delivery/webhook-deliveries.service.js';
import { WebhookEndpoints } from '../delivery/webhook-endpoints.service.js';
import {
  ListAllWebhooksQueryDto,
  OperatorWebhookDeliveryDto,
  OperatorWebhookDto,
  toOperatorDeliveryDto,
  toOperatorWebhookDto,
} from './operator-webhook.dto.js';
import { ListDeliveriesQueryDto } from './webhook-delivery.dto.js';

/** The webhooks of all owners, and how their deliveries go. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_SECURITY))
@Controller('admin/webhooks')
export class AdminWebhooksController {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  /**
   * List the webhooks of all
   * @remarks Newest first, without deleted ones.
   */
  @Get()
  @ApiPageResponse(OperatorWebhookDto)
  list(@Query() query: ListAllWebhooksQueryDto): Promise<Page<OperatorWebhookDto>> {
    return this.endpoints.listOfAll(query, toOperatorWebhookDto);
  }

  /**
   * List deliveries to a webhook of anybody
   * @remarks Newest first, of the last 30 days: how they went, and not what they say.
   */
  @Get(':webhook_id/deliveries')
  @ApiPageResponse(OperatorWebhookDeliveryDto)
  @ApiErrors(NOT_FOUND)
  listDeliveries(
    @Param('webhook_id') webhookId: string,
    @Query() query: ListDeliveriesQueryDto,
  ): Promise<Page<OperatorWebhookDeliveryDto>> {
    return this.deliveries.listOfAny(webhookId, query, toOperatorDeliveryDto);
  }
}
