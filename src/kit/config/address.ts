import { isIPv6 } from 'node:net';

/** Whether the host is a loopback address. */
export function isLoopback(hostName: string): boolean {
  return hostName === 'localhost' || hostName === '::1' || /^127(\.\d{1,3}){3}$/.test(hostName);
}

/** The URL for clients on the same machine. */
export function addressOf(hostName: string, port: number): string {
  // A wildcard is an address to listen on, not to connect to.
  const reachable = hostName === '0.0.0.0' || hostName === '::' ? 'localhost' : hostName;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
