/** Preferences of a request (`Prefer`, RFC 7240): what a caller would like, and the service may do or leave. */

export const PREFER_HEADER = 'Prefer';

/** Names the preferences that the service has followed. */
export const PREFERENCE_APPLIED_HEADER = 'Preference-Applied';

/** Longer headers are ignored: no list of preferences needs more. */
const LENGTH_MAX = 1_000;

/** What stands between commas outside of quoted strings; one that is not closed goes on to the end. */
const ELEMENT = /(?:"(?:[^"\\]|\\.?)*"?|[^",])+/g;

/** The name and the value of a preference, whatever parameters follow. */
const PREFERENCE = /^\s*([^\s=;"]+)\s*(?:=\s*("[^"]*"|[^\s;"]*)\s*)?(?:;|$)/;

/**
 * Whether a header asks for a preference that has no value. As RFC 7240 wants it, names are compared without case, only
 * the first of several with one name counts, an empty value is none, and what cannot be read is ignored.
 */
export function prefers(header: string | string[] | undefined, preference: string): boolean {
  const text = typeof header === 'object' ? header.join() : (header ?? '');
  if (text.length > LENGTH_MAX) return false;
  for (const [element] of text.matchAll(ELEMENT)) {
    const [, name, value = ''] = PREFERENCE.exec(element) ?? [];
    if (name?.toLowerCase() === preference) return value === '' || value === '""';
  }
  return false;
}
