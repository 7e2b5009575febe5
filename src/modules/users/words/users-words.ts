import { WordCatalog } from '../../../kit/words/word-catalog.js';
import { de } from './de.js';
import { en } from './en.js';

export const USERS_WORDS = new WordCatalog('users', { en, de });
