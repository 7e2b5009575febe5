import { WordCatalog } from '../../../kit/words/word-catalog.js';
import { de } from './de.js';
import { en } from './en.js';

export const AUTH_WORDS = new WordCatalog('auth', { en, de });
