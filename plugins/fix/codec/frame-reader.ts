/** Bytes of the largest message that is read. */
export const MESSAGE_BYTES_MAX = 8_192;

const BEGIN = '8=FIX';
const SOH = 0x01;
/** BeginString and BodyLength are no longer than this together. */
const PREFIX_BYTES_MAX = 32;
// Control characters are what FIX is made of.
// eslint-disable-next-line no-control-regex
const PREFIX = /^8=FIX[^\x01]{0,12}\x019=(\d{1,9})\x01/;
// eslint-disable-next-line no-control-regex
const TRAILER = /^10=(\d{3})\x01$/;
const TRAILER_BYTES = 7;

/**
 * Cuts a stream of bytes into messages. What is garbled (no BeginString, a wrong BodyLength or CheckSum) is skipped up to
 * the next BeginString and counted, as the standard wants; it never reaches the session.
 */
export class FrameReader {
  private buffered: Buffer = Buffer.alloc(0);
  /** How often something was skipped. */
  garbled = 0;

  /** Bytes that wait for the rest of their message. */
  get bufferedBytes(): number {
    return this.buffered.length;
  }

  push(chunk: Buffer): void {
    this.buffered = this.buffered.length === 0 ? chunk : Buffer.concat([this.buffered, chunk]);
  }

  /** The next whole message; `undefined` until more bytes come. */
  next(): Buffer | undefined {
    while (this.skipToBegin()) {
      const prefix = PREFIX.exec(this.buffered.toString('latin1', 0, PREFIX_BYTES_MAX));
      if (prefix === null) {
        if (this.buffered.length < PREFIX_BYTES_MAX && !this.hasTwoFields()) return undefined;
        this.skipBegin();
        continue;
      }
      const bodyEnd = prefix[0].length + Number(prefix[1]);
      const end = bodyEnd + TRAILER_BYTES;
      if (end > MESSAGE_BYTES_MAX) {
        this.skipBegin();
        continue;
      }
      if (this.buffered.length < end) return undefined;
      const trailer = TRAILER.exec(this.buffered.toString('latin1', bodyEnd, end));
      if (trailer === null) {
        this.skipBegin();
        continue;
      }
      const frame = this.buffered.subarray(0, end);
      this.buffered = this.buffered.subarray(end);
      if (checkSumOf(frame.subarray(0, bodyEnd)) === trailer[1]) return frame;
      this.garbled++;
    }
    return undefined;
  }

  /** Drops what stands before a BeginString; false where there is none yet. */
  private skipToBegin(): boolean {
    const begin = this.buffered.indexOf(BEGIN, 0, 'latin1');
    if (begin === 0) return true;
    // The last bytes may be the first ones of a BeginString.
    const dropped = begin > 0 ? begin : Math.max(0, this.buffered.length - BEGIN.length + 1);
    if (dropped > 0) {
      this.garbled++;
      this.buffered = this.buffered.subarray(dropped);
    }
    return begin > 0;
  }

  private skipBegin(): void {
    this.garbled++;
    this.buffered = this.buffered.subarray(BEGIN.length);
  }

  private hasTwoFields(): boolean {
    const first = this.buffered.indexOf(SOH);
    return first !== -1 && this.buffered.includes(SOH, first + 1);
  }
}

/** Three digits: the sum of all bytes, modulo 256. */
export function checkSumOf(bytes: Uint8Array): string {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return String(sum % 256).padStart(3, '0');
}
