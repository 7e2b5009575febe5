import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deskHealth } from '../../console/src/words/en/desk-health.js';
import { hasBrowser } from '../../scripts/support/browser.js';
import { clientOf } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;

/** The page says what `/health` says: of a machine whose clock was set, as of a sleeping one, that is `degraded`. */
async function expectStateOf(page: Page): Promise<void> {
  const admin = await clientOf(world.app, 'admin');
  await eventually(async () => {
    const { body } = await admin.get('/health');
    const shown = page.getByText(deskHealth.states[body.status as keyof typeof deskHealth.states], {
      exact: true,
    });
    expect(await shown.count(), body.status as string).toBe(1);
  });
}

describe.runIf(hasBrowser)('the desk’s health', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('shows the height of the journal and the state hash as the API has them, and goes on', async () => {
    const { page } = await world.openAs('admin', 'desk/health', 'Health');
    const factOf = async (name: string): Promise<string> =>
      ((await page.locator('.facts > div').filter({ hasText: name }).locator('dd').textContent()) ?? '')
        .replaceAll('\u202f', '')
        .trim();
    const admin = await clientOf(world.app, 'admin');
    const maker = await clientOf(world.app, 'maker');
    expect(await factOf('This process leads')).toBe('yes');
    const before = Number(await factOf('Journal height'));
    const order = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' };
    expect((await maker.post('/orders', order)).status).toBe(201);
    await eventually(async () => expect(Number(await factOf('Journal height'))).toBeGreaterThan(before));
    // Both samples of a rate are there then.
    const placing = page.locator('figure').filter({ hasText: 'Placing an order' });
    await eventually(async () => expect(await placing.textContent()).toMatch(/half within \d/));

    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('They balance').waitFor();
    const { body } = await admin.get('/admin/ledger/check');
    await eventually(async () => expect(await factOf('State hash')).toBe(body.state_hash));
    await page.getByRole('button', { name: 'Sum up all history' }).click();
    await page.getByText('All history adds up.').waitFor();
    await expectStateOf(page);
  });

  it('is readable for everybody', async () => {
    const window = await world.openAs('admin', 'desk/health', 'Health');
    await window.page.getByText('They balance').waitFor();
    await expectStateOf(window.page);
    await expectReadable(window, 'desk health');
  });
});
