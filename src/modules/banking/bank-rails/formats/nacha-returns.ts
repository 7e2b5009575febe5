/**
 * What comes back from the American ACH: entries that the receiving bank has returned, and its notices of
 * change. Both are files of the same records as those that were sent, with an addenda record to each entry.
 */
import { entryHashOf, RECORD_LENGTH } from './nacha.js';

/** A returned entry. The money of a credit is the originator's again. */
export interface NachaReturn {
  /** The 15 digits under which the entry was sent; undefined if they cannot be read. */
  readonly traceNumber: string | undefined;
  /** As written; `R01` to `R85` are those of the rules. Undefined if it says neither return nor notice of change. */
  readonly code: string | undefined;
  readonly amountCents: bigint;
  /** The originator's own text, trimmed. */
  readonly individualId: string;
  /** The receiving bank's own text; may be empty. */
  readonly information: string;
}

/** An entry that was paid, with a correction for the next time. */
export interface NachaNotice {
  readonly traceNumber: string;
  /** `C01` and so on. */
  readonly code: string;
}

export interface NachaReturnFile {
  readonly returns: readonly NachaReturn[];
  readonly notices: readonly NachaNotice[];
}

/** The file is malformed; the message says where, without its content. */
export class UnreadableNacha extends Error {
  constructor(lineNumber: number, problem: string) {
    super(`line ${lineNumber}: ${problem}`);
    this.name = 'UnreadableNacha';
  }
}

interface Line {
  readonly number: number;
  readonly text: string;
}

/** An entry with all its addenda. */
interface Entry {
  readonly line: Line;
  readonly addenda: Line[];
}

/**
 * Reads a file of returns, with or without line breaks between records. The totals of its control records must be
 * right: a truncated file is refused as a whole. What else an entry has wrong is told with that entry. Throws an
 * UnreadableNacha.
 */
export function readNachaReturns(content: string): NachaReturnFile {
  const lines = linesOf(content);
  const returns: NachaReturn[] = [];
  const notices: NachaNotice[] = [];
  const batch = new Sums();
  const file = new Sums();
  let entry: Entry | undefined;
  let isClosed = false;
  const conclude = (): void => {
    if (entry === undefined) return;
    const notice = noticeOf(entry);
    if (notice === undefined) returns.push(returnOf(entry));
    else notices.push(notice);
    entry = undefined;
  };

  for (const [place, line] of lines.entries()) {
    if ((place === 0) !== (line.text.charAt(0) === '1')) {
      throw new UnreadableNacha(line.number, 'a file starts with its one header');
    }
    if (isClosed) {
      if (!/^9+$/.test(line.text)) throw new UnreadableNacha(line.number, 'nothing follows the file’s end');
      continue;
    }
    switch (line.text.charAt(0)) {
      case '1':
        break;
      case '5':
        batch.clear();
        break;
      case '6':
        conclude();
        entry = { line, addenda: [] };
        batch.addEntry(line);
        file.addEntry(line);
        break;
      case '7':
        if (entry === undefined) throw new UnreadableNacha(line.number, 'an addenda without its entry');
        entry.addenda.push(line);
        batch.addAddenda();
        file.addAddenda();
        break;
      case '8':
        conclude();
        batch.compare(line, { count: [4, 10], hash: [10, 20], debits: [20, 32], credits: [32, 44] });
        break;
      case '9':
        conclude();
        file.compare(line, { count: [13, 21], hash: [21, 31], debits: [31, 43], credits: [43, 55] });
        isClosed = true;
        break;
      default:
        throw new UnreadableNacha(line.number, 'no such record');
    }
  }
  if (!isClosed)
    throw new UnreadableNacha(lines.at(-1)?.number ?? 1, 'the file ends without its control record');
  return { returns, notices };
}

/** Lines of white space are none; spaces at the end of a line are lost or added in transfer. */
function linesOf(content: string): Line[] {
  const parts = /[\r\n]/.test(content)
    ? content.split(/\r\n|\r|\n/)
    : Array.from({ length: Math.ceil(content.length / RECORD_LENGTH) }, (_, i) =>
        content.slice(i * RECORD_LENGTH, (i + 1) * RECORD_LENGTH),
      );
  return parts
    .map((part, i) => ({ number: i + 1, text: part.trimEnd().padEnd(RECORD_LENGTH) }))
    .filter(({ number, text }) => {
      if (text.length > RECORD_LENGTH)
        throw new UnreadableNacha(number, `a record has ${RECORD_LENGTH} characters`);
      return text.trim() !== '';
    });
}

/** The one addenda that says what became of the entry; undefined where there is none, or more than one. */
function verdictIn({ addenda }: Entry): Line | undefined {
  const verdicts = addenda.filter(({ text }) => /^79[89]/.test(text));
  return verdicts.length === 1 ? verdicts[0] : undefined;
}

function returnOf(entry: Entry): NachaReturn {
  const verdict = verdictIn(entry);
  const reason = verdict?.text.startsWith('799') === true ? verdict.text : undefined;
  return {
    traceNumber: traceNumberIn(reason),
    code: reason?.slice(3, 6),
    amountCents: BigInt(entry.line.text.slice(29, 39)),
    individualId: entry.line.text.slice(39, 54).trim(),
    information: reason?.slice(35, 79).trim() ?? '',
  };
}

/** Undefined where it has none that can be read: then it is a return that cannot be read. */
function noticeOf(entry: Entry): NachaNotice | undefined {
  const notice = verdictIn(entry)?.text;
  const traceNumber = traceNumberIn(notice);
  const code = /^798(C\d\d)/.exec(notice ?? '')?.[1];
  return traceNumber === undefined || code === undefined ? undefined : { traceNumber, code };
}

/** The trace number of the original entry; the return has its own at its end. */
function traceNumberIn(addenda: string | undefined): string | undefined {
  return /^\d{15}$/.exec(addenda?.slice(6, 21) ?? '')?.[0];
}

type Span = readonly [from: number, to: number];

/** The totals of a batch's or file's control record. */
class Sums {
  private records = 0;
  private amountCents = 0n;
  private readonly receivers: { routingNumber: string }[] = [];

  addEntry({ number, text }: Line): void {
    const amount = text.slice(29, 39);
    const routingNumber = text.slice(3, 12);
    if (!/^\d{10}$/.test(amount) || !/^\d{9}$/.test(routingNumber)) {
      throw new UnreadableNacha(number, 'an entry without an amount or a bank');
    }
    this.records++;
    this.amountCents += BigInt(amount);
    this.receivers.push({ routingNumber });
  }

  addAddenda(): void {
    this.records++;
  }

  /** Returned credits are debits to some banks and credits to others, so the two count together. */
  compare({ number, text }: Line, at: Record<'count' | 'hash' | 'debits' | 'credits', Span>): void {
    const figure = (field: keyof typeof at): string => text.slice(...at[field]);
    if (![figure('count'), figure('debits'), figure('credits')].every((each) => /^\d+$/.test(each))) {
      throw new UnreadableNacha(number, 'a control record without its sums');
    }
    const fits =
      Number(figure('count')) === this.records &&
      figure('hash') === entryHashOf(this.receivers) &&
      BigInt(figure('debits')) + BigInt(figure('credits')) === this.amountCents;
    if (!fits) throw new UnreadableNacha(number, 'the sums do not fit the entries before it');
  }

  clear(): void {
    this.records = 0;
    this.amountCents = 0n;
    this.receivers.length = 0;
  }
}
