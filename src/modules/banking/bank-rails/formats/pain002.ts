import { XMLParser } from 'fast-xml-parser';
import { SyntaxValidator } from 'fast-xml-validator';
import type { BankStatus } from '../../../../domain/banking/bank-verdicts.js';
import { UnreadableReport } from '../payout-rail.js';

/** What a status of ISO 20022 says about a payment. Any other is for people: it may mean that nothing is paid. */
const STATUSES: Readonly<Record<string, BankStatus>> = {
  RCVD: 'pending',
  PDNG: 'pending',
  PART: 'pending',
  PATC: 'pending',
  ACFC: 'in_transit',
  ACPD: 'in_transit',
  ACTC: 'in_transit',
  ACCP: 'in_transit',
  ACSP: 'in_transit',
  ACWC: 'in_transit',
  ACWP: 'in_transit',
  ACSC: 'paid',
  ACCC: 'paid',
  RJCT: 'failed',
};

/** The codes of ISO 20022 for what a bank has already: the message, the group, the payment or its number. */
const DUPLICATE = /^(?:AM05|DU0[1-5])$/;

/** A report's statement about the order as a whole, or about one of its payments. */
export interface StatusOfPayment {
  /** The order's message id, as the bank repeats it. */
  readonly messageId: string;
  /** Undefined for the order as a whole. */
  readonly endToEndId: string | undefined;
  readonly status: BankStatus;
  readonly code: string | null;
  readonly message: string | null;
}

const DEPTH_MAX = 32;
const TEXT_MAX = 500;

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  processEntities: true,
  maxNestedTags: DEPTH_MAX,
});

/**
 * Reads an ISO 20022 payment status report, pain.002 of any version. A payment's own status takes precedence over its
 * group's, and that over the whole order's: a payment without a status has that of the level above it. Document types
 * and custom entities are refused: no bank sends them. Throws an UnreadableReport.
 */
export function readPain002(text: string): readonly StatusOfPayment[] {
  const root = parse(text);
  const report = child(child(root, 'Document'), 'CstmrPmtStsRpt');
  if (report === undefined) throw new UnreadableReport('It is no payment status report (pain.002).');
  const [order, ...others] = children(report, 'OrgnlGrpInfAndSts');
  if (others.length > 0) throw new UnreadableReport('It is about several orders: a report is about one.');
  const messageId = textOf(order, 'OrgnlMsgId');
  if (messageId === undefined) throw new UnreadableReport('It does not say which order it is about.');

  const ofOrder = statusIn(order, 'GrpSts');
  const groups = [report, ...children(report, 'OrgnlPmtInfAndSts')].map((group) => ({
    payments: children(group, 'TxInfAndSts'),
    ofGroup: statusIn(group, 'PmtInfSts'),
  }));
  const ofPayments = groups.flatMap(({ payments, ofGroup }) =>
    payments.map((payment) => {
      const own = statusIn(payment, 'TxSts');
      const endToEndId = referenceIn(payment, 'OrgnlEndToEndId') ?? referenceIn(payment, 'OrgnlInstrId');
      if (endToEndId === undefined)
        return unclear({ messageId, endToEndId }, 'A payment has no OrgnlEndToEndId.', own);
      return statusOf(messageId, endToEndId, [own, ofGroup, ofOrder]);
    }),
  );
  // An order of ours has one group, so its status is that of the whole order.
  const ofGroups = groups.map(({ ofGroup }) => ofGroup).filter(hasStatus);
  const ofWhole = ofGroups.length > 0 ? ofGroups : [ofOrder].filter(hasStatus);
  const whole = ofPayments.length + ofWhole.length > 0 ? ofWhole : [ofOrder];
  return [...ofPayments, ...whole.map((level) => statusOf(messageId, undefined, [level]))];
}

/** What one level of a report says: its status, and why. */
interface Level {
  readonly status: string | undefined;
  readonly codes: readonly string[];
  readonly words: string;
}

function statusIn(node: Node | undefined, name: string): Level {
  const information = children(node, 'StsRsnInf');
  const codes = information.flatMap((each) => {
    const reason = child(each, 'Rsn');
    return textOf(reason, 'Cd') ?? textOf(reason, 'Prtry') ?? [];
  });
  const lines = information
    .flatMap((each) => children(each, 'AddtlInf'))
    .filter((line) => typeof line === 'string');
  const words = [...codes.slice(1).map((code) => `(${code})`), ...lines].join(' ').slice(0, TEXT_MAX);
  const statuses = children(node, name).flatMap((each) => plainText(each) ?? []);
  // Two statuses at once are none that is known.
  return { status: statuses.length === 0 ? undefined : statuses.join(' '), codes, words };
}

function hasStatus({ status }: Level): boolean {
  return status !== undefined;
}

/** `levels` go from the payment upwards. The first with a status decides, and explains it unless one below it does. */
function statusOf(
  messageId: string,
  endToEndId: string | undefined,
  levels: readonly Level[],
): StatusOfPayment {
  const deciding = levels.findIndex(hasStatus);
  const word = levels[deciding]?.status;
  const status = word !== undefined && Object.hasOwn(STATUSES, word) ? STATUSES[word]! : 'unclear';
  const explaining = deciding === -1 ? levels : levels.slice(0, deciding + 1);
  const codes = explaining.find((level) => level.codes.length > 0)?.codes ?? [];
  const words = explaining.find((level) => level.words !== '')?.words ?? '';
  const about = { messageId, endToEndId };
  if (status === 'unclear') {
    const what =
      word === undefined ? 'The report has no status for it.' : `${word} is no status that moves a payment.`;
    return unclear(about, what, { status: word, codes, words });
  }
  // On whatever level: banks reject each payment of a second copy, and say only above why.
  const isDuplicate =
    status === 'failed' && levels.some((level) => level.codes.some((code) => DUPLICATE.test(code)));
  return {
    ...about,
    status: isDuplicate ? 'duplicate' : status,
    code: codes[0] ?? null,
    message: words === '' ? null : words,
  };
}

/** `what` is unclear, with all that the bank says of it. */
function unclear(
  about: Pick<StatusOfPayment, 'messageId' | 'endToEndId'>,
  what: string,
  { status, codes, words }: Level,
): StatusOfPayment {
  const [code] = codes;
  const why = [code, words].filter((each) => each !== undefined && each !== '').join(' ');
  const message = why === '' ? what : `${what} The bank says: ${why}.`;
  return { ...about, status: 'unclear', code: status ?? code ?? null, message };
}

/** What the parser makes of an element: its text, or its children by name. */
type Node = string | { readonly [name: string]: unknown };

function parse(text: string): Node {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new UnreadableReport('It has a document type of its own.');
  try {
    SyntaxValidator.validate(text);
    return parser.parse(text) as Node;
  } catch (error) {
    throw new UnreadableReport('It is no whole XML.', { cause: error });
  }
}

function children(node: Node | undefined, name: string): Node[] {
  if (node === undefined || typeof node === 'string' || !Object.hasOwn(node, name)) return [];
  const value = node[name];
  return (Array.isArray(value) ? value : [value]) as Node[];
}

function child(node: Node | undefined, name: string): Node | undefined {
  return children(node, name)[0];
}

function textOf(node: Node | undefined, name: string): string | undefined {
  return plainText(child(node, name));
}

function plainText(node: Node | undefined): string | undefined {
  if (typeof node !== 'string') return undefined;
  const text = node.trim().slice(0, TEXT_MAX);
  return text === '' ? undefined : text;
}

/** A payment's reference, unless the bank says that it has none. */
function referenceIn(payment: Node, name: string): string | undefined {
  const text = textOf(payment, name);
  return text === 'NOTPROVIDED' ? undefined : text;
}
