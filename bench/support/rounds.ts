import { median } from '../../scripts/support/statistics.js';
import type { LoadGenerator } from './load-generator.js';
import type { LoadResult } from './load-result.js';
import type { SocketLoadRequest } from './socket-load.js';

/** What runs before anything counts: a path that has not been compiled yet says nothing of one that has. */
const WARM_UP_ROUNDS = 3;

/** For each connection the requests that it sends, over and over again. */
type Connections = readonly (readonly string[])[];

interface AnyContender {
  /** The service that it runs against. */
  readonly url: string;
  /** What every answer must be; anything else ends the bench. */
  readonly status: number;
}

/** One that sends requests of HTTP. */
export interface RequestContender extends AnyContender {
  /** A function makes them anew for each round, where a request can be sent only once. */
  readonly connections: Connections | (() => Promise<Connections>);
}

/** One that sends messages through sockets. */
export type SocketContender = AnyContender & Pick<SocketLoadRequest, 'namespace' | 'sockets' | 'inFlight'>;

export type Contender = RequestContender | SocketContender;

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rounds: readonly LoadResult[];
}

export interface RoundOptions {
  readonly rounds: number;
  readonly roundMs: number;
}

/**
 * Lets contenders run in turns, short round after short round, and answers the median of each: what else
 * the machine does in the meantime hits all of them alike.
 */
export async function runInTurns<K extends string>(
  load: LoadGenerator,
  contenders: Readonly<Record<K, Contender>>,
  { rounds, roundMs }: RoundOptions,
): Promise<Readonly<Record<K, Measured>>> {
  const names = Object.keys(contenders) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as LoadResult[]])) as Record<
    K,
    LoadResult[]
  >;
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    for (const name of names) {
      const contender = contenders[name];
      const { url, status } = contender;
      const result = await load.run(url, { ...(await sentBy(contender)), durationMs: roundMs });
      for (const answered of Object.keys(result.statuses)) {
        if (Number(answered) !== status) throw new Error(`${name}: answered ${answered}`);
      }
      if (round >= WARM_UP_ROUNDS) results[name].push(result);
    }
  }
  const measure = (own: readonly LoadResult[]): Measured => ({
    perSecond: median(own.map(rateOf)),
    p50Ms: median(own.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(own.map(({ p99Ms }) => p99Ms)),
    rounds: own,
  });
  return Object.fromEntries(names.map((name) => [name, measure(results[name])])) as Record<K, Measured>;
}

async function sentBy(contender: Contender) {
  if ('sockets' in contender) {
    const { namespace, sockets, inFlight } = contender;
    return { namespace, sockets, inFlight };
  }
  const { connections } = contender;
  return { connections: typeof connections === 'function' ? await connections() : connections };
}

/** The median of the rounds' own ratios: neighbours in time are the fairest to compare. */
export function ratioOf(a: Measured, b: Measured): number {
  return median(a.rounds.map((round, i) => rateOf(round) / rateOf(b.rounds[i]!)));
}

function rateOf({ statuses, seconds }: LoadResult): number {
  return Object.values(statuses).reduce((sum, answers) => sum + answers, 0) / seconds;
}
