/**
 * Two commits against each other on one machine: whole runs of the bench in turns, so that other load on the machine
 * affects both alike, and the medians of their figures.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from '../scripts/support/statistics.js';
import { interrupted } from '../src/kit/interruption.js';
import { fixed } from './support/figures.js';
import { measuredIn, tableOf } from './support/results.js';

/** Packages of the repository itself: every copy of it has its own. */
const OWN_SCOPE = '@tradepost';

interface Side {
  readonly name: string;
  /** Of each run what it measured, by the names of the figures. */
  readonly runs: ReadonlyMap<string, string>[];
}

/** Runs what is here and the commit `ref`, each `turns` times with these arguments, and prints a table. */
export async function compareWith(ref: string, turns: number, args: readonly string[]): Promise<void> {
  const processes = new Processes();
  const temporary = await mkdtemp(join(tmpdir(), 'tradepost-compare-'));
  try {
    await Promise.race([compare(processes, { ref, turns, args, temporary }), interrupted()]);
  } finally {
    await processes.stop();
    await rm(temporary, { recursive: true, force: true });
  }
}

async function compare(
  processes: Processes,
  { ref, turns, args, temporary }: { ref: string; turns: number; args: readonly string[]; temporary: string },
): Promise<void> {
  const here = { name: 'here', folder: resolve('.'), runs: [] as Side['runs'] };
  const there = { name: ref, folder: join(temporary, 'there'), runs: [] as Side['runs'] };
  await checkOut(processes, ref, there.folder);
  for (let turn = 0; turn < turns; turn++) {
    for (const { name, folder, runs } of turn % 2 === 0 ? [here, there] : [there, here]) {
      process.stderr.write(`turn ${turn + 1} of ${turns}: ${name}\n`);
      runs.push(measuredIn(await processes.run(process.execPath, ['dist/bench/run.js', ...args], folder)));
    }
  }
  process.stdout.write(`${comparisonOf(here, there)}\n`);
}

/** The commit in a folder of its own, built. */
async function checkOut(processes: Processes, ref: string, folder: string): Promise<void> {
  const commit = (await processes.run('git', ['rev-parse', '--verify', `${ref}^{commit}`], '.')).trim();
  await processes.run('git', ['clone', '--quiet', '--shared', '--no-checkout', '.', folder], '.');
  await processes.run('git', ['checkout', '--quiet', commit], folder);
  const [locked, lockedHere] = await Promise.all(
    [folder, '.'].map((place) => readFile(join(place, 'package-lock.json'), 'utf8')),
  );
  if (locked === lockedHere) await linkPackages(folder);
  else await processes.run('npm', ['ci'], folder);
  process.stderr.write(`building ${ref} …\n`);
  await processes.run('npm', ['run', '--silent', 'build'], folder);
}

/** All packages that are installed here; its own are those of the folder. */
async function linkPackages(folder: string): Promise<void> {
  const [from, to] = [resolve('node_modules'), join(folder, 'node_modules')];
  await mkdir(join(to, OWN_SCOPE), { recursive: true });
  for (const name of await readdir(from)) {
    if (name !== OWN_SCOPE) await symlink(join(from, name), join(to, name));
  }
  for (const name of await readdir(join(from, OWN_SCOPE))) {
    // From one package to another, as npm has linked it here.
    await symlink(await readlink(join(from, OWN_SCOPE, name)), join(to, OWN_SCOPE, name));
  }
}

/** Of the figures that both have. */
export function comparisonOf(here: Side, there: Side): string {
  const rows = [...here.runs[0]!.keys()].flatMap((what) => {
    const [own, other] = [here, there].map(({ runs }) =>
      runs.map((run) => numberOf(run.get(what))).filter((value) => value !== undefined),
    ) as [number[], number[]];
    if (own.length === 0 || other.length === 0) return [];
    const ratio = median(own) / median(other);
    return [
      [what, fixed(median(own)), fixed(median(other)), fixed(ratio), `${spreadOf(own)}, ${spreadOf(other)}`],
    ];
  });
  const head = ['Figure', here.name, there.name, `${here.name} / ${there.name}`, 'Spread of each'];
  return tableOf([head, ...rows]);
}

/** Without its unit; undefined where it is none. */
function numberOf(measured: string | undefined): number | undefined {
  const digits = /^[\d,]+(?:\.\d+)?/.exec(measured ?? '')?.[0];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

/** From the least to the most, as a share of the middle. */
function spreadOf(values: readonly number[]): string {
  const spread = (Math.max(...values) - Math.min(...values)) / median(values);
  return `${Math.round(100 * spread)} %`;
}

/** Runs one program after the other, and ends the one that runs. */
class Processes {
  private stopRunning: () => Promise<void> = () => Promise.resolve();

  /** Answers what it printed; what it says beside that is shown. */
  async run(program: string, args: readonly string[], folder: string): Promise<string> {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close') as Promise<[code: number | null]>;
    this.stopRunning = async () => {
      child.kill('SIGTERM');
      await ended.catch(() => undefined);
    };
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [code] = await ended;
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}.\n${printed}`);
    return printed;
  }

  stop(): Promise<void> {
    return this.stopRunning();
  }
}
