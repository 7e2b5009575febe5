import type { Catalog } from '../../../domain/words/catalog.js';

/** The colours that can be chosen, by the names of CSS custom properties. */
export const COLOUR_NAMES = ['surface', 'raised', 'line', 'text', 'quiet', 'accent', 'on-accent'] as const;
export type Colours = Partial<Readonly<Record<(typeof COLOUR_NAMES)[number], string>>>;

export interface FooterLink {
  readonly label: string;
  readonly url: string;
}

export interface Logo {
  /** `logo.svg` or `logo.png`. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** One kind of mail, in the operator's words; what is not there is as the service has it. */
export interface MailTemplate {
  readonly subject?: string;
  readonly txt?: string;
  readonly html?: string;
}

/** How the service looks and what it is called. */
export interface Branding {
  readonly name: string;
  readonly colours: { readonly light: Colours; readonly dark: Colours };
  /** An e-mail or web address; null where there is none. */
  readonly support: string | null;
  readonly footerLinks: readonly FooterLink[];
  readonly logo: Logo | null;
  /** What `words.<language>.json` have: the file's name and what is in it, by language. */
  readonly words: Readonly<Record<string, { readonly file: string; readonly texts: Catalog }>>;
  /** By `<mail>` and `<mail>.<language>`. */
  readonly mails: Readonly<Record<string, MailTemplate>>;
}

export const NO_BRANDING: Branding = {
  name: 'Tradepost',
  colours: { light: {}, dark: {} },
  support: null,
  footerLinks: [],
  logo: null,
  words: {},
  mails: {},
};
