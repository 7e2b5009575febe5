import type { Field } from './fields.js';
import { checkSumOf } from './frame-reader.js';
import { TAG } from './tags.js';

export const BEGIN_STRING = 'FIX.4.4';
const SOH = '\x01';

/** What the header of an outgoing message says. */
export interface OutgoingHeader {
  readonly msgType: string;
  readonly sequence: number;
  readonly senderCompId: string;
  readonly targetCompId: string;
  readonly sendingTimeMs: number;
  /** When it was sent first; set for messages that are sent again. */
  readonly origSendingTimeMs?: number;
}

/** A whole message; `body` comes from `encodeBody`. */
export function encodeMessage(header: OutgoingHeader, body: string): Buffer {
  const { origSendingTimeMs } = header;
  const content =
    encodeBody([
      [TAG.MsgType, header.msgType],
      [TAG.SenderCompID, header.senderCompId],
      [TAG.TargetCompID, header.targetCompId],
      [TAG.MsgSeqNum, String(header.sequence)],
      ...(origSendingTimeMs === undefined ? [] : [[TAG.PossDupFlag, 'Y'] as const]),
      [TAG.SendingTime, utcTimeOf(header.sendingTimeMs)],
      ...(origSendingTimeMs === undefined
        ? []
        : [[TAG.OrigSendingTime, utcTimeOf(origSendingTimeMs)] as const]),
    ]) + body;
  const summed = Buffer.from(`8=${BEGIN_STRING}${SOH}9=${content.length}${SOH}${content}`, 'latin1');
  return Buffer.concat([summed, Buffer.from(`10=${checkSumOf(summed)}${SOH}`, 'latin1')]);
}

/** Fields as they stand in a message. What is no printable ASCII becomes a question mark, so it can end no field. */
export function encodeBody(fields: readonly Field[]): string {
  return fields.map(([tag, value]) => `${tag}=${value.replace(/[^\x20-\x7e]/g, '?')}${SOH}`).join('');
}

/** A UTCTimestamp with milliseconds. */
export function utcTimeOf(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
}

/** A UTCTimestamp of an RFC 3339 time in UTC. */
export function utcTimeOfIso(time: string): string {
  return utcTimeOf(Date.parse(time));
}
