import { BEGIN_STRING, utcTimeOf } from '../codec/encode.js';
import { type Field, RejectedField, REJECT_REASON, type RejectReason } from '../codec/fields.js';
import type { FixMessage } from '../codec/fix-message.js';
import { GROUP_TAGS, isMsgType, MSG_TYPE, TAG } from '../codec/tags.js';

/** How far the time of a message may be off. */
const SENDING_TIME_OFF_MS_MAX = 120_000;
/** How much longer than the heartbeat interval a client may be silent, for what is on its way. */
const GRACE = 1.2;
const NO_TAGS: ReadonlySet<number> = new Set();
const SEQUENCE_MAX = 999_999_999_999;

/** The two ends of a session, as seen from here. */
export interface SessionNames {
  /** SenderCompID of the client. */
  readonly client: string;
  /** Our own CompID. */
  readonly own: string;
}

/** What is to be done, in this order. */
export type Step =
  | { readonly do: 'send'; readonly msgType: string; readonly fields: readonly Field[] }
  /** An application message, of which nobody knows yet whether it is well-formed. */
  | { readonly do: 'deliver'; readonly message: FixMessage; readonly sequence: number }
  /** Send again what was sent under these numbers; `to` is the last one. */
  | { readonly do: 'resend'; readonly from: number; readonly to: number }
  /** Disconnect, after what was to be sent before. */
  | { readonly do: 'end' };

/**
 * The rules of a session of FIX 4.4, on the side of the acceptor: sequence numbers, heartbeats, resend requests and
 * log-outs. Without I/O and without a clock: it takes messages and the time, and says what is to be done.
 */
export class Session {
  private heartBeatMs = 0;
  private lastReceivedMs = 0;
  private lastSentMs = 0;
  /** When a TestRequest was sent that is not answered. */
  private testedMs: number | undefined;
  /** Numbers up to this one were asked for, since they are missing. */
  private gapEnd = 0;
  private gapAskedMs = 0;
  private hasEnded = false;

  constructor(
    private readonly names: SessionNames,
    private expected: number,
  ) {}

  /** The number of the next message that is taken. */
  get nextIncoming(): number {
    return this.expected;
  }

  /** The answer to a Logon whose sender is known. Those that reset the numbers have set them to 1 before. */
  logOn(message: FixMessage, nowMs: number): Step[] {
    return this.guarded(message, () => {
      const { fields, sequence } = message;
      this.lastReceivedMs = nowMs;
      const isReset = fields.flag(TAG.ResetSeqNumFlag);
      const heartBeatS = logOnTermsOf(message);
      if (isReset && sequence !== 1) return this.logOut('MsgSeqNum must be 1 with ResetSeqNumFlag.');
      if (sequence < this.expected) return this.logOut(tooLow(this.expected, sequence));
      this.heartBeatMs = heartBeatS * 1_000;
      const answer = this.send(
        MSG_TYPE.Logon,
        [TAG.EncryptMethod, '0'],
        [TAG.HeartBtInt, String(heartBeatS)],
        ...(isReset ? [[TAG.ResetSeqNumFlag, 'Y'] as const] : []),
      );
      if (sequence > this.expected) return [answer, ...this.askAgain(sequence, nowMs)];
      this.expected++;
      return [answer];
    });
  }

  /** What a message after the Logon calls for. */
  receive(message: FixMessage, nowMs: number): Step[] {
    if (this.hasEnded) return [];
    this.heard(nowMs);
    return this.guarded(message, () => {
      const { fields, msgType } = message;
      if (fields.text(TAG.BeginString) !== BEGIN_STRING) return this.logOut('Incorrect BeginString.');
      if (fields.text(TAG.MsgSeqNum) === undefined) return this.logOut('MsgSeqNum is missing.');
      const { sequence } = message;
      if (msgType === MSG_TYPE.SequenceReset && fields.text(TAG.GapFillFlag) !== 'Y') {
        return this.reset(message, sequence);
      }
      if (sequence < this.expected) {
        return message.isPossibleDuplicate ? [] : this.logOut(tooLow(this.expected, sequence));
      }
      if (sequence > this.expected) return this.takeEarly(message, sequence, nowMs);
      this.expected++;
      return this.take(message, sequence, nowMs);
    });
  }

  /** What the time calls for; to be asked every second or so. */
  tick(nowMs: number): Step[] {
    if (this.hasEnded) return [];
    const silenceMsMax = this.heartBeatMs * GRACE;
    if (this.testedMs !== undefined) {
      return nowMs - this.testedMs > silenceMsMax ? this.logOut('The TestRequest was not answered.') : [];
    }
    if (nowMs - this.lastReceivedMs > silenceMsMax) {
      this.testedMs = nowMs;
      return [this.send(MSG_TYPE.TestRequest, [TAG.TestReqID, utcTimeOf(nowMs)])];
    }
    return nowMs - this.lastSentMs >= this.heartBeatMs ? [this.send(MSG_TYPE.Heartbeat)] : [];
  }

  /** Something came of the client, whenever that is worked off. */
  heard(nowMs: number): void {
    this.lastReceivedMs = nowMs;
    this.testedMs = undefined;
  }

  /** Something was sent. */
  sent(nowMs: number): void {
    this.lastSentMs = nowMs;
  }

  /** A Logout that is not answered any more. */
  logOut(text: string): Step[] {
    if (this.hasEnded) return [];
    this.hasEnded = true;
    return [this.send(MSG_TYPE.Logout, [TAG.Text, text]), { do: 'end' }];
  }

  /** The Reject of a message that was taken. */
  reject(message: FixMessage, { tag, reason, message: text }: RejectedField): Step {
    return this.send(
      MSG_TYPE.Reject,
      [TAG.RefSeqNum, message.fields.text(TAG.MsgSeqNum) ?? '0'],
      ...(tag === 0 ? [] : [[TAG.RefTagID, String(tag)] as const]),
      ...(message.msgType === '' ? [] : [[TAG.RefMsgType, message.msgType] as const]),
      [TAG.SessionRejectReason, String(reason)],
      [TAG.Text, text],
    );
  }

  /** A message whose number is the next one. */
  private take(message: FixMessage, sequence: number, nowMs: number): Step[] {
    if (message.fault !== undefined) throw message.fault;
    const problem = this.headerProblemOf(message, nowMs);
    if (problem !== undefined) return [this.reject(message, problem), ...this.logOut(problem.message)];
    const { fields, msgType } = message;
    fields.requireOnce(GROUP_TAGS.get(msgType) ?? NO_TAGS);
    switch (msgType) {
      case MSG_TYPE.Heartbeat:
      case MSG_TYPE.Reject:
        return [];
      case MSG_TYPE.TestRequest:
        return [this.send(MSG_TYPE.Heartbeat, [TAG.TestReqID, fields.requiredText(TAG.TestReqID)])];
      case MSG_TYPE.ResendRequest:
        return [rangeOf(message)];
      case MSG_TYPE.SequenceReset:
        return this.fillGap(message, sequence);
      case MSG_TYPE.Logout:
        return this.logOut('Logged out.');
      case MSG_TYPE.Logon:
        return this.logOut('Already logged on.');
      default:
        if (isMsgType(msgType)) return [{ do: 'deliver', message, sequence }];
        throw new RejectedField(TAG.MsgType, REJECT_REASON.invalidMsgType, 'Invalid MsgType.');
    }
  }

  /** A message before which others are missing: it will be sent again with them, but for what cannot wait. */
  private takeEarly(message: FixMessage, sequence: number, nowMs: number): Step[] {
    if (sequence > SEQUENCE_MAX) return this.logOut('MsgSeqNum is too high.');
    if (message.msgType === MSG_TYPE.Logout) return this.logOut('Logged out.');
    // Where both sides miss something, each must answer the other.
    const first = message.msgType === MSG_TYPE.ResendRequest ? [rangeOf(message)] : [];
    return [...first, ...this.askAgain(sequence, nowMs)];
  }

  /** Asks once for a gap, and again only where nothing came of it. */
  private askAgain(sequence: number, nowMs: number): Step[] {
    const isAsked = this.gapEnd >= this.expected && nowMs - this.gapAskedMs < this.heartBeatMs;
    this.gapEnd = Math.max(this.gapEnd, sequence);
    if (isAsked) return [];
    this.gapAskedMs = nowMs;
    return [this.send(MSG_TYPE.ResendRequest, [TAG.BeginSeqNo, String(this.expected)], [TAG.EndSeqNo, '0'])];
  }

  private headerProblemOf(message: FixMessage, nowMs: number): RejectedField | undefined {
    const { fields, isPossibleDuplicate } = message;
    for (const [tag, name] of [
      [TAG.SenderCompID, this.names.client],
      [TAG.TargetCompID, this.names.own],
    ] as const) {
      if (fields.requiredText(tag) !== name)
        return new RejectedField(tag, REJECT_REASON.compIdProblem, 'CompID problem.');
    }
    const sendingTimeMs = fields.required(TAG.SendingTime, (each, tag) => each.timeMs(tag));
    const isOff = Math.abs(nowMs - sendingTimeMs) > SENDING_TIME_OFF_MS_MAX;
    if (isOff) return sendingTimeProblem(TAG.SendingTime);
    if (!isPossibleDuplicate || message.msgType === MSG_TYPE.SequenceReset) return undefined;
    const origSendingTimeMs = fields.required(TAG.OrigSendingTime, (each, tag) => each.timeMs(tag));
    return origSendingTimeMs > sendingTimeMs ? sendingTimeProblem(TAG.OrigSendingTime) : undefined;
  }

  /** SequenceReset in mode Reset: whatever number it has itself. */
  private reset(message: FixMessage, sequence: number): Step[] {
    if (message.fault !== undefined) throw message.fault;
    const next = newSequenceOf(message);
    if (next < this.expected) {
      // Refused under its own number, which is taken where it is the next one.
      if (sequence === this.expected) this.expected++;
      throw incorrect(TAG.NewSeqNo);
    }
    this.expected = next;
    return [];
  }

  /** SequenceReset in mode GapFill: nothing is to be expected before a number. */
  private fillGap(message: FixMessage, sequence: number): Step[] {
    const next = newSequenceOf(message);
    if (next <= sequence) throw incorrect(TAG.NewSeqNo);
    this.expected = next;
    return [];
  }

  private guarded(message: FixMessage, work: () => Step[]): Step[] {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof RejectedField)) throw error;
      return [this.reject(message, error)];
    }
  }

  private send(msgType: string, ...fields: readonly Field[]): Step {
    return { do: 'send', msgType, fields };
  }
}

const HEARTBEAT_S_MAX = 300;

/** The heartbeat interval in seconds. Throws `RejectedField` for a Logon that has none, or asks for encryption. */
export function logOnTermsOf({ fields }: FixMessage): number {
  fields.required(TAG.EncryptMethod, (each, tag) => each.choice(tag, { 0: true }));
  const heartBeatS = fields.required(TAG.HeartBtInt, (each, tag) => each.sequence(tag));
  if (heartBeatS < 1 || heartBeatS > HEARTBEAT_S_MAX) throw incorrect(TAG.HeartBtInt);
  return heartBeatS;
}

function rangeOf({ fields }: FixMessage): Step {
  const from = fields.required(TAG.BeginSeqNo, (each, tag) => each.sequence(tag));
  const to = fields.required(TAG.EndSeqNo, (each, tag) => each.sequence(tag));
  if (from < 1) throw incorrect(TAG.BeginSeqNo);
  if (to !== 0 && to < from) throw incorrect(TAG.EndSeqNo);
  return { do: 'resend', from, to: to === 0 ? Infinity : to };
}

function newSequenceOf({ fields }: FixMessage): number {
  const next = fields.required(TAG.NewSeqNo, (each, tag) => each.sequence(tag));
  if (next < 1 || next > SEQUENCE_MAX) throw incorrect(TAG.NewSeqNo);
  return next;
}

function incorrect(tag: number): RejectedField {
  return new RejectedField(tag, REJECT_REASON.valueIncorrect satisfies RejectReason, 'Value is incorrect.');
}

function sendingTimeProblem(tag: number): RejectedField {
  return new RejectedField(tag, REJECT_REASON.sendingTimeProblem, 'SendingTime accuracy problem.');
}

function tooLow(expected: number, received: number): string {
  return `MsgSeqNum too low, expecting ${expected} but received ${received}.`;
}
