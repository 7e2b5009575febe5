/**
 * A request that holds a connection must not wait for another: as many such requests as the pool has connections would
 * deadlock and block everybody. The asynchronous context marks code that runs while a connection is held, and a second
 * connection is refused to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

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

/** A pool that refuses a second connection to code that holds one, of any pool. */
export class GuardedPool extends pg.Pool {
  /** For code that holds a connection of this pool. */
  second: SecondConnections = 'refused';

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const refusal = refusalToWait('a second connection');
    if (refusal !== undefined) {
      if (callback === undefined) return Promise.reject(refusal);
      process.nextTick(callback, refusal, undefined, () => undefined);
      return undefined;
    }
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** Marks the data source's transactions as holding a connection. */
export function watchTransactions(dataSource: DataSource, second: SecondConnections): DataSource {
  const { manager } = dataSource;
  const begin = manager.transaction.bind(manager) as Begin;
  // The work is the first argument, or the second after the isolation level.
  manager.transaction = (...parameters: readonly unknown[]) =>
    begin(
      ...parameters.map((parameter) =>
        typeof parameter === 'function'
          ? (inside: EntityManager) => whileHolding(second, () => (parameter as Work)(inside))
          : parameter,
      ),
    );
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
