import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import {
  Column,
  CreateDateColumn,
  DataSource,
  Entity,
  type EntityManager,
  Index,
  LessThanOrEqual,
  MoreThanOrEqual,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  type ValueTransformer,
} from 'typeorm';
import type { PlaceOrderDto } from '../src/modules/markets/orders/place-order.dto.js';
import { amountOf, formatAmount, UNITS_PER_ONE } from '../src/domain/money/amount.js';
import { typeOrmOptions } from '../src/kit/database/database.module.js';
import { DatabaseConnection } from '../src/kit/database/database-connection.js';

/**
 * A limit order in one TypeORM transaction of its own: what a service of this kind usually looks like.
 * Rows are read under a lock, changed and saved; the book is a query. It keeps what the service keeps
 * (orders, trades, balanced transfers, balances with holds, positions) and is as honest: commits are
 * durable, nobody spends what is held. Left out, in its favour: journal, idempotency, fees, markets'
 * rules, all order types but GTC limit.
 */
const SCHEMA = 'typeorm_baseline';
const BASE = 'BTC';
const QUOTE = 'USD';
/** What an account finds in either asset the first time that it trades. */
const OPENING_BALANCE = amountOf('1000000000');
const CONNECTIONS = 16;
const MATCHES_PER_QUERY = 20;

const amountColumn: ValueTransformer = {
  to: (value: bigint) => value.toString(),
  from: (value: string) => BigInt(value),
};

@Entity('markets', { schema: SCHEMA })
class Market {
  @PrimaryColumn('text') marketId: string;
}

@Entity('orders', { schema: SCHEMA })
@Index(['accountId', 'orderId'])
@Index(['marketId', 'side', 'price', 'orderId'], { where: `status = 'open'` })
class Order {
  @PrimaryGeneratedColumn({ type: 'bigint' }) orderId: string;
  @Column('text') accountId: string;
  @Column('text') marketId: string;
  @Column('text') side: 'buy' | 'sell';
  @Column('numeric', { precision: 38, transformer: amountColumn }) price: bigint;
  @Column('numeric', { precision: 38, transformer: amountColumn }) size: bigint;
  @Column('numeric', { precision: 38, transformer: amountColumn }) filled: bigint;
  @Column('text') status: 'open' | 'filled';
  @CreateDateColumn({ type: 'timestamptz' }) createdAt: Date;
  @UpdateDateColumn({ type: 'timestamptz' }) updatedAt: Date;
}

@Entity('trades', { schema: SCHEMA })
@Index(['marketId', 'tradeId'])
class Trade {
  @PrimaryGeneratedColumn({ type: 'bigint' }) tradeId: string;
  @Column('text') marketId: string;
  @Column('bigint') makerOrderId: string;
  @Column('bigint') takerOrderId: string;
  @Column('numeric', { precision: 38, transformer: amountColumn }) price: bigint;
  @Column('numeric', { precision: 38, transformer: amountColumn }) size: bigint;
  @CreateDateColumn({ type: 'timestamptz' }) executedAt: Date;
}

@Entity('transfers', { schema: SCHEMA })
@Index(['debitAccountId', 'transferId'])
@Index(['creditAccountId', 'transferId'])
class Transfer {
  @PrimaryGeneratedColumn({ type: 'bigint' }) transferId: string;
  @Column('text') debitAccountId: string;
  @Column('text') creditAccountId: string;
  @Column('text') asset: string;
  @Column('numeric', { precision: 38, transformer: amountColumn }) amount: bigint;
  @Column('text') reference: string;
  @CreateDateColumn({ type: 'timestamptz' }) createdAt: Date;
}

@Entity('balances', { schema: SCHEMA })
class Balance {
  @PrimaryColumn('text') accountId: string;
  @PrimaryColumn('text') asset: string;
  @Column('numeric', { precision: 38, transformer: amountColumn }) available: bigint;
  @Column('numeric', { precision: 38, transformer: amountColumn }) held: bigint;
}

@Entity('positions', { schema: SCHEMA })
class Position {
  @PrimaryColumn('text') accountId: string;
  @PrimaryColumn('text') marketId: string;
  @Column('numeric', { precision: 38, transformer: amountColumn }) size: bigint;
  @Column('numeric', { precision: 38, transformer: amountColumn }) cost: bigint;
}

export interface PlacedOrder {
  readonly order_id: string;
  readonly market_id: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly filled_size: string;
  readonly status: string;
  readonly created_at: string;
  readonly fills: readonly { readonly trade_id: string; readonly price: string; readonly size: string }[];
}

@Injectable()
export class TypeOrmBaseline implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly database: DataSource;

  /** Those that have their row, which is made with a market's first order. */
  private readonly marketIds = new Set<string>();

  constructor(private readonly connection: DatabaseConnection) {
    this.database = new DataSource({
      ...typeOrmOptions(connection.url),
      entities: [Market, Order, Trade, Transfer, Balance, Position],
      synchronize: true,
      poolSize: CONNECTIONS,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const client = new pg.Client({ connectionString: this.connection.url });
    await client.connect();
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await client.end();
    await this.database.initialize();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.database.isInitialized) await this.database.destroy();
  }

  /** Places a GTC limit order. Rejects where the account cannot pay for it. */
  async place(body: PlaceOrderDto): Promise<PlacedOrder> {
    const marketId = body.market_id;
    if (!this.marketIds.has(marketId)) {
      await this.database
        .createQueryBuilder()
        .insert()
        .into(Market)
        .values({ marketId })
        .orIgnore()
        .execute();
      this.marketIds.add(marketId);
    }
    return this.database.transaction((manager) => placeIn(manager, body));
  }
}

async function placeIn(manager: EntityManager, body: PlaceOrderDto): Promise<PlacedOrder> {
  const { market_id: marketId, side, account_id: accountId } = body;
  // Orders of one market come one after the other: the lock that keeps two takers off one maker.
  await manager.findOneOrFail(Market, { where: { marketId }, lock: { mode: 'pessimistic_write' } });

  const order = manager.create(Order, {
    accountId: accountId!,
    marketId,
    side: side,
    price: amountOf(body.price!),
    size: amountOf(body.size!),
    filled: 0n,
    status: 'open',
  });
  const [asset, needed] = side === 'buy' ? [QUOTE, worth(order.price, order.size)] : [BASE, order.size];
  const paying = await lockBalance(manager, order.accountId, asset);
  if (paying.available < needed) throw new Error('insufficient funds');
  paying.available -= needed;
  paying.held += needed;
  await manager.save(paying);
  await manager.save(order);

  const trades: Trade[] = [];
  while (order.filled < order.size) {
    const makers = await bestOpposite(manager, order);
    if (makers.length === 0) break;
    for (const maker of makers) {
      if (order.filled === order.size) break;
      trades.push(await trade(manager, maker, order));
    }
  }
  return {
    order_id: order.orderId,
    market_id: marketId,
    side,
    price: formatAmount(order.price),
    size: formatAmount(order.size),
    filled_size: formatAmount(order.filled),
    status: order.status,
    created_at: order.createdAt.toISOString(),
    fills: trades.map(({ tradeId, price, size }) => ({
      trade_id: tradeId,
      price: formatAmount(price),
      size: formatAmount(size),
    })),
  };
}

async function lockBalance(manager: EntityManager, accountId: string, asset: string): Promise<Balance> {
  const found = await manager.findOne(Balance, {
    where: { accountId, asset },
    lock: { mode: 'pessimistic_write' },
  });
  return found ?? manager.create(Balance, { accountId, asset, available: OPENING_BALANCE, held: 0n });
}

function bestOpposite(manager: EntityManager, order: Order): Promise<Order[]> {
  const isBuy = order.side === 'buy';
  return manager.find(Order, {
    where: {
      marketId: order.marketId,
      side: isBuy ? 'sell' : 'buy',
      status: 'open',
      price: isBuy ? LessThanOrEqual(order.price) : MoreThanOrEqual(order.price),
    },
    order: { price: isBuy ? 'ASC' : 'DESC', orderId: 'ASC' },
    take: MATCHES_PER_QUERY,
    lock: { mode: 'pessimistic_write' },
  });
}

async function trade(manager: EntityManager, maker: Order, taker: Order): Promise<Trade> {
  const size = min(maker.size - maker.filled, taker.size - taker.filled);
  const [buyer, seller] = taker.side === 'buy' ? [taker, maker] : [maker, taker];
  const paid = worth(maker.price, size);

  for (const order of [maker, taker]) {
    order.filled += size;
    if (order.filled === order.size) order.status = 'filled';
    await manager.save(order);
  }
  const made = await manager.save(
    manager.create(Trade, {
      marketId: maker.marketId,
      makerOrderId: maker.orderId,
      takerOrderId: taker.orderId,
      price: maker.price,
      size,
    }),
  );
  await move(manager, buyer.accountId, seller.accountId, QUOTE, paid, worth(buyer.price, size), made);
  await move(manager, seller.accountId, buyer.accountId, BASE, size, size, made);
  await changePosition(manager, buyer, size, paid);
  await changePosition(manager, seller, -size, -paid);
  return made;
}

/** Pays from a hold and releases the rest. */
async function move(
  manager: EntityManager,
  debitAccountId: string,
  creditAccountId: string,
  asset: string,
  amount: bigint,
  held: bigint,
  { tradeId }: Trade,
): Promise<void> {
  const debit = await lockBalance(manager, debitAccountId, asset);
  debit.held -= held;
  debit.available += held - amount;
  await manager.save(debit);
  const credit = await lockBalance(manager, creditAccountId, asset);
  credit.available += amount;
  await manager.save(credit);
  await manager.save(
    manager.create(Transfer, { debitAccountId, creditAccountId, asset, amount, reference: tradeId }),
  );
}

async function changePosition(
  manager: EntityManager,
  { accountId, marketId }: Order,
  size: bigint,
  cost: bigint,
): Promise<void> {
  const position =
    (await manager.findOne(Position, {
      where: { accountId, marketId },
      lock: { mode: 'pessimistic_write' },
    })) ?? manager.create(Position, { accountId, marketId, size: 0n, cost: 0n });
  position.size += size;
  position.cost += cost;
  await manager.save(position);
}

/** Both are decimals of the same scale, and so is what comes out. */
function worth(price: bigint, size: bigint): bigint {
  return (price * size) / UNITS_PER_ONE;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
