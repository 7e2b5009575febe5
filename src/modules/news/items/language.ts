/** A BCP 47 tag, such as `en` or `pt-BR`. */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*$/i;

/** The language that a tag names, without country or script: `en` for `en-GB`. `undefined` for what is no tag. */
export function languageOf(tag: string): string | undefined {
  const text = tag.trim();
  return LANGUAGE_TAG.test(text) ? text.split(/[-_]/, 1)[0]?.toLowerCase() : undefined;
}
