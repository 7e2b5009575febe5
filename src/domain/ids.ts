/**
 * Public ids: a prefix and an increasing number in fixed-width Crockford base 32. For what the core records, the number
 * is the place in the global ledger sequence. So ids are unique, sort by time as text, and are eight-byte integers in
 * every row and index.
 */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const WIDTH = 11;

/** Of the characters that `formatId` puts together: one text for all, instead of one for each. */
const CODES = Array.from({ length: WIDTH }, () => 0);

const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

export const ID_PREFIXES = [
  'ord',
  'olt',
  'trd',
  'fil',
  'acc',
  'ent',
  'cli',
  'key',
  'ses',
  'psk',
  'wlt',
  'trf',
  'dst',
  'adr',
  'sig',
  'dep',
  'qte',
  'mbt',
  'kyc',
  'pac',
  'pay',
  'pof',
  'por',
  'prm',
  'kim',
  'pst',
  'pag',
  'whk',
  'whd',
  'evt',
  'nws',
  'nfd',
  'rom',
  'msg',
  'apv',
  'aud',
  'lim',
  'exp',
  'cut',
] as const;

export type IdPrefix = (typeof ID_PREFIXES)[number];

export function formatId(prefix: IdPrefix, sequence: number): string {
  let rest = sequence;
  for (let place = WIDTH - 1; place >= 0; place--) {
    CODES[place] = ALPHABET.charCodeAt(rest % 32);
    rest = Math.floor(rest / 32);
  }
  return `${prefix}_${String.fromCharCode(...CODES)}`;
}

/** The sequence of an id, or `undefined` for text that is not an id of this service. */
export function parseId(prefix: IdPrefix, text: string): number | undefined {
  if (text.length !== prefix.length + 1 + WIDTH || !text.startsWith(`${prefix}_`)) return undefined;
  let sequence = 0;
  for (let i = prefix.length + 1; i < text.length; i++) {
    const value = VALUES.get(text.charAt(i));
    if (value === undefined) return undefined;
    sequence = sequence * 32 + value;
  }
  return sequence > 0 && Number.isSafeInteger(sequence) ? sequence : undefined;
}
