/**
 * `npm run bench`: how fast the service is, as ratios within one run, beside what is promised. Prints tables. A whole run
 * takes less than 30 minutes; it writes `bench/results.md`, and from there the figures of the README and
 * `docs/benchmarks.md`.
 *
 *   --only a,b     these sections alone
 *   --plain        without fees, without keys, with 32 accounts: the table to compare older figures with
 *   --quick        fewer and shorter rounds on less history
 *   --write        writes the results of a run that is not whole, too
 *   --compare REF  runs this commit and that one in turns, each with its own bench, and compares their figures
 *   --turns N      how often each of the two runs (2; at first this one, then that one twice, and so on)
 *   --rounds N     measured rounds of each contender (5; quick 3)
 *   --seconds N    length of a round (2; quick 1); of batches and at half load at least 6 (quick 3)
 *   --sustained N  for how many seconds batches are sustained (300; quick 30)
 *   --holders N    how many hold positions of the market that `hostile` settles (100000; quick 20000)
 *   --minutes N    instead of each attack of `hostile` by itself, all at once for so long
 *   --attack TEXT  of `hostile` the attacks that have this in their name
 *   --accounts N   to how many `liabilities` owes something (100000)
 *   --history N    the longest history, in orders, or up to 1000000 fills of one account (1000000; quick 100000);
 *                  10000000 takes some 20 GB of disk
 *   --failovers N  how many leaders `cluster` kills, and how many it stops (5)
 *   --cpu-prof-dir DIR   writes a CPU profile of the service there when it ends
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmbeddedPostgres } from '../src/kit/database/embedded/embedded-postgres.js';
import { interrupted } from '../src/kit/interruption.js';
import { compareWith } from './compare.js';
import { SECTIONS } from './sections/all.js';
import { askOnce, BenchService } from './support/bench-service.js';
import type { BenchContext } from './support/context.js';
import { LoadGenerator } from './support/load-generator.js';
import { resultsOf, runConditions, type SectionResult, withFiguresOf } from './support/results.js';
import { PLAIN, REAL } from './support/workload.js';

const RESULTS_PATH = 'bench/results.md';
/** Tables in them show some of the results. */
const DOCUMENT_PATHS = ['README.md', 'docs/benchmarks.md'];
const TURNS = 2;

const args = process.argv.slice(2);
const { values, tokens } = parseArgs({
  args,
  tokens: true,
  options: {
    only: { type: 'string' },
    plain: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    compare: { type: 'string' },
    turns: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    sustained: { type: 'string' },
    holders: { type: 'string' },
    minutes: { type: 'string' },
    attack: { type: 'string', default: '' },
    accounts: { type: 'string' },
    history: { type: 'string' },
    failovers: { type: 'string' },
    'cpu-prof-dir': { type: 'string' },
  },
});
const defaults = values.quick
  ? { rounds: 3, seconds: 1, longSeconds: 3, sustained: 30, holders: 20_000, history: 100_000 }
  : { rounds: 5, seconds: 2, longSeconds: 6, sustained: 300, holders: 100_000, history: 1_000_000 };
const seconds = Number(values.seconds ?? defaults.seconds);
const rounds = {
  rounds: Number(values.rounds ?? defaults.rounds),
  roundMs: seconds * 1_000,
  longRoundMs: Math.max(seconds, defaults.longSeconds) * 1_000,
};
const sizes = {
  sustainedSeconds: Number(values.sustained ?? defaults.sustained),
  failovers: Number(values.failovers ?? 5),
  holders: Number(values.holders ?? defaults.holders),
  minutes: values.minutes === undefined ? null : Number(values.minutes),
  attack: values.attack,
  accounts: Number(values.accounts ?? 100_000),
  history: Number(values.history ?? defaults.history),
};

const possible = Object.keys(SECTIONS).filter((name) => !values.plain || SECTIONS[name]!.isPlain);
const names = values.only?.split(',') ?? possible;
const unknown = names.filter((name) => !possible.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no section ${unknown.join(', ')}: ${possible.join(', ')}.\n`);
  process.exit(1);
}

if (values.compare === undefined) await run();
else await compareWith(values.compare, Number(values.turns ?? TURNS), argumentsOfEach());

/** What says that runs are compared is no concern of the runs. */
function argumentsOfEach(): string[] {
  const ofComparison = ['compare', 'turns', 'write'];
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || ofComparison.includes(token.name)) return [];
    return token.value === undefined ? [token.rawName] : [token.rawName, token.value];
  });
}

async function run(): Promise<void> {
  const command = ['npm run bench', ...(args.length > 0 ? ['--'] : []), ...args].join(' ');
  const conditions = runConditions(command);
  const workload = values.plain ? PLAIN : REAL;
  const profile = values['cpu-prof-dir'];
  const nodeArgs = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'));
  const logger = { log: () => undefined, warn: console.warn };
  const database = await new EmbeddedPostgres({ dataDir, logger }).start();
  const load = new LoadGenerator();
  let service: BenchService | undefined;
  try {
    const [{ server_version: databaseVersion }] = (await askOnce<{ server_version: string }>(
      database.url,
      'SHOW server_version',
    )) as [{ server_version: string }];
    service = await BenchService.start(database.url, { workload, nodeArgs });
    const results = await Promise.race([
      runSections({ service, load, nodeArgs }, database.url),
      interrupted(),
    ]);
    const text = resultsOf(results, conditions, { workload, databaseVersion });
    process.stdout.write(text);
    const isWhole = values.only === undefined && !values.plain && !values.quick && values.attack === '';
    if (isWhole || values.write) await write(text);
  } finally {
    load.stop();
    await service?.stop();
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runSections(
  tools: Pick<BenchContext, 'service' | 'load' | 'nodeArgs'>,
  databaseUrl: string,
): Promise<SectionResult[]> {
  const createDatabase = async (name: string): Promise<string> => {
    await askOnce(databaseUrl, `CREATE DATABASE ${name}`);
    const url = new URL(databaseUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const results: SectionResult[] = [];
  for (const name of names) {
    const { run: runSection, plannedSeconds } = SECTIONS[name]!;
    process.stderr.write(`${name} … (${plannedSeconds} s in a whole run)\n`);
    const startedAtMs = performance.now();
    const figures = await runSection({ ...tools, rounds, sizes, createDatabase });
    results.push({ name, figures, seconds: (performance.now() - startedAtMs) / 1_000 });
  }
  return results;
}

async function write(results: string): Promise<void> {
  await writeFile(RESULTS_PATH, results);
  for (const path of DOCUMENT_PATHS) {
    await writeFile(path, withFiguresOf(results, await readFile(path, 'utf8')));
  }
}
