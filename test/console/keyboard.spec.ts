import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { accountOf, eur, expectStatus, OPERATORS } from '../e2e/admin/approvals-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld } from './console-world.js';

/** More kinds than there are pages would mean that kinds are told apart by their ids. */
const PAGES_MAX = 80;
const PRESSES_MAX = 400;

let world: ConsoleWorld;

/** Notes what gets the focus by keyboard, and whether one sees that it has it. */
const WATCH = `
  globalThis.reached = new Set();
  globalThis.unseen = new Set();
  globalThis.lineOf = (element) =>
    element.tagName.toLowerCase() + ' ' + (element.ariaLabel ?? element.name ?? '') + ' ' + element.textContent.trim().slice(0, 40);
  document.addEventListener('focusin', ({ target }) => {
    reached.add(target);
    if (!target.matches(':focus-visible') || getComputedStyle(target).outlineStyle === 'none')
      unseen.add(lineOf(target));
  });
  document.activeElement?.blur();
  scrollTo(0, 0);
`;

/** Of a group of radio buttons one takes the focus, and the arrow keys lead to the others. */
const LEFT_OUT = `
  [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0)
    .filter((element) => element.type !== 'radio' || ![...reached].some(({ name, type }) => type === 'radio' && name === element.name))
    .filter((element) => !reached.has(element))
    .map(lineOf)
`;

const LINKS = `[...document.querySelectorAll('a[href^="/console"]')].map(({ pathname }) => pathname)`;

/** Two addresses with the same words but other ids show the same kind of page. */
function kindOf(path: string): string {
  return path.replaceAll(/[a-z]+_[0-9A-Za-z]{11,}/g, '…').replaceAll(/markets\/[^/]+/g, 'markets/…');
}

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await eventually(async () => expect(await page.getByText('Loading…').count()).toBe(0));
}

async function walk(page: Page): Promise<{ leftOut: string[]; unseen: string[] }> {
  await page.evaluate(WATCH);
  for (let presses = 0; presses < PRESSES_MAX; presses++) {
    await page.keyboard.press('Tab');
    if (presses % 10 === 9 && (await page.evaluate<string[]>(LEFT_OUT)).length === 0) break;
  }
  return page.evaluate(`({ leftOut: ${LEFT_OUT}, unseen: [...unseen] })`);
}

/** Follows every link of the console from its first page; answers the kinds of pages that were walked through. */
async function walkAll(page: Page): Promise<string[]> {
  const waiting = [new URL(page.url()).pathname];
  const kinds = new Set<string>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (kinds.has(kindOf(path))) continue;
    kinds.add(kindOf(path));
    expect(kinds.size, [...kinds].join(' ')).toBeLessThan(PAGES_MAX);
    await page.goto(new URL(path, page.url()).href);
    await settle(page);
    expect(await page.getByText('There is no such page').count(), path).toBe(0);
    expect(await walk(page), path).toEqual({ leftOut: [], unseen: [] });
    waiting.push(...(await page.evaluate<string[]>(LINKS)));
  }
  return [...kinds];
}

/** Gives each page something to press. */
async function fillPages(first: UserCaller): Promise<void> {
  const market = { market_id: 'RAIN', kind: 'event', quote_asset: 'EUR', tick_size: '0.01', lot_size: '1' };
  const order = { market_id: 'RAIN', side: 'buy', type: 'limit', price: '0.40', size: '5' };
  for (const [path, body] of [
    ['/admin/assets', { code: 'EUR', scale: 2 }],
    ['/admin/markets', { ...market, title: 'Rain?' }],
    [`/admin/accounts/${await accountOf(first)}/deposits`, eur('1000')],
    ['/orders', order],
    ['/admin/markets', { ...market, market_id: 'SNOW', title: 'Snow?' }],
    ['/admin/markets', { ...market, market_id: 'SUN', title: 'Sun?' }],
    ['/admin/event-groups', { event_group_id: 'SKY', title: 'The sky', market_ids: ['SNOW', 'SUN'] }],
    ['/wallets', { name: 'Savings' }],
    ['/chat/rooms', { name: 'Lobby', type: 'public' }],
    ['/news/webhooks', { url: 'http://127.0.0.1:9/hook' }],
    ['/admin/news', { headline: 'Rain', content: 'It rains.' }],
    ['/admin/blog/posts', { slug: 'rain', title: 'Rain', markdown: 'It rains.' }],
  ] as const) {
    await expectStatus(first.post(path, body), 201);
  }
  const tiers = [{ volume_30d: '0', maker_fee_rate: '0.001', taker_fee_rate: '0.002' }];
  await expectStatus(first.put('/admin/fee-schedules/default', { tiers }), 200);
}

describe.runIf(hasBrowser)('the keyboard', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      seedDemo: false,
      webhookAllowPrivate: true,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    });
    await fillPages(await logIn(world.app, 'first'));
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('leads to all that can be pressed on every page, and one sees where it is', async () => {
    const { page } = await world.openAs('first', 'markets', 'Markets');
    const kinds = await walkAll(page);
    for (const kind of [
      'markets/…',
      'wallets/…',
      'chat/…',
      'news/…',
      'settings/webhooks/…',
      'desk/texts/posts/…',
      'desk/event-groups/SKY',
      'desk/fees/default',
    ]) {
      expect(kinds).toContain(`/console/${kind}`);
    }
  });
});
