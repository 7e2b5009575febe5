import { Global, Module } from '@nestjs/common';
import { OpenStreams } from './open-streams.js';

/** What sockets and event streams stand on. */
@Global()
@Module({ providers: [OpenStreams], exports: [OpenStreams] })
export class RealtimeModule {}
