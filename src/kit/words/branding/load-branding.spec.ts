import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusal } from '../../config/start-refusal.js';
import { Texts } from '../texts.js';
import { WordCatalog } from '../word-catalog.js';
import { NO_BRANDING, type Branding } from './branding.js';
import { loadBranding } from './load-branding.js';

const SHOP = new WordCatalog('shop', {
  en: {
    title: 'Shop',
    count: { one: '{count} thing', other: '{count} things' },
    mails: { sold: { subject: 'Sold' } },
  },
  de: {
    title: 'Laden',
    count: { one: '{count} Ding', other: '{count} Dinge' },
    mails: { sold: { subject: 'Verkauft' } },
  },
} as const);
const SVG =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><path fill="url(#a)" d="M0 0h1v1z"/></svg>';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradepost-branding-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: string | Buffer | object): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
  await writeFile(join(folder, name), isRaw ? content : JSON.stringify(content));
}

const load = (): Branding => loadBranding(folder, SHOP.mails);
const texts = (defaultLanguage = 'en'): Texts =>
  new Texts({ catalogs: [SHOP], branding: load(), defaultLanguage });

describe('BRANDING_DIR', () => {
  it('changes nothing where it is not set, or empty', () => {
    expect(loadBranding(undefined, [])).toBe(NO_BRANDING);
    expect(load()).toEqual(NO_BRANDING);
    expect(Object.keys(texts().languages)).toEqual(['en', 'de']);
  });

  it('has the looks, the words and the mails of the operator', async () => {
    await write('branding.json', {
      name: 'Harbour',
      colours: { light: { accent: '#7a1f5c' } },
      support: 'help@harbour.example',
      footer_links: [{ label: 'Imprint', url: 'https://harbour.example/imprint' }],
    });
    await write('logo.svg', SVG);
    await write('words.de.json', { shop: { title: 'Kaufhaus' } });
    await write('mails/sold.subject', '{product}: {subject}\n');
    await write('mails/sold.de.txt', '{greeting}\n{link}');
    const branding = load();
    expect(branding).toMatchObject({ name: 'Harbour', support: 'help@harbour.example' });
    expect(branding.logo).toMatchObject({ name: 'logo.svg', contentType: 'image/svg+xml' });
    expect(branding.mails).toEqual({
      sold: { subject: '{product}: {subject}' },
      'sold.de': { txt: '{greeting}\n{link}' },
    });
    expect(texts().of(SHOP, 'de').title).toBe('Kaufhaus');
    expect(texts().of(SHOP, 'de').count({ count: 2 })).toBe('2 Dinge');
    expect(texts().of(SHOP, 'en').title).toBe('Shop');
  });

  it('brings a language by a file alone, whose gaps are English', async () => {
    await write('words.fr.json', { shop: { title: 'Boutique' } });
    expect(texts().languages).toMatchObject({ fr: 'Français' });
    expect(texts('fr').of(SHOP, 'xx').title).toBe('Boutique');
    expect(texts().of(SHOP, 'fr').mails.sold.subject).toBe('Sold');
    expect(texts().best(['fr-CA', 'de'])).toBe('fr');
  });

  it.each<[string, string | Buffer | object, string]>([
    ['words.de.json', { shop: { titel: 'x' } }, 'words.de.json: there is no text "shop.titel"'],
    ['words.fr.json', { shop: { title: '{x}' } }, 'words.fr.json: "shop.title" has no placeholder {x}'],
    ['words.xx_YY.json', {}, '"xx_YY" is no language'],
    ['words.de.json', '{', 'words.de.json: is no JSON'],
    ['words.de.json', '[]', 'must be an object of JSON'],
    ['words.de.json', Buffer.from([0xff, 0xfe]), 'must be text in UTF-8'],
    ['words.de.json', `{"shop": {"title": "${'x'.repeat(1 << 20)}"}}`, 'must not be larger than 1024 KiB'],
    ['words.txt', 'x', 'words.txt: is not known here'],
    ['branding.json', { nmae: 'x' }, 'there is no "nmae"; there are name, colours, support, footer_links'],
    ['branding.json', { name: 'a\nb' }, '"name" must be a text'],
    ['branding.json', { name: 'a\u202eb' }, '"name" must be a text'],
    ['branding.json', { colours: { light: { accent: 'red' } } }, '"colours.light.accent" must be #'],
    ['branding.json', { colours: { light: { accent: '#fff;}' } } }, '"colours.light.accent" must be #'],
    ['branding.json', { colours: { light: { glow: '#ffffff' } } }, 'there is no "colours.light.glow"'],
    ['branding.json', { colours: { dark: { accent: '#333333' } } }, 'and text needs 4.5'],
    ['branding.json', { support: 'javascript:alert(1)' }, '"support" must be'],
    [
      'branding.json',
      { footer_links: [{ label: 'x', url: 'javascript:alert(1)' }] },
      '"footer_links" must be',
    ],
    ['logo.svg', `<svg onload="alert(1)"/>`, 'logo.svg: must not have "onload="'],
    ['logo.svg', '<svg><script>alert(1)</script></svg>', 'must not have "<script"'],
    ['logo.svg', '<svg><image href="https://x.example/a"/></svg>', 'must not have "<image"'],
    ['logo.svg', '<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', 'must be an image'],
    ['logo.svg', '<html><svg/></html>', 'must be an image'],
    ['logo.svg', `<svg>${' '.repeat(1 << 18)}</svg>`, 'must not be larger than 256 KiB'],
    ['logo.png', SVG, 'logo.png: is no PNG'],
    ['mails/bought.txt', '{link}', 'there is no mail "bought"; there are sold'],
    ['mails/sold.md', 'x', 'must be called <mail>.subject'],
    ['mails/sold.txt', '{link} {token}', 'has the placeholder {token}'],
    ['mails/sold.subject', '{link}', 'has the placeholder {link}'],
    ['mails/sold.subject', 'a\nBcc: x', 'must be one line'],
    ['mails/sold.html', '<p>{body}</p>', 'lacks {link}'],
  ])('refuses %s with %j', async (name, content, line) => {
    await write(name, content);
    expect(texts).toThrow(StartRefusal);
    expect(texts).toThrow(line);
  });

  it('reads nothing outside of it', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'tradepost-outside-'));
    await writeFile(join(outside, 'words.de.json'), '{}');
    await writeFile(join(outside, 'sold.txt'), '{link}');
    await symlink(join(outside, 'words.de.json'), join(folder, 'words.de.json'));
    expect(load).toThrow('words.de.json: must be no link');
    await rm(join(folder, 'words.de.json'));
    await symlink(outside, join(folder, 'mails'));
    await rm(join(outside, 'words.de.json'));
    expect(load).toThrow('must be no link');
    await rm(outside, { recursive: true });
    await rm(join(folder, 'mails'));
    await mkdir(join(folder, 'logo.png'));
    expect(load).toThrow('logo.png: must be a file');
    expect(() => loadBranding(join(folder, 'none'), [])).toThrow(
      'BRANDING_DIR must be a folder that can be read (ENOENT).',
    );
  });

  it('refuses a default language that there is not', () => {
    expect(() => texts('fr')).toThrow('DEFAULT_LANGUAGE must be one of en, de.');
  });
});
