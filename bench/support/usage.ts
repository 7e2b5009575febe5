/** What the service and its database use up while they work, in all their processes. */
import { readdir, readFile } from 'node:fs/promises';
import type { BenchService } from './bench-service.js';

/** Of `/proc`: the same on every Linux. */
const CPU_TICK_MICROSECONDS = 10_000;

export interface Usage {
  /** Of the service and of PostgreSQL, with their children; undefined where there is no `/proc`. */
  readonly cpuMicroseconds: number | undefined;
  readonly walBytes: number;
  /** Of them, images of whole pages: the first change of each after a checkpoint. */
  readonly walPageBytes: number;
  /** On the heap of the service's main thread. */
  readonly allocatedBytes: number;
}

/** What is used until the work is done. */
export async function usageOf(service: BenchService, work: () => Promise<void>): Promise<Usage> {
  await service.ask('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
  const cpu = await cpuOf(service);
  const from = await placeInWal(service);
  await service.operate('POST', '/bench/heap/allocations');
  await work();
  const { allocated_bytes: allocatedBytes } = await service.operate<{ allocated_bytes: number }>(
    'DELETE',
    '/bench/heap/allocations',
  );
  const to = await placeInWal(service);
  const cpuMicroseconds = cpu === undefined ? undefined : (await cpuOf(service))! - cpu;
  const [wal] = await service.ask<{ bytes: string; page_bytes: string }>(
    `SELECT pg_wal_lsn_diff($2, $1) AS bytes, sum(fpi_size) AS page_bytes FROM pg_get_wal_stats($1, $2)`,
    [from, to],
  );
  const { bytes, page_bytes: pageBytes } = wal!;
  return { cpuMicroseconds, walBytes: Number(bytes), walPageBytes: Number(pageBytes), allocatedBytes };
}

async function placeInWal(service: BenchService): Promise<string> {
  const [row] = await service.ask<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn');
  return row!.lsn;
}

async function cpuOf(service: BenchService): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const [row] = await service.ask<{ pid: number }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid`,
  );
  const processes = await allProcesses();
  const counted = new Set([service.pid, row!.pid]);
  let ticks = 0;
  // Again until no more come: the number of a child may be lower than that of its parent.
  for (let known = 0; known < counted.size;) {
    known = counted.size;
    for (const [pid, { parent }] of processes) if (counted.has(parent)) counted.add(pid);
  }
  for (const pid of counted) ticks += processes.get(pid)?.ticks ?? 0;
  return ticks * CPU_TICK_MICROSECONDS;
}

interface CpuOfProcess {
  readonly parent: number;
  /** Its own and those of its children that have ended. */
  readonly ticks: number;
}

async function allProcesses(): Promise<ReadonlyMap<number, CpuOfProcess>> {
  const processes = new Map<number, CpuOfProcess>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // One that has ended meanwhile counts with its parent.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
    // A name in parentheses may contain anything; what follows it begins with the state.
    const fields = stat
      ?.slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    if (fields === undefined) continue;
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    processes.set(Number(name), {
      parent: fields[1]!,
      ticks: user + system + childrenUser + childrenSystem,
    });
  }
  return processes;
}
