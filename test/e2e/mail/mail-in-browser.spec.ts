import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../../scripts/support/browser.js';
import type { ConsoleWindow } from '../../console/console-browser.js';
import { ConsoleWorld, expectReadable } from '../../console/console-world.js';
import { UserCaller } from '../../support/clients/users-client.js';
import { type Mail, MailServer } from '../../support/mail-server.js';
import { giveAddress, newReader, newUser } from './mail-client.js';

const NEXT = 'a password that is new';

let server: MailServer;
let world: ConsoleWorld;

/** Opens the HTML of a mail, as a mail program in the browser does. */
async function read({ page }: ConsoleWindow, { html }: Mail): Promise<void> {
  await page.goto('about:blank');
  await page.setContent(html);
}

describe.runIf(hasBrowser)('a person with a mail program', () => {
  beforeAll(async () => {
    server = await MailServer.start();
    world = await ConsoleWorld.start({ mail: server.config });
  });
  afterEach(() => world.closeWindows());
  afterAll(async () => {
    await world?.close();
    await server?.close();
  });

  it('verifies the address, forgets the password, sets another, and logs in', async () => {
    const user = await newUser(world.app);
    await giveAddress(user);
    const window = await world.open();
    const { page } = window;
    await read(window, await server.mail(user.email, 'Verify your mail address'));
    await expectReadable(window, 'mail verify');
    await page.getByRole('link', { name: 'Verify this address' }).click();
    await window.heading('Verify your mail address').waitFor();
    // Looking at the page, as a scanner of mail does, has used nothing up.
    await page.reload();
    await expectReadable(window, 'page verify');
    await window.button('This is my address').click();
    await window.heading('Your address is verified').waitFor();

    await window.goTo('');
    await window.button('Log in').click();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await window.heading('Forgot your password?').waitFor();
    await expectReadable(window, 'page forgot');
    await page.getByLabel('User name or mail address').fill(user.email);
    await page.keyboard.press('Enter');
    await window.heading('Look into your mail').waitFor();

    await read(window, await server.mail(user.email, 'Reset your password'));
    await expectReadable(window, 'mail reset');
    await page.getByRole('link', { name: 'Set a new password' }).click();
    await window.heading('Set a new password').waitFor();
    await expectReadable(window, 'page reset');
    await page.getByLabel('New password').fill('1234');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('New password').fill(NEXT);
    await window.button('Set the password').click();
    await window.heading('Your password is set').waitFor();
    await page.getByRole('link', { name: 'Go on to Tradepost' }).click();
    await window.button('Log in').click();
    await page.getByLabel(/user ?name/i).fill(user.username);
    await page.getByLabel('Password').fill(NEXT);
    await page.keyboard.press('Enter');
    await window.button('Log out').waitFor();
    expect((await new UserCaller(world.app.url).tryLogIn(user.username, user.password)).status).toBe(401);
  });

  it('sees whether the address is verified in the settings, changes it there, and asks for the mail', async () => {
    const reader = await newReader(world.app, server);
    const window = await world.openAs(reader.username, 'settings', 'Settings');
    const panel = window.page.locator('section', {
      has: window.page.getByRole('heading', { name: 'Mail address' }),
    });
    await panel.getByText('verified', { exact: true }).waitFor();
    await panel.getByRole('textbox').fill(`next-${reader.email}`);
    await panel.getByRole('button', { name: 'Change address' }).click();
    await panel.getByText('not verified', { exact: true }).waitFor();
    await server.mail(`next-${reader.email}`, 'Verify your mail address');
    await panel.getByRole('button', { name: 'Send the link again' }).click();
    await panel.getByText('A mail is on its way.').waitFor();
    await expectReadable(window, 'settings security');
  });
});
