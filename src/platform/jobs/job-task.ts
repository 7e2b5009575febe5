/**
 * A kind of job, as those who add jobs and the one who carries them out know it: declare it once as a constant.
 * Its name is stored, so it stays, and so does the shape of its payloads, which are JSON.
 */
export class JobTask<Payload extends object> {
  /** Only for the compiler: jobs of one task take no payload of another. */
  declare protected readonly payload: Payload;

  constructor(
    /** Unique among all tasks, such as `news.poll_feed`. */
    readonly name: string,
    /** How often a job is tried before it is given up; the pauses between grow from seconds to hours. */
    readonly attemptsMax = 25,
  ) {}
}

/** What a job may know about its run. */
export interface JobRun {
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborts when the service stops and has waited for a while: what still runs should give up. */
  readonly signal: AbortSignal;
}

/** Carries out one job. May be called again for a job that it has done, so its steps are idempotent; rejects to be tried again. */
export type JobWork<Payload extends object> = (payload: Payload, run: JobRun) => Promise<void>;

export interface JobOptions {
  /** Not before then; at once where absent. */
  readonly runAt?: Date;
  /** Of the jobs under one key only the newest is kept: it takes the place of one that has not begun yet. */
  readonly key?: string;
  /** Whether a job that takes another's place comes at its own time (as by default) or at the time of the other. */
  readonly keyMode?: 'replace' | 'preserve_run_at';
  /** Jobs of one queue run one after the other. Queues are rows: name few of them. */
  readonly queue?: string;
}
