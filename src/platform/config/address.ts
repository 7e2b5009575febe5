import { isIPv6 } from 'node:net';

/** Whether only this machine can reach the host. */
export function isLoopback(hostName: string): boolean {
  return hostName === 'localhost' || hostName === '::1' || /^127(\.\d{1,3}){3}$/.test(hostName);
}

/** Where clients on the same machine reach a service that listens there. */
export function addressOf(hostName: string, port: number): string {
  // A wildcard is where to listen, not where anybody could go to.
  const reachable = hostName === '0.0.0.0' || hostName === '::' ? 'localhost' : hostName;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
