import { PeerCounts } from '../../src/platform/peers/peer-counts.js';
import { Peers } from '../../src/platform/peers/peers.js';

/** Of a process that is the only one of its exchange. */
export function noPeers(): Peers {
  return new Peers(null);
}

export function countsWithoutPeers(): PeerCounts {
  return new PeerCounts(noPeers());
}
