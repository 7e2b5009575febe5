import { Cron } from 'croner';
import type { JobTask } from './job-task.js';

/** The payload of a job that the time has made. */
export interface DueRun {
  /** When it was due, as RFC 3339; the first time where several were missed. */
  readonly due_at: string;
}

/** From which on an expression that is ever due is due again. */
const SOME_TIME = new Date(0);

/** When jobs of a task are due: by a cron expression of five fields, in UTC. */
export class Schedule {
  constructor(
    readonly task: JobTask<DueRun>,
    readonly cron: string,
  ) {}

  /** What is wrong with it, as the end of a sentence; null where nothing is. */
  problem(): string | null {
    try {
      return this.nextAfter(SOME_TIME) === null ? `is never due: "${this.cron}"` : null;
    } catch {
      return `needs a cron expression of five fields, such as "0 6 * * *", and not "${this.cron}"`;
    }
  }

  /** Null where it is never due again. */
  nextAfter(time: Date): Date | null {
    return new Cron(this.cron, { timezone: 'UTC', mode: '5-part' }).nextRun(time);
  }
}
