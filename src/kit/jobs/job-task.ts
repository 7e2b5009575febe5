import type { Type } from '@nestjs/common';

/**
 * A kind of job, shared by producers and the handler: declare it once as a constant. Its name and the JSON shape of its
 * payloads are stored, so keep both.
 */
export class JobTask<Payload extends object> {
  /** Type-level only: a job of one task takes no payload of another. */
  declare protected readonly payload: Payload;
  private owner: string | null = null;

  constructor(
    /** Unique among the tasks of the service, or of a plugin, such as `news.poll_feed`. */
    readonly name: string,
    /** How many attempts a job gets; the pauses between grow from seconds to hours. */
    readonly attemptsMax = 25,
  ) {}

  /** Under which jobs are stored: that of a plugin's task begins with the plugin's. */
  get storedName(): string {
    return this.owner === null ? this.name : `${this.owner}:${this.name}`;
  }

  /** It is of this plugin, which declares it. Answers whether it is of no other. */
  belongTo(plugin: string): boolean {
    this.owner ??= plugin;
    return this.owner === plugin;
  }

  /** Says which object carries these jobs out: list it in `jobs` of the module. */
  handledBy<Handler extends object>(
    handler: Type<Handler>,
    work: (handler: Handler, payload: Payload, run: JobRun) => Promise<void>,
  ): JobHandler {
    return { task: this, handler, work: work as JobHandler['work'] };
  }
}

/** A task with what carries its jobs out. */
export interface JobHandler {
  readonly task: JobTask<object>;
  readonly handler: Type<object>;
  readonly work: (handler: object, payload: object, run: JobRun) => Promise<void>;
}

/** What a job may know about its run. */
export interface JobRun {
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborts when the service stops and has waited for a while: running work should give up. */
  readonly signal: AbortSignal;
}

/** Carries out one job. It may be called again for a finished job, so it must be idempotent; a rejection is retried. */
export type JobWork<Payload extends object> = (payload: Payload, run: JobRun) => Promise<void>;

export interface JobOptions {
  /** Not before this time; at once if absent. */
  readonly runAt?: Date;
  /** Of the jobs with one key only the newest is kept: it replaces one that has not begun yet. */
  readonly key?: string;
  /** Whether a replacing job runs at its own time (the default) or at the time of the replaced one. */
  readonly keyMode?: 'replace' | 'preserve_run_at';
  /** Jobs of one queue run one after the other. Queues are rows, so use few names. */
  readonly queue?: string;
}
