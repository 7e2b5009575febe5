import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { answered, newUser } from '../support/clients/accounts-client.js';
import { UserCaller } from '../support/clients/users-client.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;

describe.runIf(hasBrowser)('one’s own data in the settings', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('are exported, and downloaded once the file is ready', async () => {
    const carla = await newUser(world.app, 'carla');
    const window = await world.openAs('carla', 'settings/data', 'Settings');
    const { page } = window;
    await page.getByText('You have asked for no export.').waitFor();
    await window.button('Ask for an export').click();
    await page.getByText('This page shows when it is ready.').waitFor();
    const row = page.getByRole('group', { name: 'Exports of your data' }).locator('tbody tr');
    await row.getByText('ready', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('link', { name: 'Download' }).click(),
    ]);
    const zip = await readFile(await download.path());
    expect(zip.subarray(0, 2).toString('latin1')).toBe('PK');
    const { data } = await answered(carla.get('/user/exports'), 200);
    expect(data).toMatchObject([
      { status: 'ready', size_bytes: zip.length, sha256: createHash('sha256').update(zip).digest('hex') },
    ]);
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
    await expectReadable(window, 'own data');
  });

  it('are erased with the account, which takes a proof and a yes', async () => {
    const leaver = await newUser(world.app, 'leaver');
    const window = await world.openAs('leaver', 'settings/data', 'Settings');
    const { page } = window;
    const asked = page.getByRole('dialog', { name: 'Delete your account' });
    await window.button('Delete your account').click();
    await asked.getByText('leaver is deleted at once').waitFor();
    await expectReadable(window, 'delete the account');
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    expect((await leaver.get('/user/sessions')).status).toBe(200);

    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 6 * 60_000);
      await window.button('Delete your account').click();
      await asked.locator('form').getByRole('button').click();
      const proof = page.getByRole('dialog', { name: 'Is it you?' });
      await proof.getByLabel('Your password').fill('leaver-password');
      expect((await leaver.get('/user/sessions')).status).toBe(200);
      await page.keyboard.press('Enter');
      await window.button('Log in').waitFor();
    } finally {
      vi.useRealTimers();
    }
    await page.getByText('Log in to see this page.').waitFor();
    expect((await leaver.get('/user/sessions')).status).toBe(401);
    const anyone = new UserCaller(world.app.url);
    expect((await anyone.tryLogIn('leaver', 'leaver-password')).status).toBeGreaterThanOrEqual(400);
  });
});
