import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { limitsOf } from '../support/clients/limits-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;

describe.runIf(hasBrowser)('limits in the portfolio', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
    alice = await logIn(world.app, 'alice');
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('are set at once, loosened after a day, and end', async () => {
    const window = await world.openAs('alice', 'portfolio/limits', 'Portfolio');
    const { page } = window;
    const form = page.getByRole('form', { name: 'Set a limit' });
    const set = async (amount: string): Promise<void> => {
      await form.getByLabel('At most').fill(amount);
      await page.keyboard.press('Enter');
    };
    await page.getByText('This account has no limits.').waitFor();
    await set('ten');
    await form.getByText(/amount must be a plain decimal/).waitFor();
    await set('10');
    await form.getByText('The limit is in force.').waitFor();
    await set('20');
    await form.getByText('The looser limit waits for a day.').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Stakes in event markets' });
    await row.getByText('to 20').waitFor();
    expect(await limitsOf(alice)).toMatchObject([{ amount: '10', pending_amount: '20', period: 'week' }]);
    await row.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await row.getByText('ends').waitFor();
    await expectReadable(window, 'limits');
  });

  it('exclude a user who confirms it', async () => {
    const window = await world.openAs('alice', 'portfolio/limits', 'Portfolio');
    const { page } = window;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Exclude me' }).click();
    await dialog.getByText('Nobody can undo it').waitFor();
    const until = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 16);
    await dialog.getByLabel('Until').fill(until);
    await page.keyboard.press('Escape');
    expect((await alice.get('/user/exclusion')).body.until).toBeNull();
    await page.getByRole('button', { name: 'Exclude me' }).click();
    await dialog.getByLabel('Until').fill(until);
    await dialog.getByRole('button', { name: 'Exclude me' }).click();
    await page.getByText('You are excluded from trading.').waitFor();
    await eventually(async () =>
      expect((await alice.get('/user/exclusion')).body.until).toEqual(expect.any(String)),
    );
    await expectReadable(window, 'exclusion');
  });
});
