import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { logIn, refusalOf, UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;

/** Gives the window a device that keeps passkeys, and whose user says yes. */
async function withDevice({ page }: ConsoleWindow): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function openAs(username: string): Promise<ConsoleWindow> {
  const window = await world.openAs(username, 'settings', 'Settings');
  await withDevice(window);
  return window;
}

async function addPasskey(window: ConsoleWindow, name: string): Promise<void> {
  await window.field('Name of the passkey').fill(name);
  await window.page.keyboard.press('Enter');
  await window.page.getByRole('row').filter({ hasText: name }).waitFor();
}

const alertOf = ({ page }: ConsoleWindow) => page.getByRole('alert').filter({ visible: true });

describe.runIf(hasBrowser)('passkeys in a browser', () => {
  beforeAll(async () => {
    // Browsers have none at an address without a host name.
    world = await ConsoleWorld.start({ host: 'localhost', publicUrl: 'http://localhost:0' });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await world.closeWindows();
  });
  afterAll(() => world?.close());

  it('are added and renamed in the settings, and log in alone', async () => {
    const window = await openAs('bob');
    const { page } = window;
    await window.button('Add a passkey').click();
    await page.getByText('Give it a name first.').waitFor();
    await window.field('Name of the passkey').fill('a\u202eb');
    await page.keyboard.press('Enter');
    await page.getByText('name must not have control or formatting characters').waitFor();
    await addPasskey(window, 'Phone');
    const codes = (await page.locator('.secret code').textContent()) ?? '';
    expect(codes.split('\n')).toHaveLength(10);
    await page.getByText('You have 10 recovery codes left.').waitFor();
    await expectReadable(window, 'settings passkeys');
    await window.field('Name of the passkey').fill('Again');
    await page.keyboard.press('Enter');
    await page.getByText('This device has a passkey of yours already.').waitFor();
    await window.button('Rename: Phone').click();
    await page.getByRole('dialog').getByLabel('Name of the passkey').fill('Old phone');
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'Old phone' }).waitFor();

    await window.button('Log out').click();
    await window.button('Log in').click();
    await window.button('Log in with a passkey').waitFor();
    await expectReadable(window, 'log-in passkey');
    await window.button('Log in with a passkey').click();
    await window.button('Log out').waitFor();
    await window.heading('Settings').waitFor();
    await page.getByRole('row').filter({ hasText: 'Old phone' }).waitFor();
  });

  it('are second factors after the password, prove that one is there, and are refused once removed', async () => {
    const window = await openAs('alice');
    const { page } = window;
    vi.useFakeTimers({ toFake: ['Date'] });
    await addPasskey(window, 'Laptop');
    const anyone = new UserCaller(world.app.url);
    expect(refusalOf(await anyone.tryLogIn('alice', 'alice-password'))).toBe('401 second_factor_required');

    await window.button('Log out').click();
    await window.button('Log in').click();
    await page.getByLabel(/user ?name/i).fill('alice');
    await page.getByLabel('Password').fill('alice-password');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Use your passkey' }).waitFor();
    await expectReadable(window, 'log-in second passkey');
    await window.button('Use a passkey').click();
    await page.getByRole('row').filter({ hasText: 'Laptop' }).waitFor();

    vi.setSystemTime(Date.now() + 6 * 60_000);
    await window.button('Remove: Laptop').click();
    await page.getByRole('dialog').locator('form').getByRole('button').click();
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await expectReadable(window, 'step-up passkey');
    await proof.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('You have no passkeys.').waitFor();
    await logIn(world.app, 'alice');

    await window.button('Log out').click();
    await window.button('Log in').click();
    await window.button('Log in with a passkey').click();
    await eventually(async () =>
      expect(await alertOf(window).textContent()).toContain('does not log in here'),
    );
  });

  it('are not needed: who says no goes on by the password, in a browser without script, too', async () => {
    const window = await world.open();
    const { page } = window;
    // A device that knows nobody.
    await withDevice(window);
    await window.goTo('settings');
    await window.button('Log in').click();
    await window.button('Log in with a passkey').click();
    await eventually(async () => expect(await alertOf(window).textContent()).toContain('That did not work'));
    await expectReadable(window, 'log-in passkey failed');
    const address = page.url();

    const plain = await world.open({ javaScriptEnabled: false });
    await plain.page.goto(address);
    await plain.button('Log in').waitFor();
    expect(await plain.button('Log in with a passkey').isVisible()).toBe(false);
  });
});
