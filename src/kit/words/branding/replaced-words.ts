import { Logger } from '@nestjs/common';
import { type Catalog, misfit, missingKeys, withReplaced } from '../../../domain/words/catalog.js';
import { ConfigError, StartRefusal } from '../../config/start-refusal.js';
import type { WordCatalog } from '../word-catalog.js';
import type { Branding } from './branding.js';

const OWN_LANGUAGES = ['en', 'de'] as const;

type ByName = Readonly<Record<string, Catalog>>;

/**
 * All texts by language and catalog. A language that is the operator's alone has the English of what it lacks.
 * Throws a StartRefusal that names the file and the key of the first words that fit no text.
 */
export function wordsByLanguage(
  catalogs: readonly WordCatalog[],
  { words }: Branding,
  defaultLanguage: string,
): Readonly<Record<string, ByName>> {
  const own = Object.fromEntries(
    OWN_LANGUAGES.map((language) => [language, byName(catalogs, (each) => each.plain[language]!)]),
  );
  const all: Record<string, ByName> = { ...own };
  for (const [language, { file, texts }] of Object.entries(words)) {
    const problem = misfit(own['en']!, texts);
    if (problem !== undefined) throw new StartRefusal(`BRANDING_DIR: ${file}: ${problem}.`);
    const below = own[language] ?? own['en']!;
    all[language] = withReplaced(below, texts) as ByName;
    if (own[language] === undefined) warnOfMissing(file, missingKeys(own['en']!, texts));
  }
  if (all[defaultLanguage] === undefined) {
    throw new ConfigError('DEFAULT_LANGUAGE', `must be one of ${Object.keys(all).join(', ')}.`);
  }
  return all;
}

function byName(catalogs: readonly WordCatalog[], textsOf: (catalog: WordCatalog) => Catalog): ByName {
  return Object.fromEntries(catalogs.map((catalog) => [catalog.name, textsOf(catalog)]));
}

function warnOfMissing(file: string, missing: readonly string[]): void {
  if (missing.length === 0) return;
  new Logger('Branding').warn(
    `${file} lacks ${missing.length} texts, which stay English: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ' …' : '.'}`,
  );
}
