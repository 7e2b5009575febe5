import { Fields, RejectedField, REJECT_REASON } from './fields.js';
import { DATA_TAG_BY_LENGTH_TAG, TAG } from './tags.js';

const SOH = '\x01';
/** A tag, and the equals sign after it. */
const TAG_NUMBER = /^([1-9]\d{0,4})=/;
const TAG_LENGTH_MAX = 6;

/** A message as it came: its header, and its other fields in their order. */
export class FixMessage {
  private constructor(
    readonly msgType: string,
    readonly fields: Fields,
    /** What makes the message unreadable although it is not garbled. */
    readonly fault: RejectedField | undefined,
  ) {}

  /** Reads a whole message, as `FrameReader` cuts it. Never throws. */
  static read(frame: Buffer): FixMessage {
    const text = frame.toString('latin1');
    const entries: [number, string][] = [];
    let fault: RejectedField | undefined;
    let at = 0;
    let dataTag: number | undefined;
    let dataLength = 0;
    while (at < text.length) {
      const soh = text.indexOf(SOH, at);
      const tagText = TAG_NUMBER.exec(text.slice(at, Math.min(soh, at + TAG_LENGTH_MAX)))?.[1];
      if (tagText === undefined) {
        fault ??= new RejectedField(0, REJECT_REASON.invalidTagNumber, `Invalid tag number.`);
        at = soh + 1;
        continue;
      }
      const tag = Number(tagText);
      const equals = at + tagText.length;
      const end = tag === dataTag ? endOfData(text, equals + 1, dataLength) : soh;
      if (end === undefined) {
        fault ??= new RejectedField(tag, REJECT_REASON.valueIncorrect, 'The length of the data is wrong.');
        break;
      }
      const value = text.slice(equals + 1, end);
      if (value === '') fault ??= new RejectedField(tag, REJECT_REASON.noValue, 'Tag without a value.');
      entries.push([tag, value]);
      dataTag = DATA_TAG_BY_LENGTH_TAG.get(tag);
      dataLength = dataTag === undefined ? 0 : Number(value);
      at = end + 1;
    }
    const fields = new Fields(entries);
    if (entries[2]?.[0] !== TAG.MsgType) {
      fault ??= new RejectedField(TAG.MsgType, REJECT_REASON.outOfOrder, 'MsgType must be the third field.');
    }
    return new FixMessage(fields.text(TAG.MsgType) ?? '', fields, fault);
  }

  /** Throws `RejectedField` where it is missing or no number. */
  get sequence(): number {
    return this.fields.required(TAG.MsgSeqNum, (fields, tag) => fields.sequence(tag));
  }

  get isPossibleDuplicate(): boolean {
    return this.fields.text(TAG.PossDupFlag) === 'Y';
  }

  /** Sent a second time, under the same number or another one. */
  get isRepeat(): boolean {
    return this.isPossibleDuplicate || this.fields.text(TAG.PossResend) === 'Y';
  }
}

/** Where data of a length ends; `undefined` where no field ends there. */
function endOfData(text: string, start: number, length: number): number | undefined {
  const end = start + length;
  return Number.isSafeInteger(length) && text[end] === SOH ? end : undefined;
}
