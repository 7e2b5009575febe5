import { median } from '../../scripts/support/statistics.js';
import type { BenchService } from './bench-service.js';
import type { FixLoadRequest } from './fix-load.js';
import type { LoadGenerator } from './load-generator.js';
import type { LoadResult } from './load-result.js';
import type { PacedLoadRequest } from './load-worker.js';
import type { SocketLoadRequest } from './socket-load.js';

/** What runs before anything counts: a path that has not been compiled yet says nothing of one that has. */
const WARM_UP_ROUNDS = 2;
const WARM_UP_MS_MAX = 1_000;
/** What follows the journal has to be within a second of it: a turn waits for no more. */
const REST_MS_MAX = 1_000;

/** For each connection the requests that it sends, over and over again. */
export type Connections = readonly (readonly string[])[];

interface AnyContender {
  /** What it runs against. */
  readonly service: BenchService;
  /** What every answer must be; anything else ends the bench. */
  readonly status: number;
}

/** One that sends requests of HTTP. */
export interface RequestContender extends AnyContender {
  /** A function makes them anew for each round, where a request can be sent only once. */
  readonly connections: Connections | (() => Promise<Connections>);
  /** Further processes on the service's database, to which the connections go in turn as to it. */
  readonly otherUrls?: readonly string[];
}

/** One that sends messages through sockets. */
export type SocketContender = AnyContender & Pick<SocketLoadRequest, 'namespace' | 'sockets' | 'inFlight'>;

/** One that sends requests of HTTP at fixed moments. */
export type PacedContender = AnyContender & Pick<PacedLoadRequest, 'requests' | 'everyMs' | 'connections'>;

/** One that places orders by FIX, at an address of its own. */
export type FixContender = AnyContender & Pick<FixLoadRequest, 'sessions'> & { readonly fixUrl: string };

export type Contender = RequestContender | SocketContender | PacedContender | FixContender;

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rounds: readonly LoadResult[];
}

export interface RoundOptions {
  readonly rounds: number;
  readonly roundMs: number;
  /** For effects that need longer, such as work that accumulates and must finally be done. */
  readonly longRoundMs: number;
}

type TurnOptions = Pick<RoundOptions, 'rounds' | 'roundMs'>;

/**
 * Runs contenders alternately in short rounds, and returns the median of each: other load on the machine affects all of
 * them alike. Between two turns those that follow the journal have as long as is promised of them; where they need longer,
 * the turns after it pay for it.
 */
export async function runInTurns<K extends string>(
  load: LoadGenerator,
  contenders: Readonly<Record<K, Contender>>,
  { rounds, roundMs }: TurnOptions,
): Promise<Readonly<Record<K, Measured>>> {
  const names = Object.keys(contenders) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as LoadResult[]])) as Record<
    K,
    LoadResult[]
  >;
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    for (const name of names) {
      const isWarm = round >= WARM_UP_ROUNDS;
      const durationMs = isWarm ? roundMs : Math.min(roundMs, WARM_UP_MS_MAX);
      const result = await runTurn(load, contenders[name], durationMs);
      await contenders[name].service.caughtUp(REST_MS_MAX);
      if (isWarm) results[name].push(result);
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

/** One turn alone. Throws where anything else is answered than should be. */
export async function runTurn(
  load: LoadGenerator,
  contender: Contender,
  durationMs: number,
): Promise<LoadResult> {
  const { service, status } = contender;
  const otherUrls = 'otherUrls' in contender ? contender.otherUrls : [];
  const url = 'fixUrl' in contender ? contender.fixUrl : service.url;
  const result = await load.run(url, { ...(await sentBy(contender)), durationMs }, otherUrls);
  for (const answered of Object.keys(result.statuses)) {
    if (Number(answered) !== status)
      throw new Error(`${service.url} answered ${answered}, not ${status}. ${result.refusal ?? ''}`);
  }
  return result;
}

async function sentBy(contender: Contender) {
  if ('sockets' in contender) {
    const { namespace, sockets, inFlight } = contender;
    return { namespace, sockets, inFlight };
  }
  if ('sessions' in contender) return { sessions: contender.sessions };
  if ('everyMs' in contender) {
    const { requests, everyMs, connections } = contender;
    return { requests, everyMs, connections };
  }
  const { connections } = contender;
  return { connections: typeof connections === 'function' ? await connections() : connections };
}

/** The median of the rounds' own ratios: neighbours in time are the fairest to compare. */
export function ratioOf(a: Measured, b: Measured): number {
  return median(a.rounds.map((round, i) => rateOf(round) / rateOf(b.rounds[i]!)));
}

export function answersIn({ statuses }: LoadResult): number {
  return Object.values(statuses).reduce((sum, answers) => sum + answers, 0);
}

export function rateOf(result: LoadResult): number {
  return answersIn(result) / result.seconds;
}
