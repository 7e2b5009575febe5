import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import type { Caller, Json } from '../support/caller.js';
import { clientOf } from '../support/clients/users-client.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

const HOSTILE = `<h1>Fees</h1><p>See <a href="javascript:alert(1)">here</a> and <a href="/docs">there</a>.</p>
<script>alert(1)</script><img src=x onerror=alert(1) alt="broken"><img src="https://tracker.example/pixel.png" alt="a pixel">
<h4>Table</h4><table><thead><tr><th>Side</th><th style="text-align:right">Fee</th></tr></thead>
<tbody><tr><td>Maker</td><td style="text-align:right">0.1 %</td></tr></tbody></table>
<p>${'https://long.example/'.padEnd(400, 'x')}</p>`;

let world: ConsoleWorld;
let operator: Caller;

async function publish(item: Json): Promise<string> {
  const { status, body } = await operator.post('/admin/news', item);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.news_id;
}

async function open(part = ''): Promise<ConsoleWindow> {
  const window = await world.open();
  await window.goTo(part === '' ? 'news' : `news/${part}`);
  await window.heading('News').waitFor();
  return window;
}

describe.runIf(hasBrowser)('the news', () => {
  let hostile: string;
  beforeAll(async () => {
    world = await ConsoleWorld.start();
    operator = await clientOf(world.app, 'admin');
    hostile = await publish({
      headline: '<b>Fees</b> & more',
      content: HOSTILE,
      category: 'Network fees',
      symbols: ['BTC-USD'],
      author: 'Anna <i>Eriksson</i>',
      url: 'https://news.example/fees?a=1&b=2',
      language: 'en',
    });
    for (let number = 1; number <= 22; number++) {
      await publish({ headline: `Notice ${number}`, summary: 'Markets stay open.', category: 'Notices' });
    }
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('is read by everyone, a page at a time, and found by words, market and category', async () => {
    const { page } = await open();
    const items = page.getByRole('article');
    await items.first().waitFor();
    expect(await items.count()).toBe(20);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: '<b>Fees</b> & more' }).waitFor();
    const told = async (query: Readonly<Record<string, string>>): Promise<number> => {
      const { body } = await operator.get(
        `/news?${new URLSearchParams({ limit: '200', ...query }).toString()}`,
      );
      return body.data.length;
    };
    expect(await items.count()).toBe(await told({}));
    const find = async (label: string, name: string, text: string): Promise<number> => {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press('Enter');
      const count = await told({ [name]: text });
      await expect.poll(() => items.count()).toBe(count);
      await page.getByLabel(label, { exact: true }).fill('');
      return count;
    };
    expect(await find('About the market', 'symbol', 'BTC-USD')).toBeGreaterThan(0);
    expect(await find('Search', 'q', 'notice 7')).toBe(1);
    expect(await find('Category', 'category', 'network-fees')).toBeGreaterThan(0);
    expect(await find('Search', 'q', '"); DROP TABLE news; --')).toBe(0);
    await page.getByText('There is no such news.').waitFor();
  });

  it('shows what was written, and runs and loads nothing of it', async () => {
    const window = await world.open();
    const foreign: string[] = [];
    window.page.on('request', (request) => {
      if (!request.url().startsWith(world.app.config.publicUrl) && !/^(data|blob):/.test(request.url())) {
        foreign.push(request.url());
      }
    });
    await window.goTo(`news/${hostile}`);
    const { page } = window;
    await page.getByRole('heading', { level: 2, name: '<b>Fees</b> & more' }).waitFor();
    await page.getByText('Anna <i>Eriksson</i>').waitFor();
    expect(await page.getByRole('heading', { level: 3, name: 'Fees' }).count()).toBe(1);
    expect(await page.getByRole('heading', { level: 4, name: 'Table' }).count()).toBe(1);
    expect(await page.getByRole('cell', { name: '0.1 %' }).getAttribute('class')).toBe('aligned-right');
    expect(await page.getByRole('link', { name: 'Image: a pixel' }).getAttribute('href')).toBe(
      'https://tracker.example/pixel.png',
    );
    expect(await page.getByRole('link', { name: 'there' }).getAttribute('href')).toMatch(/^http.*\/docs$/);
    expect(await page.locator('.prose a[href^="javascript"], .prose script, .prose [onerror]').count()).toBe(
      0,
    );
    expect(
      await page.getByRole('link', { name: 'Read the whole text at its source' }).getAttribute('href'),
    ).toBe('https://news.example/fees?a=1&b=2');
    await page.locator('.facts').getByRole('link', { name: 'BTC-USD' }).click();
    await window.heading('BTC-USD').waitFor();
    expect(foreign).toEqual([]);
  });

  it('says where there is no such item', async () => {
    const { page } = await open('nws_0000000000000');
    await page.getByRole('main').getByRole('alert').waitFor();
  });

  it('is readable for everybody', async () => {
    const window = await open();
    await window.page.getByRole('article').first().waitFor();
    await expectReadable(window, 'news');
    await window.goTo(`news/${hostile}`);
    await window.page.getByText('Maker').waitFor();
    await expectReadable(window, 'news item');
  });
});
