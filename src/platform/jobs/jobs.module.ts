import { Global, Module } from '@nestjs/common';
import { JobLeader } from './job-leader.js';
import { Jobs } from './jobs.js';
import { Purges } from './purges.js';

/** Background work for every module; needs the database. */
@Global()
@Module({ providers: [JobLeader, Jobs, Purges], exports: [JobLeader, Jobs, Purges] })
export class JobsModule {}
