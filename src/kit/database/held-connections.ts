/**
 * A request that holds a connection must not wait for another: as many such requests as the pool has connections would
 * deadlock and block everybody. The asynchronous context marks code that runs while a connection is held, and a second
 * connection is refused to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { tooManyInFlight } from '../turns/in-flight.js';
import { loopTurns } from '../turns/loop-turns.js';
import { type Caller, type Owner, ownerOf, presentCaller } from '../turns/owner.js';
import { TurnQueue } from '../turns/turn-queue.js';

/** `refused` throws at once, for development and tests; `logged` warns once for each place. */
export type SecondConnections = 'refused' | 'logged';

interface Hold {
  /** False once the connection was returned: work that it started may run longer. */
  isOpen: boolean;
  readonly second: SecondConnections;
}

const holds = new AsyncLocalStorage<Hold>();

/** TypeORM puts many frames between the caller and the pool. */
const STACK_FRAMES_MAX = 60;
const FRAMES_TOLD = 4;
/** Frames of libraries, of Node and of this mechanism. */
const NOT_THE_PLACE = /node_modules|node:|database[\\/](held-connections|transaction)\.[jt]s/;
const placesLogged = new Set<string>();

/** Runs `work`, which holds a connection until it ends. */
export async function whileHolding<Result>(
  second: SecondConnections,
  work: () => Promise<Result>,
): Promise<Result> {
  const hold: Hold = { isOpen: true, second };
  try {
    return await holds.run(hold, work);
  } finally {
    hold.isOpen = false;
  }
}

/** Throws if the current code holds a connection; `what` names what it would wait for, such as `the core`. */
export function assertNothingHeld(what: string): void {
  const refusal = refusalToWait(what);
  if (refusal !== undefined) throw refusal;
}

function refusalToWait(what: string): Error | undefined {
  const hold = holds.getStore();
  if (hold?.isOpen !== true) return undefined;
  const place = placeOfCaller();
  const message = `${place} waits for ${what} while it holds a connection: pass the transaction on, or wait before it begins or after it ends.`;
  if (hold.second === 'refused') return new Error(message);
  if (placesLogged.has(place)) return undefined;
  placesLogged.add(place);
  new Logger('Database').warn(message);
  return undefined;
}

/** Of those that wait for a connection. */
const WAITING = { waitingMax: 16_384, ownerWaitingMax: 1_024 };
/** The part of the connections that only the path of orders, and the service itself, may take. */
const KEPT_FOR_ORDERS = 1 / 4;

/**
 * A pool that refuses a second connection to code that holds one, of any pool. Callers take turns between owners: each
 * has at most half of what all may have, so that those who come next wait for a query and not for a queue.
 */
export class GuardedPool extends pg.Pool {
  /** For code that holds a connection of this pool. */
  second: SecondConnections = 'refused';
  private readonly kept = Math.floor(this.options.max * KEPT_FOR_ORDERS);
  private readonly ofOrders = this.turns(this.options.max, this.kept / 2);
  private readonly ofOthers = this.turns(this.options.max - this.kept, (this.options.max - this.kept) / 2);

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const refusal = refusalToWait('a second connection');
    if (refusal !== undefined) {
      if (callback === undefined) return Promise.reject(refusal);
      process.nextTick(callback, refusal, undefined, () => undefined);
      return undefined;
    }
    if (callback === undefined) {
      return new Promise((resolve, reject) =>
        this.connect((error, client) => (client === undefined ? reject(error!) : resolve(client))),
      );
    }
    const caller = presentCaller();
    if (caller === undefined) super.connect(callback);
    else this.connectInTurn(caller, callback);
    return undefined;
  }

  /** Fails, as the pool does, where a connection is waited for too long. */
  private connectInTurn(caller: Caller, callback: ConnectCallback): void {
    const owner = ownerOf(caller);
    const turns = caller.isOrder === true ? this.ofOrders : this.ofOthers;
    const wait: Wait = { state: 'waiting', timer: undefined };
    // Many who fail one after the other would be a deep recursion.
    const leaveLater = (): void => void setImmediate(() => turns.leave(owner));
    const begin = (): void => {
      if (wait.state === 'over') {
        leaveLater();
        return;
      }
      wait.state = 'begun';
      clearTimeout(wait.timer);
      super.connect((error, client, done) => {
        if (client === undefined) {
          leaveLater();
          callback(error, client, done);
          return;
        }
        const release = client.release.bind(client);
        const restore = answerInTurn(client, owner);
        const leave = (destroy?: Error | boolean): void => {
          restore();
          release(destroy);
          turns.leave(owner);
        };
        client.release = leave;
        callback(error, client, leave as typeof done);
      });
    };
    const refuse = (error: Error): void => {
      if (wait.state === 'over') return;
      wait.state = 'over';
      clearTimeout(wait.timer);
      process.nextTick(callback, error, undefined, () => undefined);
    };
    turns.enter(owner, begin, refuse);
    if (wait.state !== 'waiting') return;
    const { connectionTimeoutMillis } = this.options;
    if (!connectionTimeoutMillis) return;
    wait.timer = setTimeout(() => refuse(new Error(TIMEOUT_MESSAGE)), connectionTimeoutMillis).unref();
  }

  private turns(runningMax: number, ownerRunningMax: number): TurnQueue {
    const bounds = { runningMax, ownerRunningMax: Math.max(1, Math.floor(ownerRunningMax)), ...WAITING };
    return new TurnQueue(bounds, tooManyInFlight);
  }
}

/** Rows whose way from the database to the answer takes as long as an order begins. */
const ROWS_PER_REQUEST = 3;

/**
 * Lets answers of many rows, each some milliseconds of work, be taken up in the owner's turns of the event loop. Answers how
 * to undo it.
 */
function answerInTurn(client: pg.PoolClient, owner: Owner): () => void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  const turnFor = (result: unknown): Promise<void> | undefined =>
    loopTurns.turnOf(owner, {
      requests: 1 + ((result as Partial<pg.QueryResult> | undefined)?.rows?.length ?? 0) / ROWS_PER_REQUEST,
      isEnd: true,
    });
  const inTurn = (...parameters: unknown[]): unknown => {
    const last = parameters.at(-1);
    if (typeof last === 'function') {
      const callback = last as QueryCallback;
      const called: QueryCallback = (error, result) => {
        const turn = turnFor(result);
        if (turn === undefined) callback(error, result);
        else void turn.then(() => callback(error, result));
      };
      return query(...parameters.slice(0, -1), called);
    }
    const answer = query(...parameters);
    // What is streamed comes by parts.
    if (!(answer instanceof Promise)) return answer;
    return answer.then((result: unknown) => {
      const turn = turnFor(result);
      return turn === undefined ? result : turn.then(() => result);
    });
  };
  Object.assign(client, { query: inTurn });
  return () => Reflect.deleteProperty(client, 'query');
}

type QueryCallback = (error: unknown, result: unknown) => void;

/** A caller's wait for its turn to have a connection. */
interface Wait {
  state: 'waiting' | 'begun' | 'over';
  timer: NodeJS.Timeout | undefined;
}

/** As the pool says it. */
const TIMEOUT_MESSAGE = 'timeout exceeded when trying to connect';

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/**
 * Transactions of one owner at once: those that wait for each other's locks leave a connection to what else the owner does.
 */
const OWNER_TRANSACTIONS_MAX = 2;

/**
 * Marks the data source's transactions as holding a connection. Those of one owner that are too many wait without one.
 */
export function watchTransactions(dataSource: DataSource, second: SecondConnections): DataSource {
  const { manager } = dataSource;
  const begin = manager.transaction.bind(manager) as Begin;
  const bounds = { runningMax: Infinity, ownerRunningMax: OWNER_TRANSACTIONS_MAX, ...WAITING };
  const turns = new TurnQueue(bounds, tooManyInFlight);
  manager.transaction = (...parameters: readonly unknown[]) => {
    // The work is the first argument, or the second after the isolation level.
    const run = (): Promise<unknown> =>
      begin(
        ...parameters.map((parameter) =>
          typeof parameter === 'function'
            ? (inside: EntityManager) => whileHolding(second, () => (parameter as Work)(inside))
            : parameter,
        ),
      );
    const caller = presentCaller();
    // Who holds a connection is refused another one, and must not wait before.
    return caller === undefined || holds.getStore()?.isOpen === true
      ? run()
      : turns.take(ownerOf(caller), run);
  };
  return dataSource;
}

type Work = (manager: EntityManager) => Promise<unknown>;
type Begin = (...parameters: unknown[]) => Promise<unknown>;

/** The innermost functions of the service on the stack. */
function placeOfCaller(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES_MAX;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return stack
    .split('\n')
    .filter((line) => /:\d+:\d+\)?$/.test(line) && !NOT_THE_PLACE.test(line))
    .slice(0, FRAMES_TOLD)
    .map((line) => line.trim().replace(/^at (async )?/, ''))
    .join(', called by ');
}
