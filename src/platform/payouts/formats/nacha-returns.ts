/**
 * What comes back from the American ACH: entries that the receiving bank has returned, and its notices of
 * change. Both are files of the same records as those that were sent, with an addenda record to each entry.
 */
import { hashOf, RECORD_LENGTH } from './nacha.js';

/** A returned entry. The money of a credit is the originator's again. */
export interface NachaReturn {
  /** The 15 digits under which the entry was sent. */
  readonly traceNumber: string;
  /** `R01` to `R85`. */
  readonly code: string;
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

const RETURN_ADDENDA = '799';
const NOTICE_ADDENDA = '798';

interface Line {
  readonly number: number;
  readonly text: string;
}

/**
 * Reads a file of returns, with or without line breaks between records. The totals of its control records must be
 * right: a truncated file is refused as a whole. Throws an UnreadableNacha.
 */
export function readNachaReturns(content: string): NachaReturnFile {
  const lines = linesOf(content);
  const returns: NachaReturn[] = [];
  const notices: NachaNotice[] = [];
  const batch = new Sums();
  const file = new Sums();
  let entry: Line | undefined;
  let isClosed = false;

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
        requireWhole(entry);
        entry = line;
        batch.addEntry(line);
        file.addEntry(line);
        break;
      case '7': {
        if (entry === undefined) throw new UnreadableNacha(line.number, 'an addenda without its entry');
        batch.addAddenda();
        file.addAddenda();
        const kind = line.text.slice(0, 3);
        if (kind === RETURN_ADDENDA) returns.push(returnOf(entry, line));
        else if (kind === NOTICE_ADDENDA) notices.push(noticeOf(line));
        else throw new UnreadableNacha(line.number, 'neither a return (99) nor a notice of change (98)');
        entry = undefined;
        break;
      }
      case '8':
        requireWhole(entry);
        batch.compare(line, { count: [4, 10], hash: [10, 20], debits: [20, 32], credits: [32, 44] });
        break;
      case '9':
        requireWhole(entry);
        file.compare(line, { count: [13, 21], hash: [21, 31], debits: [31, 43], credits: [43, 55] });
        isClosed = true;
        break;
      default:
        throw new UnreadableNacha(line.number, 'no such record');
    }
  }
  if (!isClosed) throw new UnreadableNacha(lines.length, 'the file ends without its control record');
  return { returns, notices };
}

function linesOf(content: string): Line[] {
  const whole = content.replace(/[\r\n]+$/, '');
  const parts = /[\r\n]/.test(whole)
    ? whole.split(/\r\n|\r|\n/)
    : Array.from({ length: Math.ceil(whole.length / RECORD_LENGTH) }, (_, i) =>
        whole.slice(i * RECORD_LENGTH, (i + 1) * RECORD_LENGTH),
      );
  return parts.map((part, i) => {
    // Trailing spaces of a line are often lost in transfer.
    const line = { number: i + 1, text: part.padEnd(RECORD_LENGTH) };
    if (line.text.length > RECORD_LENGTH || part === '') {
      throw new UnreadableNacha(line.number, `a record has ${RECORD_LENGTH} characters`);
    }
    return line;
  });
}

function returnOf(entry: Line, addenda: Line): NachaReturn {
  const code = addenda.text.slice(3, 6);
  if (!/^R\d\d$/.test(code)) throw new UnreadableNacha(addenda.number, 'no return code');
  return {
    traceNumber: traceNumberIn(addenda),
    code,
    amountCents: BigInt(entry.text.slice(29, 39)),
    individualId: entry.text.slice(39, 54).trim(),
    information: addenda.text.slice(35, 79).trim(),
  };
}

function noticeOf(addenda: Line): NachaNotice {
  const code = addenda.text.slice(3, 6);
  if (!/^C\d\d$/.test(code)) throw new UnreadableNacha(addenda.number, 'no change code');
  return { traceNumber: traceNumberIn(addenda), code };
}

/** The trace number of the original entry; the return has its own at its end. */
function traceNumberIn(addenda: Line): string {
  const traceNumber = addenda.text.slice(6, 21);
  if (!/^\d{15}$/.test(traceNumber)) throw new UnreadableNacha(addenda.number, 'no trace number');
  return traceNumber;
}

function requireWhole(entry: Line | undefined): void {
  if (entry !== undefined) throw new UnreadableNacha(entry.number, 'an entry without its addenda');
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
      figure('hash') === hashOf(this.receivers) &&
      BigInt(figure('debits')) + BigInt(figure('credits')) === this.amountCents;
    if (!fits) throw new UnreadableNacha(number, 'the sums do not fit the entries before it');
  }

  clear(): void {
    this.records = 0;
    this.amountCents = 0n;
    this.receivers.length = 0;
  }
}
