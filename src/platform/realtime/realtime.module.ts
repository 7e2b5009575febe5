import { Global, Module } from '@nestjs/common';
import { ConnectionLimits } from './connection-limits.js';
import { OpenStreams } from './open-streams.js';

/** What sockets and event streams stand on. */
@Global()
@Module({ providers: [ConnectionLimits, OpenStreams], exports: [ConnectionLimits, OpenStreams] })
export class RealtimeModule {}
