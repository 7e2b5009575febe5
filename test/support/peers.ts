import { PeerCounts } from '../../src/platform/peers/peer-counts.js';
import { Peers } from '../../src/platform/peers/peers.js';

/** The peers of a process that is alone in its exchange. */
export function noPeers(): Peers {
  return new Peers(null);
}

export function countsWithoutPeers(): PeerCounts {
  return new PeerCounts(noPeers());
}
