import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { showProgress } from '../../src/platform/progress.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed } from '../support/figures.js';
import type { LoadGenerator } from '../support/load-generator.js';
import { wireRequest } from '../support/load-generator.js';
import type { LoadResult } from '../support/load-result.js';
import { MIDDLE_TICKS } from '../support/order-load.js';

const P99_GOAL_MS = 100;
/** An order so often, whatever the service is busy with. */
const ORDER_EVERY_MS = 5;
const VICTIM_CONNECTIONS = 8;
const MEASURED_MS = 4_000;
/** Within the time that is measured. */
const BEFORE_ATTACK_MS = 300;
const ATTACK_MS = 3_500;

const QUIET = 'BENCH-QUIET';
const STOPS = { accounts: 100, perAccount: 200 } as const;
const STREAMS = 1_000;
const LEVELS = 10_000;
const DOCUMENTS_AT_ONCE = 200;
const HOLDERS_PER_CALL = 10_000;
const SETTLING_MS_MAX = 600_000;

/** How long an order of a market that has nothing to do with it waits while somebody attacks the service. */
export async function benchHostile(context: BenchContext, holders: number): Promise<Figure[]> {
  // One of its own: what is left behind would weigh on the other sections.
  const service = await BenchService.start(await context.createDatabase('bench_hostile'));
  try {
    await service.createMarket(QUIET);
    const victim = new Victim(service, context.load);
    await victim.measure();
    const alone = await victim.measure();
    const told = (what: string, result: LoadResult): Figure => ({
      what: `p99 of an unrelated order, ms, while ${what}`,
      measured: fixed(result.p99Ms),
      goal: `≤ ${P99_GOAL_MS}`,
      isMet: result.p99Ms <= P99_GOAL_MS,
      basis: `p50 ${fixed(result.p50Ms)}, most ${fixed(result.maxMs)}; alone p99 ${fixed(alone.p99Ms)}`,
    });
    return [
      told(
        `${count(DOCUMENTS_AT_ONCE)} ask for \`/openapi.json\` at once, over and over`,
        await victim.measure(documents(service)),
      ),
      told(
        `${count(STREAMS)} anonymous streams open on ${count(LEVELS)} levels`,
        await victim.measure(await streams(service)),
      ),
      told(
        `${count(STOPS.accounts * STOPS.perAccount)} stops are triggered by one trade`,
        await victim.measure(await stops(service)),
      ),
      told(
        `a market with ${count(holders)} holders settles`,
        await victim.measure(await settlement(service, holders)),
      ),
    ];
  } finally {
    await service.stop();
  }
}

/** Resolves once it is over. */
type Attack = () => Promise<void>;

/** A client that only wants to place orders. */
class Victim {
  constructor(
    private readonly service: BenchService,
    private readonly load: LoadGenerator,
  ) {}

  /** The worst of as many rounds as the attack takes, and one at least. */
  async measure(attack: Attack = () => Promise.resolve()): Promise<LoadResult> {
    const state = { isOver: false };
    const attacking = sleep(BEFORE_ATTACK_MS)
      .then(attack)
      .finally(() => (state.isOver = true));
    const rounds: LoadResult[] = [];
    do rounds.push(await this.round());
    while (!state.isOver);
    await attacking;
    return rounds.reduce((worst, round) => (round.p99Ms > worst.p99Ms ? round : worst));
  }

  private async round(): Promise<LoadResult> {
    const result = await this.load.run(this.service.url, {
      requests: this.orders(),
      everyMs: ORDER_EVERY_MS,
      connections: VICTIM_CONNECTIONS,
      durationMs: MEASURED_MS,
    });
    const refused = Object.keys(result.statuses).filter((status) => status !== '201');
    if (refused.length > 0) throw new Error(`An unrelated order was answered ${refused.join(', ')}.`);
    return result;
  }

  /** A sell and a buy that takes it, in turn. */
  private orders(): string[] {
    return [this.service.sellers[0]!, this.service.buyers[0]!].map(({ token, accountId }, i) =>
      wireRequest('/orders', token, {
        market_id: QUIET,
        account_id: accountId,
        side: i === 0 ? 'sell' : 'buy',
        type: 'limit',
        price: (MIDDLE_TICKS / 100).toFixed(2),
        size: '0.001',
      }),
    );
  }
}

function documents(service: BenchService): Attack {
  const { host } = new URL(service.url);
  const request = `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  return async () => {
    const endsAt = performance.now() + ATTACK_MS;
    while (performance.now() < endsAt) {
      await Promise.all(
        Array.from({ length: DOCUMENTS_AT_ONCE }, () => once(ask(service, request), 'close')),
      );
    }
  };
}

async function streams(service: BenchService): Promise<Attack> {
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
  const { host } = new URL(service.url);
  const request = `GET /markets/${market}/stream?channels=l2&depth=1000 HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  return async () => {
    const followers = Array.from({ length: STREAMS }, () => ask(service, request));
    await sleep(ATTACK_MS);
    for (const follower of followers) follower.destroy();
  };
}

async function stops(service: BenchService): Promise<Attack> {
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
    await sleep(ATTACK_MS);
  };
}

async function settlement(service: BenchService, holders: number): Promise<Attack> {
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

/** A connection that has sent a request, and throws away whatever comes. */
function ask(service: BenchService, request: string): Socket {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request));
  socket.on('error', () => socket.destroy());
  return socket.resume();
}

function count(amount: number): string {
  return amount.toLocaleString('en-US');
}
