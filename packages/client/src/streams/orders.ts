import { isObject } from '../errors.js';
import type { components } from '../generated/openapi.js';
import type { Transport } from '../transport.js';
import { Signalled } from '../waiting.js';
import { type AccountEvent, type AccountSnapshot, joined, readMessage } from './account.js';
import { SocketSession } from './socket-session.js';

type Order = components['schemas']['OrderDto'];
type Fill = components['schemas']['FillDto'];

/** An order as it is now. */
export interface OrderUpdate {
  readonly order: Order;
  /** Those of the order since its update before. */
  readonly fills: readonly Fill[];
  /**
   * What to give as `after` to continue behind this update; before the last order of a commit it is that of the commit
   * before, so that the others are told again. Absent before the first snapshot is complete.
   */
  readonly sequence: number | undefined;
}

export interface FollowOrdersOptions {
  /** `me` without it: the client's own. */
  readonly accountId?: string | undefined;
  /** The last sequence that you have: what happened since comes first. Without it, all live orders do. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How many events wait for you; beyond them they are asked for again later (1,000). */
  readonly bufferedMax?: number | undefined;
}

type LookUp = (orderId: string, signal?: AbortSignal) => Promise<Order>;

export async function* followOrders(
  transport: Transport,
  lookUp: LookUp,
  { accountId = 'me', after, signal, bufferedMax = 1_000 }: FollowOrdersOptions = {},
): AsyncGenerator<OrderUpdate, void, undefined> {
  const arrived = new Signalled();
  const end: { error?: Error } = {};
  const inbox = new AccountInbox(accountId, after, bufferedMax, () => arrived.wake());
  const orders = new LiveOrders(after, (orderId) => lookUp(orderId, signal));
  const session = new SocketSession({
    transport,
    namespace: '/account',
    signal,
    onOpen: (opened) => inbox.subscribe(opened),
    onEvent: (type, event) => inbox.take(type, event),
    onEnd(error) {
      end.error = error;
      arrived.wake();
    },
  });
  try {
    for (;;) {
      await arrived.wait();
      for (const event of inbox.events.splice(0)) yield* orders.updatesOf(event);
      if (end.error !== undefined) throw end.error;
      if (inbox.hasDropped) inbox.catchUp();
    }
  } finally {
    session.close();
  }
}

/** The events of one account in their order, without gaps or repeats, over the connections of a session. */
class AccountInbox {
  readonly events: AccountEvent[] = [];
  /** Events came that had no room; `catchUp` asks for them again. */
  hasDropped = false;
  #session: SocketSession | undefined;
  #parts: AccountSnapshot[] = [];
  #subscribing = 0;

  constructor(
    private readonly accountId: string,
    private last: number | undefined,
    private readonly eventsMax: number,
    private readonly onArrival: () => void,
  ) {}

  /** From the last event on; on an open connection it takes the place of the subscription before. */
  async subscribe(session: SocketSession): Promise<void> {
    this.#session = session;
    this.#parts = [];
    this.hasDropped = false;
    this.#subscribing++;
    let answer: unknown;
    try {
      answer = await session.request('subscribe', { account_id: this.accountId, offset: this.last });
    } finally {
      this.#subscribing--;
    }
    // The answer says up to where the account has been told; events come before it.
    const told = isObject(answer) && typeof answer['sequence'] === 'number' ? answer['sequence'] : -1;
    if (this.#lacks(told)) throw new Error('Events are missing.');
    session.succeed();
  }

  catchUp(): void {
    const session = this.#session!;
    void this.subscribe(session).catch((error: unknown) => session.fail(error));
  }

  take(type: string, message: unknown): void {
    if (type !== 'account.snapshot' && type !== 'account.update') return;
    try {
      this.#take(type, message);
    } catch (error) {
      this.#session?.fail(error);
    }
  }

  /** Whether an event up to the sequence has not come, and none was dropped, which is asked for again anyway. */
  #lacks(sequence: number): boolean {
    return !this.hasDropped && sequence > (this.last ?? -1);
  }

  #take(type: string, message: unknown): void {
    if (this.hasDropped) return;
    const read = readMessage(type, message);
    let event: AccountEvent = read;
    if (read.type === 'account.snapshot') {
      this.#parts.push(read);
      if (!read.data.is_last) return;
      event = joined(this.#parts.splice(0));
    } else {
      if (this.last !== undefined && read.sequence <= this.last) return;
      if (read.data.previous_sequence !== this.last) {
        // What was on its way before the new subscription.
        if (this.#subscribing > 0) return;
        throw new Error('Events are missing.');
      }
    }
    if (this.events.length >= this.eventsMax) {
      this.hasDropped = true;
    } else {
      this.events.push(event);
      this.last = event.sequence;
    }
    this.onArrival();
  }
}

/** Knows which orders live, so that after a snapshot it can tell of those that have ended meanwhile. */
class LiveOrders {
  #live = new Set<string>();

  constructor(
    private sequence: number | undefined,
    private readonly lookUp: (orderId: string) => Promise<Order>,
  ) {}

  async *updatesOf(event: AccountEvent): AsyncGenerator<OrderUpdate, void, undefined> {
    const { type, data, sequence } = event;
    if (type === 'account.snapshot') {
      const there = new Set(data.orders.map(({ order_id }) => order_id));
      for (const orderId of this.#live) {
        if (!there.has(orderId))
          yield { order: await this.lookUp(orderId), fills: [], sequence: this.sequence };
      }
      this.#live = new Set();
    }
    const fills = type === 'account.update' ? data.fills : [];
    for (const [at, order] of data.orders.entries()) {
      if (at === data.orders.length - 1) this.sequence = sequence;
      if (isLive(order)) this.#live.add(order.order_id);
      else this.#live.delete(order.order_id);
      yield {
        order,
        fills: fills.filter(({ order_id }) => order_id === order.order_id),
        sequence: this.sequence,
      };
    }
    this.sequence = sequence;
  }
}

function isLive({ status }: Order): boolean {
  return status === 'open' || status === 'partially_filled' || status === 'untriggered';
}
