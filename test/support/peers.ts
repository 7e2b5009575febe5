import { PeerCounts } from '../../src/kit/peers/peer-counts.js';
import { Peers } from '../../src/kit/peers/peers.js';

/** The peers of a process that is alone in its exchange. */
export function noPeers(): Peers {
  return new Peers(null);
}

export function countsWithoutPeers(): PeerCounts {
  return new PeerCounts(noPeers());
}
