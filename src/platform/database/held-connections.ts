/**
 * Who holds a connection must not wait for another one: as many requests as the pool has connections would
 * wait for each other, and nobody else would get one meanwhile. Here the code that runs while one is held is
 * known by its asynchronous context, and a second one is refused to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

/** `refused` throws at once, for development and tests; `logged` warns, once a place. */
export type SecondConnections = 'refused' | 'logged';

interface Hold {
  /** False once the connection was given back: what was started meanwhile may run longer. */
  isOpen: boolean;
  readonly second: SecondConnections;
}

const holds = new AsyncLocalStorage<Hold>();

/** Frames between who asks and the pool: TypeORM's are many. */
const STACK_FRAMES_MAX = 60;
const FRAMES_TOLD = 4;
/** Frames of libraries, of Node and of this mechanism. */
const NOT_THE_PLACE = /node_modules|node:|database[\\/](held-connections|transaction)\.[jt]s/;
const placesLogged = new Set<string>();

/** Runs `work`, which has a connection for as long as it runs. */
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

/** Throws where the running code holds a connection; `what` it is about to wait for, such as `the core`. */
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

/** A pool that gives no second connection to who holds one, of whatever pool. */
export class GuardedPool extends pg.Pool {
  /** For those who hold one of its own. */
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

/** Makes it known of the data source's transactions that they hold a connection. */
export function watchTransactions(dataSource: DataSource, second: SecondConnections): DataSource {
  const { manager } = dataSource;
  const begin = manager.transaction.bind(manager) as Begin;
  // The work comes first, or after the level of isolation.
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

/** The innermost functions of the service, as the stack has them. */
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
