import { setTimeout as sleep } from 'node:timers/promises';
import { showProgress } from '../../src/kit/progress.js';
import { allAtOnce } from '../hostile/all-at-once.js';
import { attacksOf, CONTESTED } from '../hostile/attacks.js';
import { Customers, type Waited, waitedIn } from '../hostile/customers.js';
import { Flood, type Statuses, type Stream } from '../hostile/flood.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed } from '../support/figures.js';
import { MIDDLE_TICKS } from '../support/order-load.js';

const P99_GOAL_MS = 100;
const CUSTOMERS = 50;
const ROUND_MS = 4_000;
/** From when an attack begins until it counts. */
const BEGINNING_MS = 500;
/** What an attack has left behind is not what the next one does. */
const REST_MS = 1_000;

const QUIET = 'BENCH-QUIET';
const STOPS = { accounts: 100, perAccount: 200 } as const;
const STREAMS = 1_000;
const LEVELS = 10_000;
const DOCUMENTS_AT_ONCE = 200;
const HOLDERS_PER_CALL = 10_000;
const SETTLING_MS_MAX = 600_000;

/** All limits are those that operators get, and callers tell their addresses as behind a proxy. */
const ENVIRONMENT = { RATE_LIMITS: 'on', TRUST_PROXY: '1' };

interface HostileOptions {
  readonly holders: number;
  /** How long all attacks at once go on; null for each by itself. */
  readonly minutes: number | null;
  /** What the names of those attacks have in them that are made. */
  readonly attack: string;
}

/** How long orders of fifty customers wait while somebody attacks the service, in the market attacked and in another one. */
export async function benchHostile(
  context: BenchContext,
  { holders, minutes, attack }: HostileOptions,
): Promise<Figure[]> {
  // One of its own: what is left behind would weigh on the other sections.
  const database = await context.createDatabase('bench_hostile');
  const service = await BenchService.start(database, { env: ENVIRONMENT, nodeArgs: context.nodeArgs });
  const flood = new Flood();
  let customers: Customers | undefined;
  try {
    await service.createMarket(QUIET);
    await service.createMarket(CONTESTED);
    customers = await Customers.open(service, CUSTOMERS, [QUIET, CONTESTED]);
    const attacks = await attacksOf(service);
    if (minutes !== null) return await allAtOnce({ service, customers, flood, attacks }, minutes);
    const scene = { service, flood, customers, rounds: context.rounds.rounds, attack };
    await customers.trade(ROUND_MS);
    const figures: Figure[] = [];
    for (const { what, streams } of attacks.filter(({ what }) => what.includes(attack)))
      figures.push(await compared(scene, `one owner: ${what}`, streams));
    figures.push(...(await ofMany(scene, holders)));
    return figures;
  } finally {
    flood.end();
    customers?.close();
    await service.stop();
  }
}

interface Scene {
  readonly service: BenchService;
  readonly flood: Flood;
  readonly customers: Customers;
  readonly rounds: number;
  readonly attack: string;
}

interface Comparison {
  readonly alone: Waited;
  readonly attacked: Waited;
  /** What the attack was answered, and the share of a core that the service was busy with it. */
  readonly statuses: Statuses;
  readonly busy: number;
  readonly faults: readonly string[];
}

/** Rounds without and with an attack by turns: other load on the machine affects both alike. */
async function compare(
  { service, flood, customers, rounds }: Scene,
  streams: readonly Stream[],
): Promise<Comparison> {
  const waitedMs = { alone: [] as number[], attacked: [] as number[] };
  const statuses: Record<number, number> = {};
  let busyS = 0;
  for (let round = 0; round < rounds; round++) {
    waitedMs.alone.push(...(await customers.trade(ROUND_MS)).flat());
    flood.start(service.url, streams);
    await sleep(BEGINNING_MS);
    const cpuS = await service.cpuSeconds();
    waitedMs.attacked.push(...(await customers.trade(ROUND_MS)).flat());
    busyS += (await service.cpuSeconds()) - cpuS;
    for (const [status, answers] of Object.entries(await flood.stop()))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + answers;
    await sleep(REST_MS);
  }
  return {
    alone: waitedIn(waitedMs.alone),
    attacked: waitedIn(waitedMs.attacked),
    statuses,
    faults: customers.takeFaults(),
    busy: busyS / ((rounds * ROUND_MS) / 1_000),
  };
}

async function compared(scene: Scene, what: string, streams: readonly Stream[]): Promise<Figure> {
  const { alone, attacked, statuses, busy, faults } = await compare(scene, streams);
  const basis = [`${fixed(busy)} cores busy`, `answered ${inWords(statuses)}`, ...faults].join('; ');
  const figure = figureOf(what, alone, attacked, basis);
  return { ...figure, isMet: figure.isMet === true && faults.length === 0 };
}

function figureOf(what: string, alone: Waited, attacked: Waited, basis: string): Figure {
  const { p50Ms, p99Ms, maxMs } = attacked;
  const without = `p50 ${fixed(alone.p50Ms)}, p99 ${fixed(alone.p99Ms)}`;
  return {
    what: `p99 of an order of others, ms; ${what}`,
    measured: fixed(p99Ms),
    goal: `≤ ${P99_GOAL_MS}`,
    isMet: p99Ms <= P99_GOAL_MS,
    basis: `p50 ${fixed(p50Ms)}, most ${fixed(maxMs)}; without ${without}; ${basis}`,
  };
}

/** Such as `200 × 1,204, 429 × 31`. */
function inWords(statuses: Statuses): string {
  const words = Object.entries(statuses).map(([status, answers]) => `${status} × ${count(answers)}`);
  return words.join(', ') || 'nothing';
}

/** What many strangers or customers together do. */
async function ofMany(scene: Scene, holders: number): Promise<Figure[]> {
  const { service } = scene;
  const document = `GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n`;
  const floods: Prepared<Stream>[] = [
    {
      what: `${count(DOCUMENTS_AT_ONCE)} strangers ask for \`/openapi.json\` over and over`,
      prepare: () => Promise.resolve({ connections: DOCUMENTS_AT_ONCE, requests: [document] }),
    },
    {
      what: `${count(STREAMS)} anonymous streams open on ${count(LEVELS)} levels`,
      prepare: async () => ({ connections: STREAMS, requests: [await crowdedStream(service)] }),
    },
  ];
  const events: Prepared<() => Promise<void>>[] = [
    {
      what: `${count(STOPS.accounts * STOPS.perAccount)} stops of many are triggered by one trade`,
      prepare: () => manyStops(service),
    },
    { what: `a market with ${count(holders)} holders settles`, prepare: () => settlement(service, holders) },
  ];
  const isAsked = ({ what }: Attempt): boolean => what.includes(scene.attack);
  const figures: Figure[] = [];
  for (const { what, prepare } of floods.filter(isAsked))
    figures.push(await compared(scene, what, [await prepare()]));
  for (const { what, prepare } of events.filter(isAsked)) {
    const event = await prepare();
    const before = waitedIn((await scene.customers.trade(ROUND_MS)).flat());
    figures.push(figureOf(what, before, waitedIn(await whileIt(scene.customers, event)), 'once'));
  }
  return figures;
}

interface Attempt {
  readonly what: string;
}

interface Prepared<Means> extends Attempt {
  readonly prepare: () => Promise<Means>;
}

/** The orders of as many rounds as it takes, and one at least. */
async function whileIt(customers: Customers, event: () => Promise<void>): Promise<number[]> {
  const state = { isOver: false };
  const happening = event().finally(() => (state.isOver = true));
  const waitedMs: number[] = [];
  do waitedMs.push(...(await customers.trade(ROUND_MS)).flat());
  while (!state.isOver);
  await happening;
  return waitedMs;
}

async function crowdedStream(service: BenchService): Promise<string> {
  const market = 'BENCH-CROWDED';
  await service.createMarket(market);
  await service.makeOrders({
    market_id: market,
    kind: 'resting',
    orders: LEVELS * 2,
    levels: LEVELS,
    middle_ticks: MIDDLE_TICKS,
    size_lots: 100_000,
  });
  return `GET /markets/${market}/stream?channels=l2&depth=1000 HTTP/1.1\r\nHost: bench\r\n\r\n`;
}

async function manyStops(service: BenchService): Promise<() => Promise<void>> {
  const market = 'BENCH-STOPS';
  await service.createMarket(market);
  await service.operate('POST', '/bench/stops', {
    market_id: market,
    accounts: STOPS.accounts,
    stops_per_account: STOPS.perAccount,
    first_stop_ticks: MIDDLE_TICKS,
  });
  const [seller, buyer] = [service.sellers[1]!, service.buyers[1]!];
  // Beyond the last of them, so that one trade reaches all.
  const price = ((MIDDLE_TICKS + STOPS.perAccount) / 100).toFixed(2);
  const order = { market_id: market, type: 'limit', price, size: '0.001' };
  return async () => {
    await service.placeOrder(seller, { ...order, side: 'sell' });
    await service.placeOrder(buyer, { ...order, side: 'buy' });
  };
}

async function settlement(service: BenchService, holders: number): Promise<() => Promise<void>> {
  const market = 'BENCH-HELD';
  await service.createMarket(market, { kind: 'event', base_asset: undefined, lot_size: '1' });
  const seller = service.sellers[2]!;
  const progress = showProgress('Making holders', holders);
  for (let made = 0; made < holders; made += HOLDERS_PER_CALL) {
    const size = Math.min(HOLDERS_PER_CALL, holders - made);
    await service.placeOrder(seller, {
      market_id: market,
      side: 'sell',
      type: 'limit',
      price: '0.50',
      size: String(size),
    });
    await service.operate('POST', '/bench/holders', { market_id: market, holders: size, price_ticks: 50 });
    progress.update(made + size);
  }
  progress.stop();
  // While this many trades are folded into candles, requests for market data wait.
  await service.caughtUp(SETTLING_MS_MAX);
  await service.operate('PATCH', `/admin/markets/${market}`, { status: 'closed' });
  return async () => {
    await service.operate('PATCH', `/admin/markets/${market}`, { status: 'settled', settlement_value: '1' });
    for (let waitedMs = 0; waitedMs < SETTLING_MS_MAX; waitedMs += 1_000) {
      const { status } = await service.operate<{ status: string }>('GET', `/markets/${market}`);
      if (status === 'settled') return;
      await sleep(1_000);
    }
    throw new Error('The market did not settle in time.');
  };
}

function count(amount: number): string {
  return amount.toLocaleString('en-US');
}
