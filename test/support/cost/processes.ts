import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessSample {
  readonly pid: number;
  /** In clock ticks since the machine's start: with the pid it names a process for good. */
  readonly startedAt: string;
  readonly kind: string;
  /** User and system time of all its threads so far. */
  readonly cpuMs: number;
  /** The test worker that it descends from, or whose database it serves. */
  readonly workerPid: number | undefined;
}

/** The kind of a process that has ended, and that nobody has waited for yet. */
export const ENDED = 'ended';

/** USER_HZ, which Linux fixes for what it tells programs. */
const MS_PER_TICK = 10;
/** Where fields of /proc/PID/stat are after the name, which may contain spaces. */
const [PARENT, USER_TICKS, SYSTEM_TICKS, STARTED_AT] = [1, 11, 12, 19];

/** All processes that descend from `rootPid`, itself included. */
export function readProcesses(rootPid: number): ProcessSample[] {
  const rows = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const row = readProcess(Number(name));
        return row === undefined ? [] : [[row.pid, row] as const];
      }),
  );
  const samples: ProcessSample[] = [];
  for (const row of rows.values()) {
    const line: Row[] = [row];
    // Servers of databases go on their own, under process 1.
    for (
      let parent = rows.get(row.parentPid);
      parent !== undefined && parent.pid !== 1;
      parent = rows.get(parent.parentPid)
    )
      line.push(parent);
    const isOurs = line.some(({ pid }) => pid === rootPid);
    const databaseOf = /^postgres: .*\btest_(\d+)_/.exec(row.command)?.[1];
    if (!isOurs && !line.some(({ command }) => command.includes('tradepost-'))) continue;
    const workerPid = line.find(({ command }) => isWorker(command))?.pid;
    const { pid, startedAt, cpuMs } = row;
    const owner = databaseOf === undefined ? workerPid : Number(databaseOf);
    samples.push({
      pid,
      startedAt,
      cpuMs,
      kind: pid === rootPid ? 'vitest' : kindOf(row.command),
      workerPid: owner,
    });
  }
  return samples;
}

interface Row {
  readonly pid: number;
  readonly parentPid: number;
  readonly startedAt: string;
  readonly cpuMs: number;
  readonly command: string;
}

function readProcess(pid: number): Row | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      parentPid: Number(fields[PARENT]),
      startedAt: fields[STARTED_AT]!,
      cpuMs: (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * MS_PER_TICK,
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function isWorker(command: string): boolean {
  return command.includes('vitest/dist/workers');
}

const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['PostgreSQL', /postgres/],
  ['browser', /chromium/],
  ['Redis', /redis-server/],
  ['anvil', /anvil/],
  ['service', /dist\/(bundle|src)\/|main\.js/],
  ['compiler', /\btsc\b|rolldown|nest build|vite build/],
  ['npm', /\bnpm\b/],
];

function kindOf(command: string): string {
  if (isWorker(command)) return 'worker';
  const kind = KINDS.find(([, pattern]) => pattern.test(command))?.[0];
  return (
    kind ??
    (command
      .split(' ')
      .slice(0, 2)
      .map((word) => word.split('/').at(-1))
      .join(' ') ||
      'ended')
  );
}
