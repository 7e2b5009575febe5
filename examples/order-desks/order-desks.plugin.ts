import { Injectable } from '@nestjs/common';
import {
  integer,
  RiskCheck,
  text,
  TradepostPlugin,
  type MarketDefinition,
  type OrderContext,
  type ProposedOrder,
  type RiskVerdict,
} from '../../src/index.js';

/** A ticket without its desk belongs to nobody. */
@Injectable()
class TicketsHaveDesks extends RiskCheck {
  override review({ fields }: ProposedOrder, _market: MarketDefinition, _context: OrderContext): RiskVerdict {
    if (fields?.['order_desks_ticket'] === undefined || fields['order_desks_desk'] !== undefined)
      return { accepted: true };
    return { accepted: false, message: 'Name the desk of the ticket in order_desks_desk.' };
  }
}

/** Which desk an order is for, and under which ticket: on orders, in their lists, CSV, webhooks and streams, in the journal. */
@TradepostPlugin({
  name: 'order-desks',
  compatibility: '^0.1.0',
  fields: [
    { on: 'orders', name: 'order_desks_desk', type: text(20), filterable: true },
    { on: 'orders', name: 'order_desks_ticket', type: integer },
    { on: 'accounts', name: 'order_desks_home', type: text(20), filterable: true },
  ],
  checks: [TicketsHaveDesks],
})
export default class OrderDesksPlugin {}
