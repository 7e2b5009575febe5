import { Global, Inject, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { JobLeader } from './job-leader.js';
import { Jobs } from './jobs.js';
import { type PurgedRows, Purges } from './purges.js';

/** Background work for every module; needs the database. */
@Global()
@Module({ providers: [JobLeader, Jobs, Purges], exports: [JobLeader, Jobs, Purges] })
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
