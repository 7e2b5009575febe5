import anyAscii from 'any-ascii';

/** What is common to all banks of SEPA, and half of what ACH takes. */
const BANK_CHARACTERS = /^[A-Za-z0-9/?:().,'+ -]*$/;

/** Letters, digits, marks and separators of words; no emoji, no controls, nothing that turns text around. */
const SPOKEN = /^[\p{L}\p{M}\p{Nd}\p{Zs}\p{P}+&]*$/u;

/** Letters without a decomposition, with the usual replacement among the banks' characters. */
const STAND_INS: Readonly<Record<string, string>> = {
  '&': '+',
  _: '-',
  '"': "'",
  '`': "'",
  ';': ',',
  '[': '(',
  ']': ')',
};

/**
 * Writes a name or a reference with the characters that banks take, letter by letter where it is in another
 * script: `Łukasz Żółć` becomes `Lukasz Zolc`. Answers undefined for what cannot be spelt so, and for what
 * starts or ends otherwise than with a letter, a digit, a bracket or a full stop: a leading `=`, `+` or `-`
 * makes a formula of it where somebody opens it in a spreadsheet, and slashes at the ends mean something to banks.
 */
export function bankText(text: string): string | undefined {
  const composed = text.normalize('NFC').trim();
  if (!SPOKEN.test(composed)) return undefined;
  const spelt = [...composed].map((character) => {
    const plain = /\s/u.test(character) ? ' ' : anyAscii(character);
    // A letter without a sound is still a letter that somebody has written.
    return plain === '' && /\p{M}/u.test(character) ? '' : plain === '' ? '\0' : plain;
  });
  const written = spelt
    .join('')
    .replace(/[&_"`;[\]]/g, (character) => STAND_INS[character]!)
    .replace(/ +/g, ' ')
    .trim();
  if (!BANK_CHARACTERS.test(written) || written.includes('//')) return undefined;
  return /^[A-Za-z0-9(](?:.*[A-Za-z0-9).,?'])?$/.test(written) ? written : undefined;
}
