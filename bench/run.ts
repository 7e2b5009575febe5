/**
 * `npm run bench`: how fast the service is, as ratios within one run, beside what is promised. Prints the
 * tables and writes them to `bench/results.md`.
 *
 *   --only a,b     these sections alone, and prints without writing
 *   --plain        without fees, without keys, with 32 accounts: the table to compare older figures with, alone
 *   --quick        fewer and shorter rounds on less history, and prints without writing
 *   --sustained    with batches for five minutes
 *   --rounds N     measured rounds of each contender (5; quick 3)
 *   --seconds N    length of a round (2; quick 1); of batches and at half load at least 10 (quick 3)
 *   --holders N    how many hold positions of the market that `hostile` settles (1000000; quick 20000)
 *   --accounts N   to how many `liabilities` owes something (1000000; quick 100000)
 *   --history N    the longest history, in orders, or up to 1000000 fills of one account (1000000; quick 100000);
 *                  10000000 takes some 20 GB of disk
 *   --failovers N  how many leaders `cluster` kills, and how many it stops (30; quick 5)
 *   --cpu-prof-dir DIR   writes a CPU profile of the service there when it ends
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { EmbeddedPostgres } from '../src/platform/database/embedded/embedded-postgres.js';
import { benchCluster } from './sections/cluster.js';
import { benchConsole } from './sections/console.js';
import { benchExchange } from './sections/exchange.js';
import { benchFanOut } from './sections/fan-out.js';
import { benchDepth, benchHistory, benchMarkets } from './sections/growth.js';
import { benchHostile } from './sections/hostile.js';
import { benchLiabilities } from './sections/liabilities.js';
import { benchMatchingAlone } from './sections/matching.js';
import {
  benchBatches,
  benchFixOrders,
  benchOrders,
  benchSignedOrders,
  benchSocketOrders,
  benchSustained,
  benchTypeOrm,
} from './sections/orders.js';
import { benchPnl } from './sections/pnl.js';
import { benchProjection } from './sections/projection.js';
import { benchRecovery } from './sections/recovery.js';
import { interrupted } from '../src/platform/interruption.js';
import { BenchService } from './support/bench-service.js';
import type { BenchContext } from './support/context.js';
import type { Figure } from './support/figures.js';
import { LoadGenerator } from './support/load-generator.js';
import { PLAIN_TITLE, resultsOf, type ResultTable } from './support/results.js';
import { PLAIN, REAL, type Workload } from './support/workload.js';

const RESULTS_PATH = 'bench/results.md';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    plain: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    sustained: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    holders: { type: 'string' },
    accounts: { type: 'string' },
    history: { type: 'string' },
    failovers: { type: 'string' },
    'cpu-prof-dir': { type: 'string' },
  },
});
const defaults = values.quick
  ? {
      rounds: 3,
      seconds: 1,
      longSeconds: 3,
      holders: 20_000,
      accounts: 100_000,
      history: 100_000,
      failovers: 5,
    }
  : {
      rounds: 5,
      seconds: 2,
      longSeconds: 10,
      holders: 1_000_000,
      accounts: 1_000_000,
      history: 1_000_000,
      failovers: 30,
    };
const holders = Number(values.holders ?? defaults.holders);
const accounts = Number(values.accounts ?? defaults.accounts);
const history = Number(values.history ?? defaults.history);
const failovers = Number(values.failovers ?? defaults.failovers);
const seconds = Number(values.seconds ?? defaults.seconds);
const rounds = {
  rounds: Number(values.rounds ?? defaults.rounds),
  roundMs: seconds * 1_000,
  longRoundMs: Math.max(seconds, defaults.longSeconds) * 1_000,
};

type Section = (context: BenchContext) => Promise<Figure[]>;

/** Also measured without fees, keys and many accounts. */
const PLAIN_SECTIONS: Readonly<Record<string, Section>> = {
  orders: benchOrders,
  sockets: benchSocketOrders,
  signed: benchSignedOrders,
  fix: benchFixOrders,
  typeorm: benchTypeOrm,
  batch: benchBatches,
  exchange: benchExchange,
  projection: benchProjection,
};

/** In this order: those that fill the database come last. */
const SECTIONS: Readonly<Record<string, Section>> = {
  matching: benchMatchingAlone,
  ...PLAIN_SECTIONS,
  fanout: benchFanOut,
  markets: benchMarkets,
  depth: benchDepth,
  sustained: benchSustained,
  recovery: benchRecovery,
  console: benchConsole,
  cluster: benchCluster,
  hostile: (context) => benchHostile(context, holders),
  liabilities: (context) => benchLiabilities(context, accounts),
  pnl: (context) => benchPnl(context, history),
  history: (context) => benchHistory(context, history),
};

const choice = values.plain ? PLAIN_SECTIONS : SECTIONS;
const names =
  values.only?.split(',') ??
  Object.keys(choice).filter((name) => values.sustained || choice[name] !== benchSustained);
const unknown = names.filter((name) => !(name in choice));
if (unknown.length > 0) {
  process.stderr.write(`There is no section ${unknown.join(', ')}: ${Object.keys(choice).join(', ')}.\n`);
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
  await Promise.race([runTables(), interrupted()]);
} finally {
  load.stop();
  await service?.stop();
  await database.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** The figures of record, and those to compare with earlier ones. */
async function runTables(): Promise<void> {
  const isWhole = values.only === undefined && !values.plain && !values.quick;
  const tables: ResultTable[] = [];
  if (!values.plain) tables.push({ title: null, figures: await runSections(names, REAL) });
  if (values.plain || isWhole) {
    const plainNames = names.filter((name) => name in PLAIN_SECTIONS);
    tables.push({ title: PLAIN_TITLE, figures: await runSections(plainNames, PLAIN) });
  }
  const text = resultsOf(tables, await databaseVersion());
  process.stdout.write(text);
  if (isWhole) await writeFile(RESULTS_PATH, text);
}

/** In a service and a database of their own. */
async function runSections(sections: readonly string[], workload: Workload): Promise<Figure[]> {
  const databaseUrl = workload === REAL ? database.url : await createDatabase('bench_plain');
  service = await BenchService.start(databaseUrl, { workload, nodeArgs });
  const figures: Figure[] = [];
  for (const name of sections) {
    process.stderr.write(`${name} …\n`);
    figures.push(...(await SECTIONS[name]!({ service, load, rounds, failovers, createDatabase })));
  }
  await service.stop();
  service = undefined;
  return figures;
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
