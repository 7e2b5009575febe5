const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'prototype',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/**
 * Whether a member or field of that name is refused everywhere: the name of a property of every object, which lookups
 * would find on any object, or `prototype`. class-transformer drops both silently.
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

/** Replaces what Postgres cannot store by the replacement character. */
export function storableText(text: string): string {
  return text.replace(EACH_UNSTORABLE, '\uFFFD');
}
