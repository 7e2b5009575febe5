import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

/** Fewer than the server takes connections, so that requests go on when sockets are at their limit. */
export const CONNECTIONS_MAX = 8_000;
/** Of one address, behind which a whole office may sit. */
export const CONNECTIONS_PER_ADDRESS_MAX = 2_500;

/** Counts the connections of sockets, and says whether there is room for another. */
export class ConnectionLimits {
  private total = 0;
  private readonly ofAddress = new Map<string, number>();

  constructor(private readonly trustedProxies: number) {}

  hasRoomFor(request: IncomingMessage): boolean {
    const ofAddress = this.ofAddress.get(this.addressOf(request)) ?? 0;
    return this.total < CONNECTIONS_MAX && ofAddress < CONNECTIONS_PER_ADDRESS_MAX;
  }

  /** Counts a connection until the function that is returned is called. */
  count(request: IncomingMessage): () => void {
    const address = this.addressOf(request);
    this.total++;
    this.ofAddress.set(address, (this.ofAddress.get(address) ?? 0) + 1);
    return () => {
      this.total--;
      const left = this.ofAddress.get(address)! - 1;
      if (left === 0) this.ofAddress.delete(address);
      else this.ofAddress.set(address, left);
    };
  }

  /** As Express tells it with the same setting. One subscriber usually holds a whole /64 of IPv6 addresses. */
  private addressOf(request: IncomingMessage): string {
    const address = proxyAddress(request, (_address, hop) => hop < this.trustedProxies);
    return address.includes(':') && !address.includes('.')
      ? address.split(':').slice(0, 4).join(':')
      : address;
  }
}
