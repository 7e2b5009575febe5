import { isEmail } from 'class-validator';
import { type Branding, COLOUR_NAMES, type Colours, type FooterLink, NO_BRANDING } from './branding.js';
import { type BrandingFolder, isObject, refused } from './branding-folder.js';
import { unreadablePair } from './colours.js';
import { COLOUR } from './contrast.js';

const FILE = 'branding.json';
const BYTES_MAX = 64 * 1024;
const NAME_LENGTH_MAX = 60;
const LABEL_LENGTH_MAX = 60;
const LINKS_MAX = 8;
const FIELDS = ['name', 'colours', 'support', 'footer_links'] as const;

type Looks = Pick<Branding, 'name' | 'colours' | 'support' | 'footerLinks'>;

/** What `branding.json` says, the service's own where it is not there. Throws a StartRefusal for the first thing that is wrong. */
export function readBrandingFile(folder: BrandingFolder): Looks {
  if (!folder.names().includes(FILE)) return NO_BRANDING;
  const told = folder.object(FILE, BYTES_MAX);
  requireKnown(told, FIELDS, '');
  const { name = NO_BRANDING.name, colours = {}, support = null, footer_links: links = [] } = told;
  if (!isLine(name, NAME_LENGTH_MAX)) {
    throw refused(FILE, `"name" must be a text of 1 to ${NAME_LENGTH_MAX} characters in one line`);
  }
  if (!isObject(colours)) throw refused(FILE, '"colours" must be an object');
  requireKnown(colours, ['light', 'dark'], 'colours.');
  if (support !== null && !isSupport(support)) {
    throw refused(FILE, '"support" must be an e-mail address or an address of https');
  }
  if (!Array.isArray(links) || links.length > LINKS_MAX || !links.every(isLink)) {
    throw refused(
      FILE,
      `"footer_links" must be a list of at most ${LINKS_MAX} objects, each with a "label" and a "url" of https`,
    );
  }
  return {
    name,
    support,
    footerLinks: links.map(({ label, url }) => ({ label, url: new URL(url).href })),
    colours: { light: coloursOf('light', colours['light']), dark: coloursOf('dark', colours['dark']) },
  };
}

function coloursOf(scheme: 'light' | 'dark', told: unknown = {}): Colours {
  if (!isObject(told)) throw refused(FILE, `"colours.${scheme}" must be an object`);
  requireKnown(told, COLOUR_NAMES, `colours.${scheme}.`);
  for (const [name, colour] of Object.entries(told)) {
    if (typeof colour === 'string' && COLOUR.test(colour)) continue;
    throw refused(FILE, `"colours.${scheme}.${name}" must be # and six hexadecimal digits`);
  }
  const unreadable = unreadablePair(scheme, told);
  if (unreadable !== undefined) throw refused(FILE, unreadable);
  return told;
}

function requireKnown(told: object, known: readonly string[], path: string): void {
  const unknown = Object.keys(told).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw refused(FILE, `there is no "${path}${unknown}"; there are ${known.join(', ')}`);
}

function isLine(value: unknown, lengthMax: number): value is string {
  return (
    typeof value === 'string' &&
    value.trim() === value &&
    value !== '' &&
    value.length <= lengthMax &&
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)
  );
}

function isSupport(value: unknown): value is string {
  return typeof value === 'string' && (isEmail(value) || isHttps(value));
}

function isLink(value: unknown): value is FooterLink {
  return (
    isObject(value) &&
    Object.keys(value).every((key) => key === 'label' || key === 'url') &&
    isLine(value['label'], LABEL_LENGTH_MAX) &&
    isHttps(value['url'])
  );
}

function isHttps(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:';
}
