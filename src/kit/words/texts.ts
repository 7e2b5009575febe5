import { bindWords, type Catalog, type Translation, type Words } from '../../domain/words/catalog.js';
import { bestLanguage, ownName } from '../../domain/words/languages.js';
import { NO_BRANDING, type Branding } from './branding/branding.js';
import { wordsByLanguage } from './branding/replaced-words.js';
import type { WordCatalog } from './word-catalog.js';

/** The language of every text that another one lacks. */
export const FIRST_LANGUAGE = 'en';

export interface TextsOptions {
  readonly catalogs: readonly WordCatalog[];
  readonly branding?: Branding;
  readonly defaultLanguage?: string;
}

/** Everything that the service says to people, in all its languages and in the operator's words. */
export class Texts {
  /** The tags of its languages, each with its own name. */
  readonly languages: Readonly<Record<string, string>>;
  readonly branding: Branding;
  readonly defaultLanguage: string;
  private readonly plain: Readonly<Record<string, Readonly<Record<string, Catalog>>>>;
  private readonly bound = new Map<string, unknown>();

  /** Throws a StartRefusal for words of the operator's that fit no text, and for a default language that there is not. */
  constructor({ catalogs, branding = NO_BRANDING, defaultLanguage = FIRST_LANGUAGE }: TextsOptions) {
    this.plain = wordsByLanguage(catalogs, branding, defaultLanguage);
    this.languages = Object.fromEntries(Object.keys(this.plain).map((tag) => [tag, ownName(tag)]));
    this.branding = branding;
    this.defaultLanguage = defaultLanguage;
  }

  /** A group's texts in one of the languages; in the service's own where it is none of them. */
  of<Catalogued>(catalog: WordCatalog<Catalogued>, language: string): Words<Catalogued> {
    const spoken = this.spoken(language);
    const key = `${catalog.name} ${spoken}`;
    if (!this.bound.has(key)) {
      const plain = this.plain[spoken]![catalog.name] as Translation<Catalogued> | undefined;
      if (plain === undefined)
        throw new Error(`The words "${catalog.name}" are not among the "words" of a module.`);
      this.bound.set(key, bindWords<Catalogued>(plain, spoken));
    }
    return this.bound.get(key) as Words<Catalogued>;
  }

  /** A group's texts as plain data, for a client that makes sentences of them by itself. */
  plainOf(catalog: WordCatalog, language: string): Catalog {
    return this.plain[this.spoken(language)]![catalog.name]!;
  }

  /** The first language of these that there is; the service's own where there is none of them. */
  best(asked: readonly string[]): string {
    return bestLanguage(asked, Object.keys(this.languages)) ?? this.defaultLanguage;
  }

  has(language: string): boolean {
    return Object.hasOwn(this.languages, language);
  }

  private spoken(language: string): string {
    return this.has(language) ? language : this.defaultLanguage;
  }
}
