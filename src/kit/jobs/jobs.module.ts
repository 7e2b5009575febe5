import { Clock } from '../clock.js';
import { TradepostModule } from '../module/tradepost-module.js';
import { AgreedTime } from './agreed-time.js';
import { JobLeader } from './job-leader.js';
import { Jobs } from './jobs.js';
import { type PurgedRows, Purges } from './purges.js';
import { PluginScheduleEntity } from './plugin-schedule.entity.js';
import { Schedules } from './schedules.js';

const SERVICES = [AgreedTime, Clock, JobLeader, Jobs, Purges, Schedules];

/** Background work and its time for every module; needs the database. */
@TradepostModule({
  name: 'jobs',
  purges: [({ retention: { logsDays } }) => (logsDays === undefined ? [] : [jobsGivenUp(logsDays)])],
  entities: [PluginScheduleEntity],
  duties: [Jobs, Purges, Schedules],
  providers: SERVICES,
  exports: SERVICES,
})
export class JobsModule {}

/** Few at any time, in a table whose other rows are about to run. */
function jobsGivenUp(days: number): PurgedRows {
  return {
    table: 'graphile_worker._private_jobs',
    key: ['id'],
    over: `attempts >= max_attempts AND locked_at IS NULL AND updated_at < now() - interval '${days} days'`,
    orderBy: 'updated_at',
  };
}
