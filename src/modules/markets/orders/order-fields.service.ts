import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import type { OrderSnapshot } from '../../../domain/engine/types.js';
import type { FieldValues } from '../../../domain/fields.js';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { FieldedTable } from '../../../kit/fields/fielded-table.js';
import type { Filter } from '../../../kit/http/pagination.js';
import { toSnapshot } from './order.dto.js';
import type { OrderEntity } from './order.entity.js';

/** Where the fields of orders are. */
export const FIELDS_OF_ORDERS = new FieldedTable({
  on: 'orders',
  table: 'order_fields',
  fields: 'fields::jsonb',
  before: ['account_id'],
  after: ['order_id'],
});

const STORED = `
  SELECT order_id::float8 AS "orderId", fields FROM order_fields
  WHERE (account_id, order_id) IN (SELECT * FROM unnest($1::bigint[], $2::bigint[]))`;

/** The fields of stored orders, which are read only where a plugin declares any. */
@Injectable()
export class OrderFieldsService {
  constructor(
    private readonly catalogue: FieldCatalogue,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** The orders in the engine's terms, with their fields. */
  async snapshots(
    orders: readonly OrderEntity[],
    manager: EntityManager = this.dataSource.manager,
  ): Promise<OrderSnapshot[]> {
    if (orders.length === 0 || !this.catalogue.has('orders')) return orders.map(toSnapshot);
    const rows = await manager.query<{ readonly orderId: number; readonly fields: string }[]>(STORED, [
      orders.map(({ accountId }) => accountId),
      orders.map(({ orderId }) => orderId),
    ]);
    const stored = new Map(rows.map(({ orderId, fields }) => [orderId, JSON.parse(fields) as FieldValues]));
    return orders.map((order) => {
      const fields = stored.get(order.orderId);
      return fields === undefined ? toSnapshot(order) : { ...toSnapshot(order), fields };
    });
  }
}

/** The condition that orders, under the alias `o`, have these values; it finds them by the index of a field. */
export function fieldFilters(fields: FieldValues | undefined): Filter[] {
  if (fields === undefined) return [];
  const { conditions, parameters } = FIELDS_OF_ORDERS.condition(fields, 'f.');
  return [
    [
      `(o.account_id, o.order_id) IN (SELECT f.account_id, f.order_id FROM order_fields f WHERE ${conditions})`,
      parameters,
    ],
  ];
}
