/**
 * `npm run bench`: how fast the service is, as ratios within one run, beside what is promised. Prints the
 * table and writes it to `bench/results.md`.
 *
 *   --only a,b     these sections alone, and prints without writing
 *   --rounds N     measured rounds of each contender (5)
 *   --seconds N    length of a round (2)
 *   --holders N    how many hold positions of the market that `hostile` settles (1000000)
 *   --cpu-prof-dir DIR   writes a CPU profile of the service there when it ends
 *
 * BENCH_HISTORY shortens the longest history (1000000 orders, or fills of one account).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { EmbeddedPostgres } from '../src/platform/database/embedded/embedded-postgres.js';
import { benchExchange } from './sections/exchange.js';
import { benchFanOut } from './sections/fan-out.js';
import { benchDepth, benchHistory, benchMarkets } from './sections/growth.js';
import { benchHostile } from './sections/hostile.js';
import { benchMatchingAlone } from './sections/matching.js';
import { benchBatches, benchOrders, benchSocketOrders, benchTypeOrm } from './sections/orders.js';
import { benchPnl } from './sections/pnl.js';
import { benchRecovery } from './sections/recovery.js';
import { interrupted } from '../scripts/support/interruption.js';
import { BenchService } from './support/bench-service.js';
import type { BenchContext } from './support/context.js';
import type { Figure } from './support/figures.js';
import { LoadGenerator } from './support/load-generator.js';
import { tableOf, writeResults } from './support/results.js';

const RESULTS_PATH = 'bench/results.md';
const historyOrders = Number(process.env['BENCH_HISTORY'] ?? 1_000_000);

/** In this order: those that fill the database come last. */
const SECTIONS: Readonly<Record<string, (context: BenchContext) => Promise<Figure[]>>> = {
  matching: benchMatchingAlone,
  orders: benchOrders,
  sockets: benchSocketOrders,
  typeorm: benchTypeOrm,
  batch: benchBatches,
  exchange: benchExchange,
  fanout: benchFanOut,
  markets: benchMarkets,
  depth: benchDepth,
  recovery: benchRecovery,
  hostile: (context) => benchHostile(context, holders),
  pnl: (context) => benchPnl(context, historyOrders),
  history: (context) => benchHistory(context, historyOrders),
};

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    holders: { type: 'string', default: '1000000' },
    'cpu-prof-dir': { type: 'string' },
  },
});
const holders = Number(values.holders);
const names = values.only?.split(',') ?? Object.keys(SECTIONS);
const unknown = names.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  process.stderr.write(`There is no section ${unknown.join(', ')}: ${Object.keys(SECTIONS).join(', ')}.\n`);
  process.exit(1);
}

const profile = values['cpu-prof-dir'];
const nodeArgs = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'));
const logger = { log: () => undefined, warn: console.warn };
const database = await new EmbeddedPostgres({ dataDir, logger }).start();
const load = new LoadGenerator();
let service: BenchService | undefined;
try {
  service = await BenchService.start(database.url, nodeArgs);
  await Promise.race([runSections(service), interrupted()]);
} finally {
  load.stop();
  await service?.stop();
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function runSections(service: BenchService): Promise<void> {
  const rounds = { rounds: Number(values.rounds), roundMs: Number(values.seconds) * 1_000 };
  const figures: Figure[] = [];
  for (const name of names) {
    process.stderr.write(`${name} …\n`);
    figures.push(...(await SECTIONS[name]!({ service, load, rounds, createDatabase })));
  }
  process.stdout.write(`${tableOf(figures)}\n`);
  if (values.only === undefined) await writeResults(RESULTS_PATH, figures, await databaseVersion());
}

async function createDatabase(name: string): Promise<string> {
  await ask(`CREATE DATABASE ${name}`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function databaseVersion(): Promise<string> {
  const [row] = await ask('SHOW server_version');
  return row!.server_version!;
}

async function ask(statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, string>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}
