import { performance } from 'node:perf_hooks';
import { percentile } from '../../scripts/support/statistics.js';

export interface LoadResult {
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<number, number>>;
  /** The first answer of status 400 or more, as it came. */
  readonly refusal?: string;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** `startedAt` by the clock of `performance`. */
export function loadResult(
  statuses: LoadResult['statuses'],
  latenciesMs: readonly number[],
  startedAt: number,
): LoadResult {
  return {
    statuses,
    seconds: (performance.now() - startedAt) / 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    maxMs: percentile(latenciesMs, 1),
  };
}
