import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { de } from '../../console/src/words/de/index.js';
import { en } from '../../console/src/words/en/index.js';
import { hasBrowser } from '../../scripts/support/browser.js';
import { de as ofLogIn } from '../../src/modules/auth/words/de.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

const PAGES_OF: Readonly<Record<'alice' | 'admin', readonly (readonly [path: string, title: string])[]>> = {
  alice: [
    ['markets', de.markets.title],
    ['markets/BTC-USD', 'BTC-USD'],
    ['portfolio', de.portfolio.title],
    ['wallets', de.wallets.title],
    ['banking', de.banking.title],
    ['chat', de.chat.title],
    ['news', de.news.title],
    ['proof', de.proof.title],
    ['settings', de.settings.title],
  ],
  admin: [
    ['desk', de.desk.title],
    ['desk/markets', de.deskMarkets.title],
    ['desk/event-groups', de.eventGroups.title],
    ['desk/fees', de.deskFees.title],
    ['desk/people', de.deskPeople.title],
    ['desk/kyc', de.deskKyc.title],
    ['desk/payouts', de.deskPayouts.title],
    ['desk/texts', de.deskTexts.title],
    ['desk/webhooks', de.deskWebhooks.title],
    ['desk/audit', de.deskAudit.title],
    ['desk/health', de.deskHealth.title],
  ],
};

/** Texts of the console that are not the same in German, and could be nobody's data. */
const ENGLISH = new Set(differingTexts(en, de).filter((text) => /[a-z] [a-z]/i.test(text)));

describe.skipIf(!hasBrowser)('the console in German', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.start();
  });
  afterAll(() => world.close());

  it.each(['alice', 'admin'] as const)('says nothing in English to %s, wide and narrow', async (username) => {
    const window = await world.open({ locale: 'de-DE' });
    await logIn(window, username);
    for (const [path, title] of PAGES_OF[username]) {
      await window.goTo(path);
      await window.heading(title).waitFor();
      await eventually(async () => expect(await window.page.locator('[aria-busy="true"]').count()).toBe(0));
      expect(await textsOn(window), path).toEqual([]);
      await expectReadable(window, `german ${path}`);
    }
    await world.closeWindows();
  });
});

async function logIn(window: ConsoleWindow, username: string): Promise<void> {
  await window.button(de.logIn).click();
  await window.page.getByLabel(ofLogIn.logIn.username).fill(username);
  await window.page.getByLabel(ofLogIn.logIn.password).fill(`${username}-password`);
  await window.page.keyboard.press('Enter');
  await window.button(de.logOut).waitFor();
}

/** The English texts that are shown. */
async function textsOn({ page }: ConsoleWindow): Promise<string[]> {
  const shown = await page
    .locator('body :not(script, noscript)')
    .evaluateAll((elements) =>
      elements.flatMap(({ childNodes }) =>
        [...childNodes].map(({ textContent }) => textContent?.trim() ?? ''),
      ),
    );
  return shown.filter((text) => ENGLISH.has(text));
}

function differingTexts(original: unknown, translation: unknown): string[] {
  if (typeof original === 'string') return original === translation ? [] : [original];
  const translated = translation as Readonly<Record<string, unknown>>;
  return Object.entries(original as object).flatMap(([key, text]) => differingTexts(text, translated[key]));
}
