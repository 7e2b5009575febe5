import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, Repository } from 'typeorm';
import type { DataOwner, PersonalSection } from '../../kit/personal-data/personal-data.js';
import { toPurchaseOrderDto, type PurchaseOrderDto } from './purchase-order.dto.js';
import { PurchaseOrderEntity } from './purchase-order.entity.js';

const PAGE_ROWS = 500;

/** Exports orders of pets. They stay when a user is closed: they name nobody. */
@Injectable()
export class StorePersonalData {
  readonly sections: readonly PersonalSection[] = [
    {
      name: 'purchase_orders',
      holds: 'your orders of pets',
      rows: (owner) => this.ordersOf(owner),
    },
  ];

  constructor(
    @InjectRepository(PurchaseOrderEntity) private readonly orders: Repository<PurchaseOrderEntity>,
  ) {}

  private async *ordersOf({ key: owner }: DataOwner): AsyncGenerator<PurchaseOrderDto> {
    let rows: PurchaseOrderEntity[];
    let after = '0';
    do {
      rows = await this.orders.find({
        where: { owner, orderId: MoreThan(after) },
        order: { orderId: 'ASC' },
        take: PAGE_ROWS,
      });
      yield* rows.map(toPurchaseOrderDto);
      after = rows.at(-1)?.orderId ?? after;
    } while (rows.length === PAGE_ROWS);
  }
}
