/**
 * Messages that only a process of this exchange can have written. Others who reach the Redis server can neither forge
 * nor change a message, nor replay it later or on another channel.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Older messages are dropped. Receivers recognise repeats for longer than that, and the clocks of the machines differ
 * by less.
 */
const AGE_MS_MAX = 5 * 60_000;
/** Of SHA-256 in base64url. */
const SEAL_LENGTH = 43;
const AFTER_TIME = ':';

/** `channel` is its full name on the server. */
export function sealMessage(key: Buffer, channel: string, payload: string, nowMs = Date.now()): string {
  const timed = `${nowMs}${AFTER_TIME}${payload}`;
  return sealOf(key, channel, timed) + timed;
}

/** The payload, or undefined where the message is to be dropped. */
export function openMessage(
  key: Buffer,
  channel: string,
  message: Buffer,
  nowMs = Date.now(),
): Buffer | undefined {
  const seal = message.subarray(0, SEAL_LENGTH);
  const timed = message.subarray(SEAL_LENGTH);
  const expected = Buffer.from(sealOf(key, channel, timed));
  if (seal.length !== expected.length || !timingSafeEqual(seal, expected)) return undefined;
  const end = timed.indexOf(AFTER_TIME);
  const sentAtMs = Number(timed.subarray(0, end).toString());
  return Math.abs(nowMs - sentAtMs) <= AGE_MS_MAX ? timed.subarray(end + 1) : undefined;
}

function sealOf(key: Buffer, channel: string, timed: string | Buffer): string {
  return createHmac('sha256', key).update(channel).update('\n').update(timed).digest('base64url');
}
