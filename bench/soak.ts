/**
 * `npm run bench:soak`: half of the load that the service can take, with all groups at work, for `SOAK_MINUTES` (10; 480
 * for the eight hours of the record). Each minute it notes the p99 of an order and the heap after garbage collection; at
 * the end it says whether the heap, the p99 and the tables stay as they are. Exits with 1 where they do not.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { interrupted } from '../src/kit/interruption.js';
import { median } from '../scripts/support/statistics.js';
import { EmbeddedPostgres } from '../src/kit/database/embedded/embedded-postgres.js';
import { AllGroups } from './support/all-groups.js';
import { BenchService } from './support/bench-service.js';
import { LoadGenerator } from './support/load-generator.js';
import { ordersOneByOne, ordersPaced } from './support/order-load.js';
import { answersIn, runTurn } from './support/rounds.js';
import { slopeOf } from './support/slope.js';
import { growthOf, type TableGrowth, tableRows } from './support/table-growth.js';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10);
/** Orders a second; half of what is measured at the start unless it is given. */
const RATE = process.env['SOAK_RATE'];
const MINUTE_MS = 60_000;
const MEASURED_MS = 10_000;
const MARKET = 'BENCH-SOAK';
/** A turn of all groups each second. */
const TURN_MS = 1_000;
/** Caches fill at first; what they need is not growth. */
const SETTLING_SHARE = 0.25;
const HEAP_MB_AN_HOUR_MAX = 1;
/** The p99 of the last quarter to that of the first one after settling. */
const P99_RATIO_MAX = 1.5;
/** What the last orders may still add to tables. */
const CAUGHT_UP_MS_MAX = 60_000;
const BYTES_PER_MB = 1_048_576;

interface Minute {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly orders: number;
  readonly heapMb: number;
}

const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-soak-'));
const logger = { log: () => undefined, warn: console.warn };
const database = await new EmbeddedPostgres({ dataDir, logger }).start();
const load = new LoadGenerator();
let service: BenchService | undefined;
try {
  service = await BenchService.start(database.url);
  await Promise.race([soak(service), interrupted()]);
} finally {
  load.stop();
  await service?.stop();
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function soak(service: BenchService): Promise<void> {
  await service.createMarket(MARKET);
  const perSecond = RATE === undefined ? await halfOfMost(service) : Number(RATE);
  process.stdout.write(`${Math.round(perSecond)} orders/s at fixed moments for ${MINUTES} minutes\n`);
  const groups = await AllGroups.open(service.url);
  const minutes: Minute[] = [];
  const before = await tableRows(service);
  const stop = new AbortController();
  const turns = turnAgain(groups, stop.signal);
  try {
    while (minutes.length < MINUTES) {
      const minute = await Promise.race([oneMinute(service, perSecond), turns.then(() => null)]);
      if (minute === null) break;
      minutes.push(minute);
      const { p50Ms, p99Ms, heapMb } = minute;
      process.stdout.write(
        `minute ${minutes.length}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, heap ${heapMb.toFixed(1)} MB\n`,
      );
    }
  } finally {
    stop.abort();
    await turns;
    groups.close();
  }
  await service.caughtUp(CAUGHT_UP_MS_MAX);
  report(minutes, groups, growthOf(before, await tableRows(service)));
}

async function halfOfMost(service: BenchService): Promise<number> {
  const contender = ordersOneByOne(service, [MARKET]);
  await runTurn(load, contender, MEASURED_MS);
  const measured = await runTurn(load, contender, MEASURED_MS);
  return answersIn(measured) / measured.seconds / 2;
}

async function oneMinute(service: BenchService, perSecond: number): Promise<Minute> {
  const measured = await runTurn(load, ordersPaced(service, [MARKET], perSecond), MINUTE_MS);
  const { heap_bytes } = await service.operate<{ heap_bytes: number }>('POST', '/bench/heap');
  const { p50Ms, p99Ms } = measured;
  return { p50Ms, p99Ms, orders: answersIn(measured), heapMb: heap_bytes / BYTES_PER_MB };
}

async function turnAgain(groups: AllGroups, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await groups.turn();
    await delay(TURN_MS, undefined, { signal }).catch(() => undefined);
  }
}

function report(minutes: readonly Minute[], groups: AllGroups, tables: readonly TableGrowth[]): void {
  const settled = minutes.slice(Math.floor(minutes.length * SETTLING_SHARE));
  const heapMbAnHour = slopeOf(settled.map(({ heapMb }) => heapMb)) * 60;
  const quarter = Math.max(1, Math.floor(settled.length / 4));
  const p99Of = (some: readonly Minute[]): number => median(some.map(({ p99Ms }) => p99Ms));
  const [first, last] = [p99Of(settled.slice(0, quarter)), p99Of(settled.slice(-quarter))];
  const unbounded = tables.filter(({ bound }) => bound === null);
  const orders = minutes.reduce((sum, minute) => sum + minute.orders, 0);
  const verdicts: readonly (readonly [isMet: boolean, what: string])[] = [
    [
      heapMbAnHour <= HEAP_MB_AN_HOUR_MAX,
      `heap after garbage collection grows by ${heapMbAnHour.toFixed(2)} MB an hour (at most ${HEAP_MB_AN_HOUR_MAX})`,
    ],
    [
      last / first <= P99_RATIO_MAX,
      `p99 ${first.toFixed(1)} ms in the first quarter, ${last.toFixed(1)} ms in the last`,
    ],
    [
      unbounded.length === 0,
      `tables that grow without a bound: ${unbounded.map(({ table }) => table).join(', ') || 'none'}`,
    ],
    [groups.refused.size === 0, `refused: ${JSON.stringify(Object.fromEntries(groups.refused))}`],
  ];
  process.stdout.write(
    `\n${orders} orders; calls by group ${JSON.stringify(Object.fromEntries(groups.answered))}\n`,
  );
  for (const { table, rows, bound } of tables)
    process.stdout.write(`  ${table} +${rows} rows: ${bound ?? 'WITHOUT A BOUND'}\n`);
  for (const [isMet, what] of verdicts) process.stdout.write(`${isMet ? 'met' : 'NOT MET'}: ${what}\n`);
  if (verdicts.some(([isMet]) => !isMet)) process.exitCode = 1;
}
