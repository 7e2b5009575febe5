import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../kit/database/columns.js';

/** In the order in which a purchase goes through them. */
export const PURCHASE_ORDER_STATUSES = ['placed', 'approved', 'delivered'] as const;

export type PurchaseOrderStatus = (typeof PURCHASE_ORDER_STATUSES)[number];

/** An order of a pet. One that keeps its pet does so while it is open: neither delivered nor complete. */
@Entity('purchase_orders')
@Check('order_id BETWEEN 1 AND 9007199254740991')
@Check('quantity > 0')
@Index('purchase_orders_owner', ['owner', 'orderId'])
@Index('purchase_orders_open_pet', ['petId'], {
  unique: true,
  where: `keeps_pet AND status <> 'delivered' AND NOT complete`,
})
export class PurchaseOrderEntity {
  /** The caller's choice, or the next free number of `purchase_orders_order_id_seq`; a safe integer. */
  @key.bigint() orderId: string;
  /** The key of the principal who sees it: see `Principal.accountOwner`. */
  @column.text() owner: string;
  /** A safe integer. No foreign key: an order outlives its pet. */
  @column.bigint() petId: string;
  @column.integer({ default: 1 }) quantity: number;
  /** Whether the pet was one of its kind when it was ordered, so that the order changes its status. */
  @column.boolean() keepsPet: boolean;
  @column.time({ nullable: true }) shipDate: Date | null;
  @column.text({ oneOf: PURCHASE_ORDER_STATUSES }) status: PurchaseOrderStatus;
  @column.boolean() complete: boolean;
  @column.time({ default: NOW }) readonly createdAt: Date;
}

/** Whether there is still something to be done for the order. */
export function isOpen({ status, complete }: Pick<PurchaseOrderEntity, 'status' | 'complete'>): boolean {
  return status !== 'delivered' && !complete;
}
