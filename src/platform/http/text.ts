const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether Postgres can store the text as it is: it takes neither NUL nor half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}
