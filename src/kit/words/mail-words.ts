import { WordCatalog } from './word-catalog.js';

/** What every mail says. */
export const MAIL_WORDS = new WordCatalog('mail', {
  en: { greeting: 'Hello {username},', support: 'Questions? Write to {support}.' },
  de: { greeting: 'Guten Tag {username},', support: 'Fragen? Schreiben Sie an {support}.' },
} as const);
