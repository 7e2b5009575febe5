/** Customers who have nothing to do with the attacker: each places an order now and then, and counts how long it takes. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../scripts/support/statistics.js';
import type { BenchService, Trader } from '../support/bench-service.js';
import { wireRequest } from '../support/load-generator.js';
import { MIDDLE_TICKS } from '../support/order-load.js';
import { fund, Person } from './people.js';
import { WireConnection } from './wire-connection.js';

/** Of each of them. */
const ORDER_EVERY_MS = 1_000;
const SIZE = '0.001';
/**
 * That each keeps open: Node accepts one connection in each turn of its loop, so that new ones would measure that alone.
 */
const CONNECTIONS_EACH = 8;
const ANYTHING = 'GET /time HTTP/1.1\r\nHost: bench\r\n\r\n';

export interface Waited {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export class Customers {
  /** What was answered other than it should be, and how often, since it was last asked for. */
  private faults = new Map<string, number>();

  private constructor(
    private readonly customers: readonly Customer[],
    private readonly everyMs: number,
  ) {}

  /** They trade in pairs, in all of the markets by turns. */
  static async open(service: BenchService, count: number, marketIds: readonly string[]): Promise<Customers> {
    const customers: Customer[] = [];
    while (customers.length < count) {
      const person = await Person.register(service, `customer-${customers.length}`);
      person.close();
      await fund(service, person.accountIds);
      const side = customers.length % 2 === 0 ? 'sell' : 'buy';
      customers.push(new Customer(service, person.traders[0]!, side, marketIds));
    }
    return new Customers(customers, ORDER_EVERY_MS / count);
  }

  /** Orders at fixed moments, each counted from the moment at which it should have been sent. Answers what each waited. */
  async trade(ms: number): Promise<number[][]> {
    await this.connect();
    const waited: number[][] = this.customers.map(() => []);
    const startedAt = performance.now();
    const orders: Promise<void>[] = [];
    for (let i = 0; i * this.everyMs < ms; i++) {
      const dueAt = startedAt + i * this.everyMs;
      const early = dueAt - performance.now();
      if (early > 0) await delay(early);
      const who = i % this.customers.length;
      orders.push(
        this.customers[who]!.order(dueAt).then(
          (waitedMs) => void waited[who]!.push(waitedMs),
          ({ message }: Error) => void this.faults.set(message, (this.faults.get(message) ?? 0) + 1),
        ),
      );
    }
    await Promise.all(orders);
    return waited;
  }

  /** Before an attack: then it takes no time. */
  async connect(): Promise<void> {
    await Promise.all(this.customers.map((customer) => customer.connect()));
  }

  takeFaults(): string[] {
    const faults = [...this.faults].map(([message, times]) => `${message} (× ${times})`);
    this.faults.clear();
    return faults;
  }

  close(): void {
    for (const customer of this.customers) customer.close();
  }
}

class Customer {
  private readonly orders: readonly string[];
  private placed = 0;
  /** All are used by turns, so that none is idle for so long that the service closes it. */
  private readonly idle: WireConnection[] = [];
  private readonly address: { readonly host: string; readonly port: number };

  constructor(
    service: BenchService,
    { accountId, token }: Trader,
    side: 'buy' | 'sell',
    marketIds: readonly string[],
  ) {
    const { hostname, port } = new URL(service.url);
    this.address = { host: hostname, port: Number(port) };
    const price = (MIDDLE_TICKS / 100).toFixed(2);
    this.orders = marketIds.map((market_id) =>
      wireRequest('/orders', token, {
        market_id,
        account_id: accountId,
        side,
        type: 'limit',
        price,
        size: SIZE,
      }),
    );
  }

  async connect(): Promise<void> {
    const open = this.idle.splice(0).filter(({ isOpen }) => isOpen);
    while (open.length < CONNECTIONS_EACH) {
      const connection = await WireConnection.open(this.address);
      // One that asks nothing is hung up on after ten seconds.
      await connection.ask(ANYTHING);
      open.push(connection);
    }
    this.idle.push(...open);
  }

  /** Answers how long after that moment the order was there. Throws where it was not taken. */
  async order(dueAt: number): Promise<number> {
    const connection = await this.connection();
    const { status } = await connection.ask(this.orders[this.placed++ % this.orders.length]!);
    if (status !== 201) throw new Error(`An order of somebody else was answered ${status}.`);
    this.idle.push(connection);
    return performance.now() - dueAt;
  }

  close(): void {
    for (const connection of this.idle.splice(0)) connection.close();
  }

  private async connection(): Promise<WireConnection> {
    for (let known = this.idle.shift(); known !== undefined; known = this.idle.shift()) {
      if (known.isOpen) return known;
    }
    return WireConnection.open(this.address);
  }
}

export function waitedIn(waitedMs: readonly number[]): Waited {
  return {
    p50Ms: percentile(waitedMs, 0.5),
    p99Ms: percentile(waitedMs, 0.99),
    maxMs: percentile(waitedMs, 1),
  };
}
