/**
 * Texts for people, in several languages. A catalog is plain data, so that a file can replace what it says: texts with named
 * placeholders such as `{count}`, and where a number decides, one text for each of the plural categories of CLDR.
 */

/** Such as `{ one: '{count} market', other: '{count} markets' }`; the number is named `count`. */
export type Plural = Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

export interface Catalog {
  readonly [key: string]: string | Catalog;
}

/** What a translation must have: every key of the first language, and plurals in categories of its own. */
export type Translation<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends string
    ? string
    : [keyof Of[Key]] extends [Intl.LDMLPluralRule]
      ? Plural
      : Translation<Of[Key]>;
};

/** What stands for a placeholder; numbers are written as the language writes them. */
export type Value = string | number;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A text with placeholders, to be called with what stands for them. */
export interface Message<Names extends string> {
  (values: Readonly<Record<Names, Value>>): string;
  /** As the catalog has it; of a plural the text for all other numbers. */
  readonly template: string;
}

/** A catalog ready for use: texts as they are, and messages. */
export type Words<Of> = Of extends string
  ? string extends Of
    ? string
    : [NamesIn<Of>] extends [never]
      ? string
      : Message<NamesIn<Of>>
  : [keyof Of] extends [Intl.LDMLPluralRule]
    ? CountedMessage<NamesIn<Of[keyof Of] & string>>
    : { readonly [Key in keyof Of]: Words<Of[Key]> };

interface CountedMessage<Names extends string> {
  (values: Readonly<Record<Exclude<Names, 'count'>, Value>> & { readonly count: number }): string;
  readonly template: string;
}

const CATEGORIES: ReadonlySet<string> = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);
const PLACEHOLDER = /\{(\w+)\}/g;

/** The names of a text's placeholders. */
export function placeholdersOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!));
}

/** Of anything, as a file may have it. */
export function isPlural(entry: unknown): entry is Plural {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    Object.hasOwn(entry, 'other') &&
    Object.entries(entry).every(([key, text]) => CATEGORIES.has(key) && typeof text === 'string')
  );
}

/** A catalog in a language, which must have the keys and the placeholders of `Of`. */
export function bindWords<Of>(catalog: Translation<Of>, language: string): Words<Of> {
  const numbers = new Intl.NumberFormat(language);
  const plurals = new Intl.PluralRules(language);
  const filled = (text: string, values: Readonly<Record<string, Value>>): string =>
    text.replace(PLACEHOLDER, (placeholder, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? numbers.format(value) : (value ?? placeholder);
    });
  const bind = (entry: string | Catalog): unknown => {
    if (typeof entry === 'string') {
      if (placeholdersOf(entry).size === 0) return entry;
      const message = (values: Readonly<Record<string, Value>>): string => filled(entry, values);
      return Object.assign(message, { template: entry });
    }
    if (isPlural(entry)) {
      const message = (values: Readonly<Record<string, Value>>): string =>
        filled(entry[plurals.select(Number(values['count']))] ?? entry.other, values);
      return Object.assign(message, { template: entry.other });
    }
    return Object.fromEntries(Object.entries(entry).map(([key, below]) => [key, bind(below)]));
  };
  return bind(catalog) as Words<Of>;
}

/** `replacement` laid over a catalog, as deep as it goes. */
export function withReplaced(catalog: Catalog, replacement: Catalog): Catalog {
  const merged: Record<string, string | Catalog> = { ...catalog };
  for (const [key, entry] of Object.entries(replacement)) {
    const below = catalog[key];
    merged[key] =
      typeof entry === 'string' || typeof below !== 'object' || isPlural(entry)
        ? entry
        : withReplaced(below, entry);
  }
  return merged;
}

/**
 * The first thing about `translation` that does not fit `original`, with its key; undefined where all fits. A translation of a
 * file may have anything for a text.
 */
export function misfit(original: Catalog, translation: object, path = ''): string | undefined {
  for (const [name, entry] of Object.entries(translation) as [string, unknown][]) {
    const key = `${path}${name}`;
    const own = Object.hasOwn(original, name) ? original[name] : undefined;
    const problem =
      own === undefined
        ? `there is no text "${key}"`
        : isLeaf(own)
          ? misfitOfText(own, entry, key)
          : typeof entry !== 'object' || entry === null || Array.isArray(entry)
            ? `"${key}" is no text but holds several`
            : misfit(own, entry, `${key}.`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function misfitOfText(own: string | Plural, entry: unknown, key: string): string | undefined {
  const isCounted = typeof own !== 'string';
  const isText = typeof entry === 'string' || (isCounted && isPlural(entry));
  if (!isText) {
    return isCounted
      ? `"${key}" must be an object with a text for "other", and for each of ${[...CATEGORIES].join(', ')} that its language has`
      : `"${key}" must be a text`;
  }
  if (isCounted && typeof entry === 'string') {
    return `"${key}" must be an object with a text for "other", and for each number that its language tells apart`;
  }
  const expected = namesOf(own);
  const unknown = [...namesOf(entry)].find((name) => !expected.has(name));
  if (unknown !== undefined) {
    return `"${key}" has no placeholder {${unknown}}${expected.size === 0 ? '' : `, but ${[...expected].map((name) => `{${name}}`).join(', ')}`}`;
  }
  const lost = [...expected].find((name) => !namesOf(entry).has(name));
  return lost === undefined ? undefined : `"${key}" lacks the placeholder {${lost}}`;
}

/** The keys of `original` that `translation` lacks. */
export function missingKeys(original: Catalog, translation: Catalog, path = ''): readonly string[] {
  return Object.entries(original).flatMap(([name, own]) => {
    const entry = translation[name];
    if (entry === undefined) return [`${path}${name}`];
    return isLeaf(own) || typeof entry === 'string' ? [] : missingKeys(own, entry, `${path}${name}.`);
  });
}

function isLeaf(entry: string | Catalog): entry is string | Plural {
  return typeof entry === 'string' || isPlural(entry);
}

function namesOf(entry: string | Plural): ReadonlySet<string> {
  const texts = typeof entry === 'string' ? [entry] : Object.values(entry);
  return new Set(texts.flatMap((text) => [...placeholdersOf(text)]));
}
