import { Global, Module } from '@nestjs/common';
import { JobLeader } from './job-leader.js';
import { Jobs } from './jobs.js';

/** Background work for every module; needs the database. */
@Global()
@Module({ providers: [JobLeader, Jobs], exports: [JobLeader, Jobs] })
export class JobsModule {}
