import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { de } from '../../console/src/words/de/index.js';
import { en } from '../../console/src/words/en/index.js';
import { hasBrowser } from '../../scripts/support/browser.js';
import { type Catalog, isPlural } from '../../src/domain/words/catalog.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

const GERMAN = { locale: 'de-DE' };

/** Of the trading side, then of the desk. */
const PAGES = [
  ['markets', 'Märkte'],
  ['markets/BTC-USD', 'BTC-USD'],
  ['portfolio', 'Depot'],
  ['portfolio/orders', 'Depot'],
  ['portfolio/statement', 'Depot'],
  ['portfolio/limits', 'Depot'],
  ['portfolio/accounts', 'Depot'],
  ['wallets', 'Wallets'],
  ['banking', 'Bank'],
  ['chat', 'Chat'],
  ['news', 'Nachrichten'],
  ['proof', 'Nachweis'],
  ['settings', 'Einstellungen'],
  ['settings/keys', 'Einstellungen'],
  ['settings/webhooks', 'Einstellungen'],
] as const;
const DESK = [
  ['desk', 'Verwaltung'],
  ['desk/markets', 'Marktverwaltung'],
  ['desk/fees', 'Gebühren'],
  ['desk/people', 'Personen'],
  ['desk/kyc', 'Identitäten'],
  ['desk/payouts', 'Auszahlungen'],
  ['desk/texts', 'Inhalte'],
  ['desk/webhooks', 'Webhooks'],
  ['desk/audit', 'Prüfprotokoll'],
  ['desk/health', 'Systemzustand'],
] as const;

function textsOf(catalog: Catalog): string[] {
  return Object.values(catalog).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : isPlural(entry) ? Object.values(entry) : textsOf(entry),
  );
}

const SPOKEN = new Set(textsOf(de));
/** What only the English console says; a placeholder stands for anything. */
const ENGLISH = textsOf(en)
  .filter((text) => !SPOKEN.has(text) && /\p{L}{3}/u.test(text.replaceAll(/\{\w+\}/g, '')))
  .map((text) => {
    const parts = text
      .split(/\{\w+\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return new RegExp(`^${parts.join('.+')}$`);
  });

/** Everything that a person reads or hears there. */
function told(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) found.push(walker.currentNode.textContent ?? '');
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
      for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
        found.push(element.getAttribute(name) ?? '');
    }
    return found.map((text) => text.trim()).filter((text) => text !== '');
  });
}

let world: ConsoleWorld;

async function open(username: string): Promise<ConsoleWindow> {
  const window = await world.open(GERMAN);
  await window.button('Anmelden').click();
  await window.page.getByLabel('Benutzername').fill(username);
  await window.page.getByLabel('Passwort').fill(`${username}-password`);
  await window.page.keyboard.press('Enter');
  await window.button('Abmelden').waitFor();
  return window;
}

async function expectGerman(
  window: ConsoleWindow,
  pages: readonly (readonly [string, string])[],
): Promise<void> {
  for (const [path, title] of pages) {
    await window.goTo(path);
    await window.heading(title).waitFor();
    await eventually(async () => expect(await told(window.page)).not.toContain(de.loading));
    const english = (await told(window.page)).filter((text) => ENGLISH.some((each) => each.test(text)));
    expect(english, path).toEqual([]);
    await expectReadable(window, `german ${path}`);
  }
}

describe.runIf(hasBrowser)('the console in German', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('says nothing in English to traders, and fits', async () => {
    const window = await open('alice');
    expect(await window.page.evaluate(() => document.documentElement.lang)).toBe('de');
    await expectGerman(window, PAGES);
  });

  it('says nothing in English to operators, and fits', async () => {
    await expectGerman(await open('admin'), DESK);
  });

  it('is chosen in the foot, kept, and the user’s from then on', async () => {
    const window = await world.open();
    await window.logIn('bob');
    await window.page.getByLabel('Language').selectOption('de');
    await window.button('Abmelden').waitFor();
    await window.goTo('portfolio');
    await window.heading('Depot').waitFor();
    const other = await world.open();
    await other.button('Log in').click();
    await other.page.getByLabel(/user ?name/i).fill('bob');
    await other.page.getByLabel('Password').fill('bob-password');
    await other.page.keyboard.press('Enter');
    await other.button('Abmelden').waitFor();
  });
});
