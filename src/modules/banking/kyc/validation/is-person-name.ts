import { ValidateBy, buildMessage } from 'class-validator';

/**
 * Letters of any script with few marks on them, and what stands between the parts of names. It begins with
 * a letter, so that no spreadsheet takes it for a formula.
 */
const PERSON_NAME = /^\p{L}\p{Mn}{0,3}(?:(?:\p{L}|\p{Mc})\p{Mn}{0,3}|[ '’ʼ‘`.\-‐‑·])*$/u;
const WORDS_MAX = 12;

/** A letter or a digit first; then also what addresses have between them. No control or formatting characters. */
const PLAIN_LINE = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{Mc}]|\p{Mn}(?!\p{Mn}{3})|[ '’ʼ.,:;/#&()°ºª\-–‐‑+·])*$/u;

/** A first or last name, of at most `lengthMax` characters and twelve words. */
export function IsPersonName(lengthMax: number): PropertyDecorator {
  return lineThat(
    'isPersonName',
    lengthMax,
    (text) => PERSON_NAME.test(text) && text.split(/[ \-‐‑]+/).length <= WORDS_MAX,
    `must be a name of 1 to ${lengthMax} letters, with spaces, hyphens, apostrophes and dots between them`,
  );
}

/** A line of an address, of at most `lengthMax` characters. */
export function IsPlainLine(lengthMax: number): PropertyDecorator {
  return lineThat(
    'isPlainLine',
    lengthMax,
    (text) => PLAIN_LINE.test(text),
    `must be a text of 1 to ${lengthMax} letters, digits and marks of addresses, beginning with a letter or a digit`,
  );
}

function lineThat(
  name: string,
  lengthMax: number,
  isSo: (text: string) => boolean,
  message: string,
): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value) =>
        typeof value === 'string' && value.length <= lengthMax && isSo(value.normalize('NFC').trim()),
      defaultMessage: buildMessage((eachPrefix) => `${eachPrefix}$property ${message}`),
    },
  });
}
