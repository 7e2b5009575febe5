import type { Catalog } from '../../../domain/words/catalog.js';
import { isLanguageTag } from '../../../domain/words/languages.js';
import { type Branding, type MailTemplate, NO_BRANDING } from './branding.js';
import { readBrandingFile } from './branding-file.js';
import { BrandingFolder, refused } from './branding-folder.js';
import { readLogo } from './logo.js';
import { checkTemplate } from './mail-templates.js';

const WORDS_BYTES_MAX = 1024 * 1024;
const MAIL_BYTES_MAX = 128 * 1024;
const WORDS = /^words\.(.+)\.json$/;
const MAIL = /^([a-z][a-z0-9_]*)(?:\.([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*))?\.(subject|txt|html)$/;

/**
 * How the operator wants the service to look and what it should say; as it is where no folder is named. `mailKinds` are
 * the mails that there are. Throws a StartRefusal that names the first file that is wrong, and why.
 */
export function loadBranding(path: string | undefined, mailKinds: readonly string[]): Branding {
  if (path === undefined) return NO_BRANDING;
  const folder = new BrandingFolder(path);
  for (const name of folder.names()) {
    if (!isKnown(name)) {
      throw refused(
        name,
        'is not known here; there are branding.json, logo.svg or logo.png, words.<language>.json, mails',
      );
    }
  }
  return {
    ...readBrandingFile(folder),
    logo: readLogo(folder),
    words: readWords(folder),
    mails: readMails(folder, mailKinds),
  };
}

function isKnown(name: string): boolean {
  return ['branding.json', 'logo.svg', 'logo.png', 'mails'].includes(name) || WORDS.test(name);
}

function readWords(folder: BrandingFolder): Branding['words'] {
  return Object.fromEntries(
    folder.names().flatMap((file) => {
      const language = WORDS.exec(file)?.[1];
      if (language === undefined) return [];
      if (!isLanguageTag(language)) throw refused(file, `"${language}" is no language, such as fr or pt-BR`);
      return [[language, { file, texts: folder.object(file, WORDS_BYTES_MAX) as Catalog }]];
    }),
  );
}

function readMails(folder: BrandingFolder, kinds: readonly string[]): Branding['mails'] {
  const templates: Record<string, MailTemplate> = {};
  for (const file of folder.names('mails')) {
    const name = `mails/${file}`;
    const [, kind, language, part] = MAIL.exec(file) ?? [];
    if (kind === undefined || part === undefined) {
      throw refused(name, 'must be called <mail>.subject, .txt or .html, or <mail>.<language>.txt and so on');
    }
    if (!kinds.includes(kind))
      throw refused(name, `there is no mail "${kind}"; there are ${kinds.join(', ')}`);
    const text = folder.text(name, MAIL_BYTES_MAX);
    checkTemplate(name, part, text);
    const key = language === undefined ? kind : `${kind}.${language}`;
    templates[key] = { ...templates[key], [part]: part === 'subject' ? text.trim() : text };
  }
  return templates;
}
