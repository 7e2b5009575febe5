/**
 * Commands and effects of large commits are stored deflated: orders are similar, so WAL and disk get a tenth of the
 * bytes or less. The hash covers the unpacked bytes.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Below this it costs more time than it spares. */
const PACKED_FROM_BYTES = 1_000;
/** The fastest that is still small: more effort gives little with texts that are this much alike. */
const LEVEL = 3;
/** The first byte of packed content; unpacked content begins with another byte. */
const PACKED = 0;

/** `bytes` must not begin with a zero. */
export function pack(bytes: Buffer): Buffer {
  if (bytes.length < PACKED_FROM_BYTES) return bytes;
  return Buffer.concat([Buffer.of(PACKED), deflateRawSync(bytes, { level: LEVEL })]);
}

/** @throws where the bytes are damaged */
export function unpack(stored: Buffer): Buffer {
  return stored[0] === PACKED ? inflateRawSync(stored.subarray(1)) : stored;
}
