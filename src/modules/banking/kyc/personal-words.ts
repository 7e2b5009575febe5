import type { PersonalData } from './kyc-provider.js';
import { wordsOf } from './sanctions/name-index.js';

/** Shorter names are too often ordinary words as well. */
const NAME_LETTERS_MIN = 4;

/** Whether a text has the last name, the document's number or the date of birth of a person in it. */
export function namesIn(text: string, { lastName, dateOfBirth, document }: PersonalData): boolean {
  const words = ` ${wordsOf(text).join(' ')} `;
  const name = wordsOf(lastName).join(' ');
  if (name.length >= NAME_LETTERS_MIN && words.includes(` ${name} `)) return true;
  const joined = words.replaceAll(' ', '');
  const number = wordsOf(document.number).join('');
  return (number.length >= NAME_LETTERS_MIN && joined.includes(number)) || text.includes(dateOfBirth);
}
