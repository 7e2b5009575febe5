import { bindWords } from '../../../src/domain/words/catalog.js';
import type { en } from './en/index.js';
import { language, locale } from './language.js';

const answer = await fetch(new URL(`words/${language}.json`, document.baseURI));

/** Every text of the console, in the language of this window; another language takes another window. */
export const words = bindWords<typeof en>((await answer.json()) as typeof en, locale);
