import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Reporter } from 'vitest/node';
import { ENDED, readProcesses, type ProcessSample } from './processes.js';
import { COST_FOLDER, type SpecCost } from './spec-cost.js';

/** Often enough to see processes that live for a second; the look itself takes some milliseconds. */
const SAMPLE_INTERVAL_MS = 200;

/**
 * Ends a run with two tables: CPU seconds by kind of process (workers, services, browsers, PostgreSQL …), and by spec
 * file, with the processes that it started and the backends of its databases. Linux only, since it reads /proc.
 */
export default class CostReporter implements Reporter {
  private readonly folder = mkdtempSync(join(tmpdir(), 'tradepost-cost-'));
  /** CPU milliseconds of each process as last seen, by its id and start. */
  private readonly processes = new Map<string, { kind: string; spec: string; cpuMs: number }>();
  private readonly startedAtMs = performance.now();
  private timer: NodeJS.Timeout | undefined;

  onInit(): void {
    process.env[COST_FOLDER] = this.folder;
    this.timer = setInterval(() => this.sample(), SAMPLE_INTERVAL_MS);
    this.timer.unref();
  }

  onTestRunEnd(): void {
    clearInterval(this.timer);
    this.sample();
    const specs = readdirSync(this.folder)
      .filter((name) => name.includes('-'))
      .map((name) => JSON.parse(readFileSync(join(this.folder, name), 'utf8')) as SpecCost);
    rmSync(this.folder, { recursive: true });
    process.stdout.write(`\n${this.kindTable()}\n\n${this.specTable(specs)}\n`);
  }

  private sample(): void {
    for (const sample of readProcesses(process.pid)) {
      const key = `${sample.pid} ${sample.startedAt}`;
      const known = this.processes.get(key);
      if (known !== undefined) {
        known.cpuMs = Math.max(known.cpuMs, sample.cpuMs);
        // A process that was forked shows its parent's command line until it runs its own, and one that has ended none.
        if (sample.kind !== ENDED) known.kind = sample.kind;
        if (known.spec === '') known.spec = this.specOf(sample);
      } else {
        this.processes.set(key, { kind: sample.kind, spec: this.specOf(sample), cpuMs: sample.cpuMs });
      }
    }
  }

  /** The spec file that a worker runs at present, for what belongs to that worker; else empty. */
  private specOf({ workerPid }: ProcessSample): string {
    if (workerPid === undefined) return '';
    try {
      return JSON.parse(readFileSync(join(this.folder, `${workerPid}.json`), 'utf8')) as string;
    } catch {
      return '';
    }
  }

  private kindTable(): string {
    const sums = new Map<string, number>();
    for (const { kind, cpuMs } of this.processes.values()) sums.set(kind, (sums.get(kind) ?? 0) + cpuMs);
    const rows = [...sums].sort(([, one], [, other]) => other - one);
    const total = rows.reduce((sum, [, cpuMs]) => sum + cpuMs, 0);
    return [
      `CPU by kind of process: ${seconds(total)} s in all, ${seconds(performance.now() - this.startedAtMs)} s of wall`,
      ...rows.map(([kind, cpuMs]) => `${seconds(cpuMs).padStart(9)}  ${kind}`),
    ].join('\n');
  }

  private specTable(specs: readonly SpecCost[]): string {
    const others = new Map<string, Map<string, number>>();
    for (const { kind, spec, cpuMs } of this.processes.values()) {
      if (spec === '' || kind === 'worker') continue;
      const kinds = others.get(spec) ?? new Map<string, number>();
      others.set(spec, kinds.set(kind, (kinds.get(kind) ?? 0) + cpuMs));
    }
    const rows = specs
      .map(({ spec, workerMs, wallMs }) => {
        const kinds = [...(others.get(spec) ?? [])].sort(([, one], [, other]) => other - one);
        const otherMs = kinds.reduce((sum, [, cpuMs]) => sum + cpuMs, 0);
        return { spec, workerMs, wallMs, kinds, totalMs: workerMs + otherMs };
      })
      .sort((one, other) => other.totalMs - one.totalMs);
    return [
      'CPU by spec file, in seconds',
      '    total   worker     wall  spec file, with the other processes that it used',
      ...rows.map(({ spec, totalMs, workerMs, wallMs, kinds }) => {
        const columns = [totalMs, workerMs, wallMs].map((ms) => seconds(ms).padStart(9)).join('');
        const used = kinds.map(([kind, cpuMs]) => `${kind} ${seconds(cpuMs)}`).join(', ');
        return `${columns}  ${relative(process.cwd(), spec)}${used === '' ? '' : ` (${used})`}`;
      }),
    ].join('\n');
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
