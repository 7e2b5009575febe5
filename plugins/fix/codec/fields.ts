/** A tag and its value; each character is one byte. */
export type Field = readonly [tag: number, value: string];

/** Values of SessionRejectReason (373). */
export const REJECT_REASON = {
  invalidTagNumber: 0,
  requiredTagMissing: 1,
  noValue: 4,
  valueIncorrect: 5,
  incorrectFormat: 6,
  compIdProblem: 9,
  sendingTimeProblem: 10,
  invalidMsgType: 11,
  tagTwice: 13,
  outOfOrder: 14,
  groupCountIncorrect: 16,
} as const;

export type RejectReason = (typeof REJECT_REASON)[keyof typeof REJECT_REASON];

/** A field for which a message is refused, with Reject (3). */
export class RejectedField extends Error {
  constructor(
    /** 0 where the field has no number. */
    readonly tag: number,
    readonly reason: RejectReason,
    message: string,
  ) {
    super(message);
  }
}

const SEQUENCE = /^\d{1,15}$/;
const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;
const UTC_TIME = /^(\d{4})(\d\d)(\d\d)-(\d\d:\d\d:(?:[0-5]\d))(\.\d{3,9})?$/;

/** Fields in their order, some of them in repeating groups. */
export class Fields {
  private readonly first = new Map<number, string>();

  constructor(readonly entries: readonly Field[]) {
    for (const [tag, value] of entries) if (!this.first.has(tag)) this.first.set(tag, value);
  }

  /** The first one of a tag. */
  text(tag: number): string | undefined {
    return this.first.get(tag);
  }

  /** Throws `RejectedField`. */
  requiredText(tag: number): string {
    return this.required(tag, (fields) => fields.text(tag));
  }

  /** What `read` gives. Throws `RejectedField` where that is nothing. */
  required<Value>(tag: number, read: (fields: this, tag: number) => Value | undefined): Value {
    const value = read(this, tag);
    if (value === undefined)
      throw new RejectedField(tag, REJECT_REASON.requiredTagMissing, 'Required tag missing.');
    return value;
  }

  /** A whole number from 0. */
  sequence(tag: number): number | undefined {
    return this.matching(tag, SEQUENCE, Number);
  }

  /** A price or a quantity, as it was sent. */
  decimal(tag: number): string | undefined {
    return this.matching(tag, DECIMAL, (text) => text);
  }

  flag(tag: number): boolean {
    return this.choice(tag, { Y: true, N: false }) ?? false;
  }

  /** A UTCTimestamp, in milliseconds. */
  timeMs(tag: number): number | undefined {
    const timeMs = this.matching(tag, UTC_TIME, (text) => {
      const [, year, month, day, time, fraction = ''] = UTC_TIME.exec(text)!;
      return Date.parse(`${year}-${month}-${day}T${time}${fraction.slice(0, 4)}Z`);
    });
    if (Number.isNaN(timeMs)) throw incorrectFormat(tag);
    return timeMs;
  }

  /** What a value stands for. Throws `RejectedField` for values that are none of the keys. */
  choice<Value>(tag: number, choices: Readonly<Record<string, Value>>): Value | undefined {
    const text = this.text(tag);
    if (text === undefined) return undefined;
    if (!Object.hasOwn(choices, text)) {
      throw new RejectedField(tag, REJECT_REASON.valueIncorrect, 'Value is incorrect (out of range).');
    }
    return choices[text];
  }

  /**
   * The instances of a repeating group, each of which begins with `members[0]`. Throws `RejectedField` where there are
   * more or fewer than the counter says.
   */
  group(counter: number, members: readonly number[]): Fields[] | undefined {
    const count = this.sequence(counter);
    if (count === undefined) return undefined;
    const known = new Set(members);
    const instances: Field[][] = [];
    const start = this.entries.findIndex(([tag]) => tag === counter) + 1;
    for (const entry of this.entries.slice(start)) {
      if (!known.has(entry[0])) break;
      if (entry[0] === members[0]) instances.push([]);
      if (instances.length === 0) break;
      instances.at(-1)!.push(entry);
    }
    if (instances.length !== count) {
      throw new RejectedField(
        counter,
        REJECT_REASON.groupCountIncorrect,
        'Incorrect NumInGroup count for repeating group.',
      );
    }
    return instances.map((instance) => new Fields(instance));
  }

  /** Throws `RejectedField` where a tag comes twice, but for those of repeating groups. */
  requireOnce(mayRepeat: ReadonlySet<number>): void {
    const seen = new Set<number>();
    for (const [tag] of this.entries) {
      if (seen.has(tag) && !mayRepeat.has(tag)) {
        throw new RejectedField(tag, REJECT_REASON.tagTwice, 'Tag appears more than once.');
      }
      seen.add(tag);
    }
  }

  private matching<Value>(tag: number, pattern: RegExp, read: (text: string) => Value): Value | undefined {
    const text = this.text(tag);
    if (text === undefined) return undefined;
    if (!pattern.test(text)) throw incorrectFormat(tag);
    return read(text);
  }
}

function incorrectFormat(tag: number): RejectedField {
  return new RejectedField(tag, REJECT_REASON.incorrectFormat, 'Incorrect data format for value.');
}
