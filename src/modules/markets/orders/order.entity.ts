import { Entity, Index } from 'typeorm';
import { coreEntity } from '../../../core/tables/core-entity.js';
import { ORDER_COLUMNS } from '../../../core/tables/core-tables.js';

/** An order as the core last left it. Written by the core only. */
@Entity('orders')
@Index('orders_live', ['accountId', 'orderId'], {
  where: `(status = ANY (ARRAY['open'::text, 'partially_filled'::text, 'untriggered'::text]))`,
})
@Index('orders_trailing', ['marketId', 'side', 'orderId'], {
  where: `((type = 'trailing_stop'::text) AND (status = 'untriggered'::text))`,
})
@Index('orders_lists', ['accountId', 'listId'], { where: 'list_id IS NOT NULL' })
export class OrderEntity extends coreEntity(ORDER_COLUMNS, 'account_id', 'order_id') {}
