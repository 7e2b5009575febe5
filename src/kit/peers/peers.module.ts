import { Module } from '@nestjs/common';
import { PeerCounts } from './peer-counts.js';
import { Peers } from './peers.js';

/** The other processes of the same exchange. */
@Module({ providers: [Peers, PeerCounts], exports: [Peers, PeerCounts] })
export class PeersModule {}
