import { placeholdersOf } from '../../../domain/words/catalog.js';
import type { Branding, MailTemplate } from './branding.js';
import { refused } from './branding-folder.js';

/** What a template of a mail may name. */
export const MAIL_PLACEHOLDERS = [
  'product',
  'username',
  'subject',
  'greeting',
  'body',
  'facts',
  'link',
  'link_label',
  'closing',
  'service_url',
  'support',
] as const;
export type MailPlaceholder = (typeof MAIL_PLACEHOLDERS)[number];

/** Of one line, as a subject is: the others have several, or an address that is good for one person. */
const IN_SUBJECTS: readonly string[] = ['product', 'username', 'subject'];

const SUBJECT_LENGTH_MAX = 200;

/** Throws a StartRefusal for a placeholder that there is not. */
export function checkTemplate(file: string, part: string, text: string): void {
  const known: readonly string[] = part === 'subject' ? IN_SUBJECTS : MAIL_PLACEHOLDERS;
  const unknown = [...placeholdersOf(text)].find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw refused(
      file,
      `has the placeholder {${unknown}}; there are ${known.map((name) => `{${name}}`).join(', ')}`,
    );
  }
  if (
    part === 'subject' &&
    (text.trim() === '' || text.trim().length > SUBJECT_LENGTH_MAX || /[\r\n]/.test(text.trim()))
  ) {
    throw refused(file, `must be one line of 1 to ${SUBJECT_LENGTH_MAX} characters`);
  }
  if (part !== 'subject' && !text.includes('{link}')) {
    throw refused(file, 'lacks {link}, without which nobody can do what the mail is for');
  }
}

/** The template for a mail in a language: that of the language, part by part, before that of all. */
export function templateOf({ mails }: Branding, kind: string, language: string): MailTemplate {
  return { ...mails[kind], ...mails[`${kind}.${language}`] };
}
