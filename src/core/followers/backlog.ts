import { Boundary } from '../../kit/tracing/boundary.js';
import { monotonicMs } from '../clock/command-clock.js';

/** Traces of commits that a step links to; more say no more. */
const TRACES_MAX = 1_000;

const steps = new Boundary();

/** How old what waits is, for a follower whose steps each take up all that there was when the step began. */
export class Backlog {
  private oldestMs: number | null = null;
  /** The oldest that the present step may not see. */
  private oldestOfNextMs: number | null = null;
  private traces: string[] = [];

  /** `name` is the follower's. */
  constructor(private readonly name: string) {}

  get lagMs(): number {
    return this.oldestMs === null ? 0 : monotonicMs() - this.oldestMs;
  }

  /** Something to take up was committed, by a commit that may be traced. */
  add(trace: string | undefined): void {
    const nowMs = monotonicMs();
    this.oldestMs ??= nowMs;
    this.oldestOfNextMs ??= nowMs;
    if (trace !== undefined && this.traces.length < TRACES_MAX) this.traces.push(trace);
  }

  /**
   * Runs a step, which answers whether it has taken up everything. Where it fails or leaves something, that is as old as
   * before.
   */
  async step(work: () => Promise<boolean>): Promise<boolean> {
    this.oldestOfNextMs = null;
    const links = this.traces;
    this.traces = [];
    const isAll = await (links.length === 0
      ? work()
      : steps.run(`follow ${this.name}`, work, () => ({ links })));
    if (isAll) this.oldestMs = this.oldestOfNextMs;
    return isAll;
  }
}
