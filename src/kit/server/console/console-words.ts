import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../../../domain/words/catalog.js';
import { WordCatalog } from '../../words/word-catalog.js';

/** The console's texts, which are built with it; none where it is not built. */
export function consoleWords(folder: string): readonly WordCatalog[] {
  if (!existsSync(join(folder, 'words'))) return [];
  const read = (language: string): Catalog =>
    JSON.parse(readFileSync(join(folder, 'words', `${language}.json`), 'utf8')) as Catalog;
  return [new WordCatalog('console', { en: read('en'), de: read('de') })];
}
