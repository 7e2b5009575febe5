import { isIPv4, isIPv6, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a proxy tells of its client before the client's first byte (PROXY protocol, versions 1 and 2). */
export interface ProxyHeader {
  readonly byteLength: number;
  /** Null where the proxy speaks for itself, as it does to see whether a server is alive. */
  readonly address: string | null;
}

const V1_BEGIN = Buffer.from('PROXY ', 'latin1');
const V1_BYTES_MAX = 107;
const V1 =
  /^PROXY (?:UNKNOWN(?: [^\r\n]*)?|(TCP4|TCP6) ([0-9a-fA-F:.]+) ([0-9a-fA-F:.]+) (\d{1,5}) (\d{1,5}))\r\n/;
const PORT_MAX = 65_535;

const V2_BEGIN = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_FIXED_BYTES = 16;
/** Addresses and what else proxies tell, such as of TLS. */
const V2_REST_BYTES_MAX = 4_096;
const V2_LOCAL = 0x20;
const V2_PROXY = 0x21;
const V2_UNSPECIFIED = 0x00;
/** By family and transport: how long an address is, and how long both are with their ports. */
const V2_TCP = new Map([
  [0x11, { addressBytes: 4, bytes: 12 }],
  [0x21, { addressBytes: 16, bytes: 36 }],
]);

/** Reads the header at the beginning of what came. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (beginsLike(bytes, V2_BEGIN)) return readV2(bytes);
  return beginsLike(bytes, V1_BEGIN) ? readV1(bytes) : 'malformed';
}

/** Takes the header off a socket, and hangs up where there is none. What comes behind it stays to be read. */
export function takeProxyHeader(socket: Socket, onHeader: (header: ProxyHeader) => void): void {
  let received: Buffer = Buffer.alloc(0);
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    received = Buffer.concat([received, chunk]);
    const header = readProxyHeader(received);
    if (header === 'incomplete') return;
    socket.off('readable', read);
    if (header === 'malformed') {
      socket.destroy();
      return;
    }
    if (received.length > header.byteLength) socket.unshift(received.subarray(header.byteLength));
    onHeader(header);
  };
  socket.on('readable', read);
}

function beginsLike(bytes: Buffer, begin: Buffer): boolean {
  const length = Math.min(bytes.length, begin.length);
  return bytes.subarray(0, length).equals(begin.subarray(0, length));
}

function readV1(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  const text = bytes.toString('latin1', 0, V1_BYTES_MAX);
  const header = V1.exec(text);
  if (header === null)
    return text.includes('\n') || text.length === V1_BYTES_MAX ? 'malformed' : 'incomplete';
  const [{ length: byteLength }, family, source, target, ...ports] = header as unknown as [
    string,
    ...string[],
  ];
  if (family === undefined) return { byteLength, address: null };
  const isAddress = family === 'TCP4' ? isIPv4 : isIPv6;
  const isWhole = isAddress(source!) && isAddress(target!) && ports.every((port) => Number(port) <= PORT_MAX);
  return isWhole ? { byteLength, address: source! } : 'malformed';
}

function readV2(bytes: Buffer): ProxyHeader | 'incomplete' | 'malformed' {
  if (bytes.length < V2_FIXED_BYTES) return 'incomplete';
  const [command, kind] = [bytes[12]!, bytes[13]!];
  const restBytes = bytes.readUInt16BE(14);
  const byteLength = V2_FIXED_BYTES + restBytes;
  const isLocal = command === V2_LOCAL || (command === V2_PROXY && kind === V2_UNSPECIFIED);
  const tcp = command === V2_PROXY ? V2_TCP.get(kind) : undefined;
  if (!(isLocal || (tcp !== undefined && restBytes >= tcp.bytes)) || restBytes > V2_REST_BYTES_MAX) {
    return 'malformed';
  }
  if (bytes.length < byteLength) return 'incomplete';
  if (isLocal) return { byteLength, address: null };
  const source = bytes.subarray(V2_FIXED_BYTES, V2_FIXED_BYTES + tcp!.addressBytes);
  return { byteLength, address: ipaddr.fromByteArray([...source]).toString() };
}
