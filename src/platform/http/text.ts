const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'prototype',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/**
 * Whether a member or field of that name is refused wherever it is: what every object has would be found on every
 * object, and class-transformer drops it, and `prototype`, without a word.
 */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name);
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;
const EACH_UNSTORABLE = /[\0\p{Surrogate}]/gu;

/** Whether Postgres can store the text as it is: it takes neither NUL nor half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** The text with a replacement character for what Postgres does not take. */
export function storableText(text: string): string {
  return text.replace(EACH_UNSTORABLE, '\uFFFD');
}
