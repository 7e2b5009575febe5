import { Inject, Module } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CONFIG, type Config } from '../config/config.js';
import { AgreedTime } from './agreed-time.js';
import { JobLeader } from './job-leader.js';
import { Jobs } from './jobs.js';
import { type PurgedRows, Purges } from './purges.js';

const SERVICES = [AgreedTime, Clock, JobLeader, Jobs, Purges];

/** Background work and its time for every module; needs the database. */
@Module({ providers: SERVICES, exports: SERVICES })
export class JobsModule {
  constructor(purges: Purges, @Inject(CONFIG) { retention: { logsDays } }: Config) {
    if (logsDays !== undefined) purges.add(jobsGivenUp(logsDays));
  }
}

/** Few at any time, in a table whose other rows are about to run. */
function jobsGivenUp(days: number): PurgedRows {
  return {
    table: 'graphile_worker._private_jobs',
    key: ['id'],
    over: `attempts >= max_attempts AND locked_at IS NULL AND updated_at < now() - interval '${days} days'`,
    orderBy: 'updated_at',
  };
}
