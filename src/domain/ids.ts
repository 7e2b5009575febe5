/**
 * Public ids: a prefix and an increasing number in fixed-width Crockford base 32. For what the core records, the number
 * is the place in the global ledger sequence. So ids are unique, sort by time as text, and are eight-byte integers in
 * every row and index.
 */

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const WIDTH = 11;

/** Of the characters that `format` puts together: one text for all, instead of one for each. */
const CODES = Array.from({ length: WIDTH }, () => 0);

const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

/**
 * What the ids of one kind of things begin with, such as `lyp` in `lyp_0000000001C`: declare it once as a constant and
 * list it in `idPrefixes` of the module.
 */
export class IdPrefix {
  private readonly start: string;

  constructor(readonly prefix: string) {
    this.start = `${prefix}_`;
  }

  format(sequence: number): string {
    let rest = sequence;
    for (let place = WIDTH - 1; place >= 0; place--) {
      CODES[place] = ALPHABET.charCodeAt(rest % 32);
      rest = Math.floor(rest / 32);
    }
    return this.start + String.fromCharCode(...CODES);
  }

  /** The sequence of an id, or `undefined` for text that is not an id of this prefix. */
  parse(text: string): number | undefined {
    const { start } = this;
    if (text.length !== start.length + WIDTH || !text.startsWith(start)) return undefined;
    let sequence = 0;
    for (let i = start.length; i < text.length; i++) {
      const value = VALUES.get(text.charAt(i));
      if (value === undefined) return undefined;
      sequence = sequence * 32 + value;
    }
    return sequence > 0 && Number.isSafeInteger(sequence) ? sequence : undefined;
  }
}
