import { readFile } from 'node:fs/promises';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed } from '../support/figures.js';
import { MIDDLE_TICKS } from '../support/order-load.js';

const OPEN_ORDERS = 100_000;
const SECONDS_MAX = 3;
const MARKET = 'BENCH-RECOVERY';

/** Kills the service over a book of open orders and starts it again. */
export async function benchRecovery({ service }: BenchContext): Promise<Figure[]> {
  await service.createMarket(MARKET);
  const empty = await service.restartAfterKill(MARKET);
  const emptyMb = await residentMb(service.pid);
  await service.makeOrders({
    market_id: MARKET,
    kind: 'resting',
    orders: OPEN_ORDERS,
    levels: 1_000,
    middle_ticks: MIDDLE_TICKS,
    size_lots: 100_000,
  });
  const { seconds } = await service.restartAfterKill(MARKET);
  const fullMb = await residentMb(service.pid);
  return [
    {
      what: `restart with ${OPEN_ORDERS.toLocaleString('en-US')} open orders, to the first answered order`,
      measured: `${fixed(seconds)} s`,
      goal: `≤ ${SECONDS_MAX} s`,
      isMet: seconds <= SECONDS_MAX,
      basis: `from the start of the process after a kill -9; with an empty book ${fixed(empty.seconds)} s`,
    },
    {
      what: `memory for ${OPEN_ORDERS.toLocaleString('en-US')} open orders`,
      measured: `${Math.round(fullMb - emptyMb)} MB`,
      goal: '',
      basis: `resident after the restart: ${Math.round(fullMb)} MB, with an empty book ${Math.round(emptyMb)} MB`,
    },
  ];
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1_024;
}
