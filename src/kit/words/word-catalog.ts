import type { Catalog, Translation } from '../../domain/words/catalog.js';

/** The languages that the service speaks by itself; the compiler asks for both of every text. */
export interface OwnTexts<Of> {
  readonly en: Of;
  readonly de: Translation<Of>;
}

/**
 * The texts of a group for people: on its pages and in its mails. Declare it once, list it in `words` of the module, and get
 * it in somebody's language from `Texts`. What it has under `mails` are mails: their names are those of templates.
 */
export class WordCatalog<Of = unknown> {
  constructor(
    /** Such as `auth`: what a file of words has its texts under. */
    readonly name: string,
    readonly texts: OwnTexts<Of>,
  ) {}

  /** The names of its mails. */
  get mails(): readonly string[] {
    return Object.keys((this.plain['en']!['mails'] as Catalog | undefined) ?? {});
  }

  /** In each language, as plain data. */
  get plain(): Readonly<Record<string, Catalog>> {
    return this.texts as unknown as Readonly<Record<string, Catalog>>;
  }
}
