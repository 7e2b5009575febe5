import anyAscii from 'any-ascii';

export const SLUG_LENGTH_MAX = 100;

/** Lower case words, joined by single hyphens. */
export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function isSlug(text: string): boolean {
  return text.length <= SLUG_LENGTH_MAX && SLUG_PATTERN.test(text);
}

/**
 * The slug of a title or name, transliterated to Latin: `Zürich, 東京!` gives `zurich-dong-jing`. Empty if nothing can be
 * transliterated.
 */
export function slugOf(text: string): string {
  const words = anyAscii(text.normalize('NFC'))
    .toLowerCase()
    // An apostrophe does not separate words.
    .replace(/['’]/g, '')
    .match(/[a-z0-9]+/g);
  return cutSlug((words ?? []).join('-'), SLUG_LENGTH_MAX);
}

/** The slug with a number, for a slug that is taken. */
export function numberedSlug(slug: string, number: number): string {
  const ending = `-${number}`;
  return cutSlug(slug, SLUG_LENGTH_MAX - ending.length) + ending;
}

/** Cuts between words if possible. */
function cutSlug(slug: string, lengthMax: number): string {
  if (slug.length <= lengthMax) return slug;
  const end = slug.lastIndexOf('-', lengthMax);
  return slug.slice(0, end > 0 ? end : lengthMax);
}
