import { isObject, TradepostError } from '../errors.js';
import type { Transport } from '../transport.js';
import { backoffMs, Signalled, sleep } from '../waiting.js';
import { BookSide, checksumOf, type Level } from './book-levels.js';
import { type OnConnection, SocketSession } from './socket-session.js';

/** A copy of a market's book, as of one sequence. It changes while you hold it: take from it what you keep. */
export interface OrderBook {
  readonly marketId: string;
  readonly sequence: number;
  readonly createdAt: string;
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** How often the copy was taken anew after an update that was missing or a checksum that differed. */
  readonly resyncs: number;
}

export interface FollowBookOptions {
  /** How many levels of each side, from 1 to 1,000 (50). */
  readonly depth?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: OnConnection | undefined;
}

interface BookEvent {
  readonly type: 'l2.snapshot' | 'l2.update';
  readonly market_id: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly data: {
    readonly bids: readonly Level[];
    readonly asks: readonly Level[];
    readonly checksum: string;
    readonly previous_sequence?: number;
  };
}

/** Copies taken in a row of which none could be kept in step. */
const RESYNCS_MAX = 5;
const RESYNC_DELAY_MS = 100;
const RESYNC_DELAY_MS_MAX = 5_000;

export async function* followBook(
  transport: Transport,
  marketId: string,
  { depth = 50, signal, onConnection }: FollowBookOptions = {},
): AsyncGenerator<OrderBook, void, undefined> {
  const changed = new Signalled();
  let failure: Error | undefined;
  const end = (error: Error): void => {
    failure ??= error;
    changed.wake();
  };
  const keeper = new BookKeeper(marketId, depth, signal, () => changed.wake(), end);
  const session = new SocketSession({
    transport,
    namespace: '/markets',
    signal,
    onConnection,
    onOpen: (opened) => keeper.subscribe(opened),
    onEvent: (_type, event) => keeper.take(event),
    onEnd: end,
  });
  try {
    for (;;) {
      await changed.wait();
      if (failure !== undefined) throw failure;
      if (keeper.isInStep) yield keeper;
    }
  } finally {
    session.close();
  }
}

/** Builds the copy, and asks for a new one where an update is missing or the checksum differs. */
class BookKeeper implements OrderBook {
  sequence = -1;
  createdAt = '';
  resyncs = 0;
  isInStep = false;
  readonly #bids = new BookSide(-1);
  readonly #asks = new BookSide(1);
  #session: SocketSession | undefined;
  #resyncsInRow = 0;

  constructor(
    readonly marketId: string,
    private readonly depth: number,
    private readonly signal: AbortSignal | undefined,
    private readonly onChange: () => void,
    private readonly onEnd: (error: Error) => void,
  ) {}

  get bids(): readonly Level[] {
    return this.#bids.levels;
  }

  get asks(): readonly Level[] {
    return this.#asks.levels;
  }

  async subscribe(session: SocketSession): Promise<void> {
    this.#session = session;
    this.isInStep = false;
    await session.request('subscribe', { market_id: this.marketId, channels: ['l2'], depth: this.depth });
  }

  take(event: unknown): void {
    if (!isBookEvent(event) || event.market_id !== this.marketId) return;
    const { type, sequence, data } = event;
    const isSnapshot = type === 'l2.snapshot';
    // Updates that were on their way before the new snapshot.
    if (!isSnapshot && !this.isInStep) return;
    if (isSnapshot) {
      this.#bids.replace(data.bids);
      this.#asks.replace(data.asks);
    } else if (data.previous_sequence === this.sequence) {
      for (const level of data.bids) this.#bids.set(level);
      for (const level of data.asks) this.#asks.set(level);
    } else {
      void this.#resync();
      return;
    }
    if (checksumOf(this.bids, this.asks) !== data.checksum) {
      void this.#resync();
      return;
    }
    this.isInStep = true;
    this.sequence = sequence;
    this.createdAt = event.created_at;
    if (!isSnapshot) this.#resyncsInRow = 0;
    this.#session?.succeed();
    this.onChange();
  }

  #isKept(): boolean {
    return this.isInStep;
  }

  async #resync(): Promise<void> {
    this.isInStep = false;
    this.resyncs++;
    this.#resyncsInRow++;
    const session = this.#session;
    if (session === undefined) return;
    if (this.#resyncsInRow > RESYNCS_MAX) {
      this.onEnd(
        new TradepostError({
          code: 'stream_out_of_sync',
          message: `The book of ${this.marketId} could not be kept in step with the service.`,
          operation: '/markets subscribe',
        }),
      );
      return;
    }
    try {
      await sleep(backoffMs(this.#resyncsInRow - 1, RESYNC_DELAY_MS, RESYNC_DELAY_MS_MAX), this.signal);
      // A connection that was made meanwhile has subscribed already.
      if (session !== this.#session || this.#isKept()) return;
      await session.request('unsubscribe', { market_id: this.marketId, channels: ['l2'] });
      await this.subscribe(session);
    } catch (error) {
      if (this.signal?.aborted !== true) session.fail(error);
    }
  }
}

function isBookEvent(event: unknown): event is BookEvent {
  if (!isObject(event) || !isObject(event['data'])) return false;
  const { type, sequence, data } = event;
  return (
    (type === 'l2.snapshot' || type === 'l2.update') &&
    Number.isSafeInteger(sequence) &&
    areLevels(data['bids']) &&
    areLevels(data['asks']) &&
    typeof data['checksum'] === 'string'
  );
}

function areLevels(levels: unknown): boolean {
  return (
    Array.isArray(levels) &&
    levels.every(
      (level) => Array.isArray(level) && typeof level[0] === 'string' && typeof level[1] === 'string',
    )
  );
}
