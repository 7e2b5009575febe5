/**
 * Runs the tests again and again, to find those that fail now and then: `npm run test:repeat 20`, or others with what
 * else Vitest takes, as in `npm run test:repeat 5 -- --mode rest` or `npm run test:repeat 5 -- test/e2e/chat`. The last
 * quarter of the runs goes beside a process that keeps a core busy, and takes the files in random order. Ends with a
 * table of all runs, and with 1 where one of them failed.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

const BUSY_SHARE = 1 / 4;
const BUSY_ARGUMENT = '--keep-busy';
const BUSY_SLICE_MS = 50;
const SUMMARY_LINE = /^(\d+) passed, (\d+) failed$/m;
const HEADER = '  run  beside  seconds  passed  failed  names of failed';

/** @param {number} runs @param {readonly string[]} filters */
async function repeat(runs, filters) {
  if (!Number.isSafeInteger(runs) || runs < 1) {
    process.stderr.write('Usage: npm run test:repeat RUNS [-- FILTERS AND OPTIONS OF VITEST]\n');
    process.exit(2);
  }
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-repeat-'));
  const quietRuns = runs === 1 ? 1 : runs - Math.ceil(runs * BUSY_SHARE);
  const rows = [];
  for (let run = 1; run <= runs; run++) {
    const busy = run > quietRuns ? fork(script, [BUSY_ARGUMENT]) : undefined;
    const options = filters.length > 0 ? [...filters] : ['--mode', 'fast'];
    if (busy !== undefined) options.push('--sequence.shuffle.files');
    try {
      rows.push({ run, isBusy: busy !== undefined, ...(await runOnce(join(folder, String(run)), options)) });
    } finally {
      busy?.kill();
    }
    process.stdout.write(`${rowOf(rows.at(-1))}\n`);
  }
  const failed = rows.filter(({ isGreen }) => !isGreen);
  process.stdout.write(`\n${[HEADER, ...rows.map(rowOf)].join('\n')}\n`);
  process.stdout.write(`\n${runs - failed.length} of ${runs} runs were green.\n`);
  if (failed.length === 0) await rm(folder, { recursive: true });
  else process.stdout.write(`What the others said: ${failed.map(({ log }) => log).join(' ')}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** @param {string} path @param {readonly string[]} filters */
async function runOnce(path, filters) {
  const [report, log] = [`${path}.json`, `${path}.log`];
  const startedAtMs = performance.now();
  const reporters = ['default', './test/support/summary-reporter.ts', 'json'];
  const child = spawn(
    'vitest',
    ['run', ...reporters.map((name) => `--reporter=${name}`), `--outputFile.json=${report}`, ...filters],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  const [code] = await once(child, 'close');
  output.end();
  await once(output, 'finish');
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const [, passed = '?', failed = '?'] = SUMMARY_LINE.exec(await readFile(log, 'utf8')) ?? [];
  const names = await namesOfFailed(report);
  // A file that fails to load, or an unhandled rejection, fails a run without a failed test.
  if (code !== 0 && names.length === 0) names.push(`exit code ${code}, see ${log}`);
  return { isGreen: code === 0, seconds, passed, failed, names, log };
}

/** @param {string} report */
async function namesOfFailed(report) {
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  return JSON.parse(text).testResults.flatMap(({ name, status, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName }) => `${file}: ${fullName}`);
    return status === 'failed' ? [file] : [];
  });
}

/** Until its parent ends it, or ends. */
function keepBusy() {
  process.on('disconnect', () => process.exit());
  const work = () => {
    const untilMs = performance.now() + BUSY_SLICE_MS;
    while (performance.now() < untilMs);
    setImmediate(work);
  };
  work();
}

/** One row of the table. */
function rowOf({ run, isBusy, seconds, passed, failed, names }) {
  const cells = [
    String(run).padStart(5),
    (isBusy ? 'busy' : '–').padEnd(6),
    ...[seconds, passed, failed].map((number, column) => String(number).padStart([7, 6, 6][column])),
    names.join('; '),
  ];
  return cells.join('  ').trimEnd();
}

const [, script = '', first, ...filters] = process.argv;
if (first === BUSY_ARGUMENT) keepBusy();
else await repeat(Number(first), filters);
