import { Module } from '@nestjs/common';
import { ConnectionLimits } from './connection-limits.js';
import { OpenStreams } from './open-streams.js';
import { PlainSockets } from './plain-sockets.js';
import { SocketConnections } from './socket-connections.js';

/** What sockets and event streams stand on. */
@Module({
  providers: [ConnectionLimits, OpenStreams, PlainSockets, SocketConnections],
  exports: [ConnectionLimits, OpenStreams, PlainSockets, SocketConnections],
})
export class RealtimeModule {}
