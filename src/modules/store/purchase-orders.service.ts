import { Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type FindOptionsWhere, Repository } from 'typeorm';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { Settings } from '../../kit/config/settings.js';
import { insertNumbered, type NumberedTable } from '../../kit/row-numbers.js';
import { UNPROCESSABLE, NOT_FOUND, CONFLICT } from '../../kit/http/error-codes.js';
import { REFUSALS } from '../accounts/commands/refusals.js';
import { ApiError } from '../../kit/http/errors.js';
import { AnswerTransaction } from '../../kit/http/idempotency/answer-transaction.js';
import type { Principal } from '../../kit/security/principal.js';
import { PetsService } from '../pets/pets.service.js';
import { parseOffsetTime } from './is-offset-time.js';
import {
  toPurchaseOrderDto,
  type AdvancePurchaseOrderDto,
  type PlacePurchaseOrderDto,
  type PurchaseOrderDto,
} from './purchase-order.dto.js';
import { isOpen, PURCHASE_ORDER_STATUSES, PurchaseOrderEntity } from './purchase-order.entity.js';
import { OPERATOR_SUPPORT, operators } from '../../kit/security/operator-roles.js';
import { grants } from '../../kit/security/scope.js';
import { UNIQUE_PETS } from './unique-pets.js';

const ORDER_NUMBERS: NumberedTable = {
  table: 'purchase_orders',
  column: 'order_id',
  sequence: 'purchase_orders_order_id_seq',
};

type NewOrder = Omit<PurchaseOrderEntity, 'orderId' | 'createdAt'>;

/**
 * Orders of pets. A pet is an entry of a catalogue, of which anybody may order any number while it is available. With
 * `UNIQUE_PETS` there is one of each, and an order changes its status: the pet of an open order is `pending`, that of a
 * delivered or complete one is `sold`. Both change in one transaction, which locks the order before the pet to avoid
 * deadlocks.
 */
@Injectable()
export class PurchaseOrdersService {
  constructor(
    @InjectRepository(PurchaseOrderEntity) private readonly orders: Repository<PurchaseOrderEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answerTransaction: AnswerTransaction,
    private readonly pets: PetsService,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
  ) {}

  /**
   * Orders an available pet; where it is one of its kind, one of several orders at the same time succeeds.
   * Throws `unprocessable` (422) for more than there are, `not_found` (404) for a pet that does not exist, and
   * `conflict` (409) for a number that is taken or a pet that is not to be had.
   */
  async place(principal: Principal, body: PlacePurchaseOrderDto): Promise<PurchaseOrderDto> {
    const quantity = body.quantity || 1;
    const keepsPet = this.settings.get(UNIQUE_PETS);
    if (keepsPet && quantity > 1) {
      throw new ApiError(UNPROCESSABLE, 'Every pet is one of its kind: order it with the quantity 1.');
    }
    const order: NewOrder = {
      owner: principal.accountOwner,
      petId: String(body.petId),
      quantity,
      keepsPet,
      shipDate: (body.shipDate && parseOffsetTime(body.shipDate)) || null,
      status: body.status ?? 'placed',
      complete: body.complete ?? false,
    };
    return this.answerTransaction.run(async (manager) => {
      const placed = await insertOrder(manager, order, body.id || undefined);
      await this.takePet(manager, placed);
      return toPurchaseOrderDto(placed);
    });
  }

  /** Throws `not_found` (404) for orders that do not exist, and for those of others unless an operator asks. */
  async get(principal: Principal, orderId: number): Promise<PurchaseOrderDto> {
    const order = await this.orders.findOneBy(seenBy(principal, orderId));
    if (!order) throw orderNotFound();
    return toPurchaseOrderDto(order);
  }

  /**
   * Deletes an order; an open one that keeps its pet gives it back.
   * Throws `not_found` (404) as `get` does.
   */
  async remove(principal: Principal, orderId: number): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const order = await lockOrder(manager, seenBy(principal, orderId));
      await manager.delete(PurchaseOrderEntity, { orderId: order.orderId });
      if (keepsPetNow(order))
        await this.pets.moveStatus(manager, Number(order.petId), 'pending', 'available');
    });
  }

  /**
   * Says how far a purchase is; one that keeps its pet and becomes delivered or complete sells it.
   * Throws `not_found` (404), and `invalid_status_change` (409) for a step back.
   */
  async advance(
    principal: Principal,
    orderId: number,
    { status, complete }: AdvancePurchaseOrderDto,
  ): Promise<PurchaseOrderDto> {
    return this.dataSource.transaction(async (manager) => {
      const order = await lockOrder(manager, seenBy(principal, orderId));
      const next = { status: status ?? order.status, complete: complete ?? order.complete };
      if (rankOf(next) < rankOf(order) || (order.complete && !next.complete)) {
        throw new ApiError(
          REFUSALS.invalid_status_change,
          `The order is ${order.status}${order.complete ? ' and complete' : ''} and cannot go back.`,
        );
      }
      await manager.update(PurchaseOrderEntity, { orderId: order.orderId }, next);
      const advanced = { ...order, ...next };
      if (keepsPetNow(order) && !isOpen(advanced)) {
        await this.pets.moveStatus(manager, Number(order.petId), 'pending', 'sold');
      }
      await this.audit.record(manager, {
        target: { type: 'order', id: order.orderId },
        details: next,
      });
      return toPurchaseOrderDto(advanced);
    });
  }

  private async takePet(manager: EntityManager, order: PurchaseOrderEntity): Promise<void> {
    const petId = Number(order.petId);
    const next = isOpen(order) ? 'pending' : 'sold';
    const taken = await this.pets.moveStatus(
      manager,
      petId,
      'available',
      order.keepsPet ? next : 'available',
    );
    if (taken) return;
    if (await this.pets.exists(manager, petId)) throw petNotAvailable(petId);
    throw new ApiError(NOT_FOUND, `There is no pet ${petId}; see GET /pet/findByStatus?status=available.`);
  }
}

/** Inserts under the chosen number, or under the next one that is free. */
async function insertOrder(
  manager: EntityManager,
  order: NewOrder,
  chosenId: number | undefined,
): Promise<PurchaseOrderEntity> {
  const orderId = await insertNumbered(manager, ORDER_NUMBERS, chosenId, async (number) => {
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(PurchaseOrderEntity)
      .values({ ...order, orderId: number })
      .orIgnore()
      .returning('order_id')
      .execute();
    if ((inserted.raw as unknown[]).length > 0) return true;
    // Something stands in the way: the number, or another open order for the pet.
    if (await manager.existsBy(PurchaseOrderEntity, { orderId: number })) return false;
    throw petNotAvailable(Number(order.petId));
  });
  if (orderId === undefined) {
    throw new ApiError(CONFLICT, `There is an order ${chosenId} already; choose another id, or none.`);
  }
  return manager.create(PurchaseOrderEntity, { ...order, orderId });
}

async function lockOrder(
  manager: EntityManager,
  where: FindOptionsWhere<PurchaseOrderEntity>,
): Promise<PurchaseOrderEntity> {
  const order = await manager.findOne(PurchaseOrderEntity, { where, lock: { mode: 'pessimistic_write' } });
  if (!order) throw orderNotFound();
  return order;
}

/** Operators see all orders, everyone else those of their own. */
function seenBy(principal: Principal, orderId: number): FindOptionsWhere<PurchaseOrderEntity> {
  const named = { orderId: String(orderId) };
  return grants(principal.scopes, operators(OPERATOR_SUPPORT))
    ? named
    : { ...named, owner: principal.accountOwner };
}

function keepsPetNow(order: PurchaseOrderEntity): boolean {
  return order.keepsPet && isOpen(order);
}

function rankOf({ status }: Pick<PurchaseOrderEntity, 'status'>): number {
  return PURCHASE_ORDER_STATUSES.indexOf(status);
}

function orderNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such order among yours.');
}

function petNotAvailable(petId: number): ApiError {
  return new ApiError(CONFLICT, `Pet ${petId} is not available; see GET /pet/findByStatus?status=available.`);
}
