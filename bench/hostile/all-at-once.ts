/** All attacks of one person at once, for as long as asked, while others trade; and how the service stands at the end. */
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../../scripts/support/statistics.js';
import type { BenchService } from '../support/bench-service.js';
import { type Figure, fixed, limitFigure } from '../support/figures.js';
import { slopeOf } from '../support/slope.js';
import { type Attack, CONTESTED } from './attacks.js';
import { type Customers, waitedIn } from './customers.js';
import type { Flood, Stream } from './flood.js';

interface Scene {
  readonly service: BenchService;
  readonly customers: Customers;
  readonly flood: Flood;
  readonly attacks: readonly Attack[];
}

interface LedgerCheck {
  readonly balanced: boolean;
  readonly problems: readonly string[];
  readonly full?: { readonly status: string; readonly problems: readonly string[] };
}

/** The default of `OWNER_WAITING_MAX`. */
const IN_FLIGHT_MAX = 512;
const MINUTE_MS = 60_000;
const BYTES_PER_MB = 1_048_576;
const P99_MAX_MS = 100;
const RESTART_MAX_S = 3;
/** Caches fill at first; what they need is not growth. */
const SETTLING_SHARE = 0.25;
const HEAP_MB_A_MINUTE_MAX = 1;

export async function allAtOnce(scene: Scene, minutes: number): Promise<Figure[]> {
  const { service, customers, flood, attacks } = scene;
  const heapsMb: number[] = [];
  const waitedMs: number[][] = [];
  await customers.connect();
  flood.start(service.url, withinLimits(attacks));
  for (let minute = 1; minute <= minutes; minute++) {
    const waited = await customers.trade(MINUTE_MS);
    for (const [who, ms] of waited.entries()) (waitedMs[who] ??= []).push(...ms);
    const { heap_bytes } = await service.operate<{ heap_bytes: number }>('POST', '/bench/heap');
    heapsMb.push(heap_bytes / BYTES_PER_MB);
    const { p50Ms, p99Ms, maxMs } = waitedIn(waited.flat());
    process.stderr.write(
      `minute ${minute}: p50 ${fixed(p50Ms)} ms, p99 ${fixed(p99Ms)} ms, most ${fixed(maxMs)} ms, heap ${fixed(heapsMb.at(-1)!)} MB\n`,
    );
  }
  const statuses = Object.entries(await flood.stop()).map(([status, answers]) => `${status} × ${answers}`);
  const faults = customers.takeFaults();
  const p99s = waitedMs.map((ms) => waitedIn(ms).p99Ms);
  const settled = heapsMb.slice(Math.floor(heapsMb.length * SETTLING_SHARE));
  await service.caughtUp(60_000);
  const problems = await problemsOf(service);
  const { seconds } = await service.restartAfterKill(CONTESTED);
  problems.push(...(await problemsOf(service)).map((problem) => `after the restart: ${problem}`));
  return [
    limitFigure(
      `p99 of the customer who waits longest, of ${p99s.length}, while one owner does all of it at once`,
      Math.max(...p99s),
      P99_MAX_MS,
      ' ms',
      `the middle of all ${fixed(median(p99s))} ms; answered ${statuses.join(', ')} in ${minutes} minutes`,
    ),
    {
      what: 'orders of theirs that were not taken',
      measured: String(faults.length),
      goal: '0',
      isMet: faults.length === 0,
      basis: faults.join('; ') || 'all were answered 201',
    },
    limitFigure(
      'heap after garbage collection grows a minute',
      slopeOf(settled),
      HEAP_MB_A_MINUTE_MAX,
      ' MB',
      `${heapsMb.map((mb) => Math.round(mb)).join(', ')} MB minute by minute`,
    ),
    limitFigure(
      'restart afterwards, to the first answered order',
      seconds,
      RESTART_MAX_S,
      ' s',
      'after a kill -9',
    ),
    {
      what: 'faults of the books: conservation, holds, pools, and the tables against the state',
      measured: String(problems.length),
      goal: '0',
      isMet: problems.length === 0,
      basis: problems.join('; ') || 'checked before and after the restart',
    },
  ];
}

/** As many connections of each as together may be in flight: what is refused does not attack. */
function withinLimits(attacks: readonly Attack[]): Stream[] {
  const streams = attacks.flatMap((attack) => attack.streams);
  const wanted = streams.reduce((sum, { connections }) => sum + connections, 0);
  return streams.map(({ connections, requests }) => ({
    connections: Math.max(1, Math.floor((connections * IN_FLIGHT_MAX) / wanted)),
    requests,
  }));
}

/** Of the sums, and of the state worked out again from the whole journal. */
async function problemsOf(service: BenchService): Promise<string[]> {
  for (;;) {
    const check = await service.operate<LedgerCheck>('GET', '/admin/ledger/check?full=true');
    if (check.full?.status === 'running') {
      await delay(1_000);
      continue;
    }
    const { status = 'missing', problems = [] } = check.full ?? {};
    const undone = status === 'done' ? [] : [`the full check is ${status}`];
    return [...check.problems, ...problems, ...undone];
  }
}
