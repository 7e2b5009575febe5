import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { clientOf, logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;
let maker: UserCaller;

async function place(caller: UserCaller, side: 'buy' | 'sell', price: string, size: string): Promise<void> {
  const order = { market_id: 'BTC-USD', type: 'limit', side, price, size };
  const answer = await caller.post('/orders', order);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
}

describe.runIf(hasBrowser)('the portfolio', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
    [alice, maker] = [await logIn(world.app, 'alice'), await clientOf(world.app, 'maker')];
    expect((await alice.post('/demo/deposits', {})).status).toBeLessThan(300);
    await place(maker, 'sell', '64000', '0.5');
    await place(alice, 'buy', '64000', '0.5');
    await place(maker, 'buy', '64100', '0.2');
    await place(alice, 'sell', '64100', '0.2');
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('leads from a position to the fills that made it, and from there to the market', async () => {
    const window = await world.openAs('alice', 'portfolio', 'Portfolio');
    const { page } = window;
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'BTC-USD' }) });
    await row.getByRole('link', { name: '0.3', exact: true }).waitFor();
    const { body } = await alice.get('/accounts/me/positions');
    const { realized_pnl: realized } = body.data[0];
    await row.getByRole('link', { name: grouped(realized), exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Fills in BTC-USD' }).waitFor();
    const table = page.getByRole('group', { name: 'Fills' });
    await eventually(async () => expect(await table.locator('tbody tr').count()).toBe(2));
    expect(await table.locator('tbody tr').first().textContent()).toContain('Sell');
    await table.getByRole('link', { name: 'BTC-USD' }).first().click();
    await window.heading('BTC-USD').waitFor();
  });

  it('shows equity and P&L over time, as the API has them', async () => {
    const { page } = await world.openAs('alice', 'portfolio', 'Portfolio');
    const figure = (name: string) => page.locator('.figures div').filter({ hasText: name }).locator('dd');
    const { body } = await alice.get('/accounts/me/pnl');
    await eventually(async () =>
      expect(await figure('Net P&L').textContent()).toBe(`${grouped(body.totals[0].net_pnl)} USD`),
    );
    const [balances, positions] = [
      await alice.get('/accounts/me/balances'),
      await alice.get('/accounts/me/positions'),
    ];
    const usd = Number(balances.body.data.find(({ asset }: { asset: string }) => asset === 'USD').total);
    const worth = Number(positions.body.data[0].market_value);
    const shown = (await figure('Equity').textContent()) ?? '';
    expect(Number(shown.replaceAll(/[^\d.]/g, ''))).toBeCloseTo(usd + worth, 6);
    await page.locator('.history progress').waitFor({ state: 'detached' });
    expect(await page.locator('.history canvas').count()).toBeGreaterThan(0);
  });

  it('follows the balances while orders hold money', async () => {
    const { page } = await world.openAs('alice', 'portfolio', 'Portfolio');
    const usd = page
      .getByRole('group', { name: 'Balances' })
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: 'USD', exact: true }) });
    await usd.waitFor();
    const heldByApi = async (): Promise<string> => {
      const { body } = await alice.get('/accounts/me/balances');
      return body.data.find(({ asset }: { asset: string }) => asset === 'USD').held as string;
    };
    const expectHeld = (amount: string): Promise<void> =>
      eventually(async () => expect(await usd.locator('td').last().textContent()).toBe(grouped(amount)));
    await expectHeld('0');
    await place(alice, 'buy', '10000', '0.1');
    expect(Number(await heldByApi())).toBeGreaterThanOrEqual(1_000);
    await expectHeld(await heldByApi());
    expect((await alice.delete('/orders?market_id=BTC-USD')).status).toBe(200);
    await expectHeld('0');
  });

  it('saves what the API answers as CSV', async () => {
    const window = await world.openAs('alice', 'portfolio/entries', 'Portfolio');
    const { page } = window;
    await page.getByRole('group', { name: 'Entries' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      window.button('Save as CSV').click(),
    ]);
    expect(download.suggestedFilename()).toBe('entries.csv');
    const token = (await alice.tryLogIn('alice', 'alice-password')).body as unknown as string;
    const csv = await fetch(`${world.app.url}/accounts/me/entries`, {
      headers: { accept: 'text/csv', authorization: `Bearer ${token}` },
    });
    expect(await readFile(await download.path(), 'utf8')).toBe(await csv.text());
  });

  it('narrows orders by status and entries by asset', async () => {
    const window = await world.openAs('alice', 'portfolio/orders', 'Portfolio');
    const { page } = window;
    const rows = page.getByRole('group', { name: 'Orders' }).locator('tbody tr');
    await rows.first().waitFor();
    await window.field('Status').selectOption({ label: 'Cancelled' });
    await eventually(async () => {
      const texts = await rows.allTextContents();
      expect(texts.length).toBeGreaterThan(0);
      for (const text of texts) expect(text).toContain('Cancelled');
    });
    await window.field('Status').selectOption({ label: 'Rejected' });
    await page.getByText('No order is like this.').waitFor();
  });

  it('states a month with its opening and closing balances', async () => {
    const window = await world.openAs('alice', 'portfolio/statement', 'Portfolio');
    const { page } = window;
    const table = page.getByRole('group', { name: 'Statement' });
    await table.getByText('Trade').first().waitFor();
    await window.field('From').fill('2020-01-01');
    await window.field('Up to, but without').fill('2020-02-01');
    await eventually(async () => {
      const reasons = await table.locator('tbody tr td:nth-child(2)').allTextContents();
      expect(new Set(reasons)).toEqual(new Set(['Opening balance', 'Closing balance']));
    });
  });

  it('is readable for everybody, in all its parts', async () => {
    const window = await world.openAs('alice', 'portfolio', 'Portfolio');
    await window.page.locator('.history progress').waitFor({ state: 'detached' });
    await expectReadable(window, 'portfolio');
    for (const part of ['Orders', 'Fills', 'Entries', 'Statement']) {
      await window.page
        .getByRole('navigation', { name: 'Portfolio' })
        .getByRole('link', { name: part })
        .click();
      await window.page.getByRole('group', { name: part }).waitFor();
      await expectReadable(window, `portfolio ${part}`);
    }
  });
});

const grouped = (text: string): string => text.replace(/\B(?=(?:\d{3})+(?!\d))/g, '\u202f');
