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
