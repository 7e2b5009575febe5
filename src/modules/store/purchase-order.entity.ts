import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** In the order in which a purchase goes through them. */
export const PURCHASE_ORDER_STATUSES = ['placed', 'approved', 'delivered'] as const;

export type PurchaseOrderStatus = (typeof PURCHASE_ORDER_STATUSES)[number];

/** An order of a pet. One that keeps its pet does so while it is open: neither delivered nor complete. */
@Entity('purchase_orders')
@Check('purchase_orders_order_id_check', 'order_id BETWEEN 1 AND 9007199254740991')
@Check('purchase_orders_status_check', `status IN ('placed', 'approved', 'delivered')`)
@Check('purchase_orders_quantity_check', 'quantity > 0')
@Index('purchase_orders_owner', ['owner', 'orderId'])
@Index('purchase_orders_open_pet', ['petId'], {
  unique: true,
  where: `keeps_pet AND status <> 'delivered' AND NOT complete`,
})
export class PurchaseOrderEntity {
  /** The caller's choice, or the next free number of `purchase_orders_order_id_seq`; a safe integer. */
  @PrimaryColumn({ name: 'order_id', type: 'bigint', primaryKeyConstraintName: 'purchase_orders_pkey' })
  orderId: string;

  /** The key of the principal who sees it: see `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  /** A safe integer. No foreign key: an order outlives its pet. */
  @Column({ name: 'pet_id', type: 'bigint' })
  petId: string;

  @Column({ name: 'quantity', type: 'int', default: 1 })
  quantity: number;

  /** Whether the pet was one of its kind when it was ordered, so that the order changes its status. */
  @Column({ name: 'keeps_pet', type: 'boolean' })
  keepsPet: boolean;

  @Column({ name: 'ship_date', type: 'timestamptz', nullable: true })
  shipDate: Date | null;

  @Column({ name: 'status', type: 'text' })
  status: PurchaseOrderStatus;

  @Column({ name: 'complete', type: 'boolean' })
  complete: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  readonly createdAt: Date;
}

/** Whether there is still something to be done for the order. */
export function isOpen({ status, complete }: Pick<PurchaseOrderEntity, 'status' | 'complete'>): boolean {
  return status !== 'delivered' && !complete;
}
