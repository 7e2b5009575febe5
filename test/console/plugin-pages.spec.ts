import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { ConsolePage, TradepostPlugin } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

/** As a plugin ships it: plain modules, which need nothing but what they are given. */
const POINTS = `
export default async function points(element, { client, username, rest, navigate, signal }) {
  const { data } = await client.get('/accounts', { signal });
  const text = document.createElement('p');
  text.className = 'points';
  text.textContent = username + ' has ' + data.length + ' account, level ' + (rest[0] ?? 'none');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Next level';
  button.addEventListener('click', () => navigate('plugins/acme-loyalty/points/' + (Number(rest[0] ?? 0) + 1)));
  element.append(text, button);
  signal.addEventListener('abort', () => { document.documentElement.dataset.left = rest[0] ?? 'none'; });
}`;
const BROKEN = `export default function broken() { throw new Error('The points are all gone.'); }`;

let folder: string;
let world: ConsoleWorld;

describe.runIf(hasBrowser)('pages of plugins', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-page-'));
    const file = async (name: string, content: string): Promise<URL> => {
      await writeFile(join(folder, name), content);
      return pathToFileURL(join(folder, name));
    };
    class AcmePlugin {}
    TradepostPlugin({
      name: 'acme-loyalty',
      compatibility: '>=0.1.0',
      consolePages: [
        new ConsolePage({
          path: 'points',
          title: 'Points & "prizes"',
          audience: 'users',
          script: await file('points.js', POINTS),
          styles: await file('points.css', '.points { font-style: italic; }'),
        }),
        new ConsolePage({
          path: 'grants',
          title: 'Grants',
          audience: 'operators',
          script: await file('broken.js', BROKEN),
        }),
      ],
    })(AcmePlugin);
    world = await ConsoleWorld.start({ plugins: [AcmePlugin] });
  });
  afterEach(() => world.closeWindows());
  afterAll(async () => {
    await world?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('stand in the navigation of those they are for, and call the service for them', async () => {
    const window = await world.open();
    const { page } = window;
    await page.getByRole('link', { name: 'Markets' }).waitFor();
    expect(await page.getByRole('link', { name: 'Points & "prizes"' }).count()).toBe(0);
    await window.logIn('alice');
    await page.getByRole('link', { name: 'Points & "prizes"' }).click();
    await window.heading('Points & "prizes"').waitFor();
    await page.getByText('alice has 1 account, level none').waitFor();
    const style = `getComputedStyle(document.querySelector('.points')).fontStyle`;
    await eventually(async () => expect(await page.evaluate<string>(style)).toBe('italic'));
    await window.button('Next level').click();
    await page.getByText('alice has 1 account, level 1').waitFor();
    expect(await page.locator('html').getAttribute('data-left')).toBe('none');
    await expectReadable(window, 'page of a plugin');
    await page.getByRole('link', { name: 'Markets', exact: true }).click();
    await window.heading('Markets').waitFor();
    expect(await page.locator('.points').count()).toBe(0);
  });

  it('are opened by their addresses, and by nobody else', async () => {
    const anybody = await world.open();
    await anybody.goTo('plugins/acme-loyalty/points');
    await anybody.page.getByText('Log in to see this page.').waitFor();
    await anybody.goTo('plugins/acme-loyalty/prizes');
    await anybody.heading('There is no such page').waitFor();
    const alice = await world.openAs('alice', 'plugins/acme-loyalty/grants', 'Grants');
    await alice.page.getByText('This page is for operators.').waitFor();
  });

  it('say what went wrong, and leave the console as it is', async () => {
    const { page } = await world.openAs('admin', 'plugins/acme-loyalty/grants', 'Grants');
    await page.getByRole('alert').getByText('The points are all gone.').waitFor();
    await page.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: 'Grants' }).waitFor();
  });
});
