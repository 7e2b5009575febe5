import { generate } from 'otplib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { type KeyPair, newKeyPair, SigningCaller } from '../support/clients/request-signer.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let receiver: WebhookReceiver;
let alice: UserCaller;

const open = (part = ''): Promise<ConsoleWindow> =>
  world.openAs('alice', part === '' ? 'settings' : `settings/${part}`, 'Settings');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });

describe.runIf(hasBrowser)('the settings', () => {
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    world = await ConsoleWorld.start({ webhookAllowPrivate: true });
    alice = await logIn(world.app, 'alice');
  });
  afterEach(() => world.closeWindows());
  afterAll(async () => {
    await world?.close();
    await receiver?.close();
  });

  it('make a key that works, show it once, and end it', async () => {
    const window = await open('keys');
    const { page } = window;
    const make = form(window, 'Make a key');
    await make.getByLabel('Name', { exact: true }).fill('<b>Sheet</b> \u202eقلم');
    await make.getByRole('button', { name: 'Make a key' }).click();
    await make.getByText('name must not have control or formatting characters').waitFor();
    await make.getByLabel('Name', { exact: true }).fill('<b>Sheet</b> قلم');
    await make.getByLabel('account:read').check();
    await page.keyboard.press('Enter');
    const key = (await page.locator('.secret code').textContent()) ?? '';
    const asKey = (): Promise<Response> =>
      fetch(`${world.app.url}/accounts/me/balances`, { headers: { api_key: key } });
    expect((await asKey()).status).toBe(200);
    const row = page.getByRole('row').filter({ hasText: '<b>Sheet</b> قلم' });
    expect(await row.textContent()).toContain('account:read');
    await page.reload();
    await row.waitFor();
    expect(await page.content()).not.toContain(key);

    await row.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('refused from then on').waitFor();
    await page.keyboard.press('Escape');
    expect((await asKey()).status).toBe(200);
    await row.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You have no API keys.').waitFor();
    await eventually(async () => expect((await asKey()).status).toBe(401));
  });

  it('rotate a key that is bound to a market, with both good for a while', async () => {
    const made = await alice.post('/auth/api-keys', { name: 'Turning', scopes: ['account:read'] });
    const window = await open('keys');
    const { page } = window;
    const make = form(window, 'Make a key');
    await make.getByLabel('Name', { exact: true }).fill('Bound');
    await make.getByLabel(/Only on these markets/).fill('btc');
    await make.getByRole('button', { name: 'Make a key' }).click();
    await make.getByText('each value in markets must be the id of a market').waitFor();
    await make.getByLabel(/Only on these markets/).fill('BTC-USD\nETH-USD');
    await make.getByRole('button', { name: 'Make a key' }).click();
    const bound = page.getByRole('row').filter({ hasText: 'Bound' });
    await bound.getByText('BTC-USD, ETH-USD').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Rotate: Turning' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const key = (await page.locator('.secret code').textContent()) ?? '';
    for (const api_key of [key, made.body.api_key as string]) {
      const answer = await fetch(`${world.app.url}/accounts/me/balances`, { headers: { api_key } });
      expect(answer.status).toBe(200);
    }
    for (const { api_key_id: id } of (await alice.get('/auth/api-keys')).body.data) {
      await alice.delete(`/auth/api-keys/${id}`);
    }
  });

  it('add a signing key, rotate it, and end it', async () => {
    const [first, second] = [newKeyPair(), newKeyPair()];
    const window = await open('signing');
    const { page } = window;
    const make = form(window, 'Add a signing key');
    await make.getByLabel('Name', { exact: true }).fill('Desk');
    await make.getByLabel('Public key').fill('no key');
    await make.getByLabel('account:read').check();
    await make.getByRole('button', { name: 'Add a signing key' }).click();
    await make.getByText('must be the 32 bytes of an Ed25519 public key').waitFor();
    await make.getByLabel('Public key').fill(first.publicKey);
    await make.getByRole('button', { name: 'Add a signing key' }).click();
    await make.getByText(/The key is added/).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Desk' });
    const keyId = (await row.locator('code').textContent())!;
    const statusBy = async (pair: KeyPair): Promise<number> =>
      (await new SigningCaller(world.app.url, { ...pair, keyId }).get('/accounts/me/balances')).status;
    expect(await statusBy(first)).toBe(200);
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByLabel('Public key').fill(second.publicKey);
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await eventually(async () => expect(await statusBy(second)).toBe(200));
    expect(await statusBy(first)).toBe(200);
    await page.getByRole('button', { name: 'Delete: Desk' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You have no signing keys.').waitFor();
    expect(await statusBy(second)).toBe(401);
  });

  it('make an OAuth client that gets a token, and end it', async () => {
    const window = await open('clients');
    const { page } = window;
    const make = form(window, 'Make a client');
    await make.getByLabel('Name', { exact: true }).fill('Bot');
    await make.getByLabel('authorization_code').check();
    await make.getByLabel('account:read').check();
    await make.getByRole('button', { name: 'Make a client' }).click();
    await make.getByText(/redirect_uris/).waitFor();
    await make.getByLabel('Redirect addresses, one a line').fill('https://bot.example/back');
    await make.getByRole('button', { name: 'Make a client' }).click();
    const secret = (await page.locator('.secret code').textContent()) ?? '';
    const clientId = (await page.getByRole('row').filter({ hasText: 'Bot' }).locator('code').textContent())!;
    const asked = await fetch(`${world.app.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
      }),
    });
    expect(asked.status).toBe(200);
    await page.getByRole('button', { name: 'Delete: Bot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You have no OAuth clients.').waitFor();
    expect((await alice.get('/auth/clients')).body.data).toEqual([]);
  });

  it('register a webhook, send a test, and send it again', async () => {
    const window = await open('webhooks');
    const { page } = window;
    const make = form(window, 'Register a webhook');
    await make.getByLabel('Address').fill('ftp://files.example');
    await make.getByLabel('order.filled').check();
    await make.getByRole('button', { name: 'Register a webhook' }).click();
    await make.getByRole('alert').waitFor();
    await make.getByLabel('Address').fill(receiver.url('/hook'));
    await make.getByRole('button', { name: 'Register a webhook' }).click();
    await page.locator('.secret').waitFor();
    await page.getByRole('link', { name: receiver.url('/hook') }).click();
    await window.button('Send a test').click();
    await eventually(() => expect(receiver.at('/hook')).toHaveLength(1));
    await page.getByRole('link', { name: /^whd_/ }).click();
    await eventually(async () => {
      await window.button('Look again').click();
      expect(await page.getByText('Delivered').count()).toBe(1);
    });
    await page.getByRole('group', { name: 'Attempts' }).getByText('204').waitFor();
    await window.button('Send again').click();
    await eventually(() => expect(receiver.at('/hook')).toHaveLength(2));
    expect(receiver.at('/hook')[0]!.id).toBe(receiver.at('/hook')[1]!.id);
    await expectReadable(window, 'settings delivery');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await window.button('Disable').click();
    await page.getByText('Disabled').waitFor();
    await expectReadable(window, 'settings webhook');
    const { body } = await alice.get('/news/webhooks');
    expect(body.data).toMatchObject([{ disabled: true, event_types: ['order.filled'] }]);
  });

  it('show where one is logged in, and end another session', async () => {
    const elsewhere = await logIn(world.app, 'alice');
    const window = await open();
    const { page } = window;
    const rows = page.getByRole('group', { name: 'Where you are logged in' }).locator('tbody tr');
    await rows.filter({ hasText: 'this one' }).getByText('Chrome').waitFor();
    const before = await rows.count();
    expect(before).toBe((await alice.get('/user/sessions?limit=200')).body.data.length);
    await rows.getByRole('button').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await eventually(async () => expect(await rows.count()).toBe(before - 1));
    await window.button('End all others').click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
    await eventually(async () => expect(await rows.count()).toBe(1));
    expect((await elsewhere.get('/user/sessions')).status).toBe(401);
    alice = await logIn(world.app, 'alice');
  });

  it('set up an authenticator app, ask for its code, and do without it again', async () => {
    const window = await world.openAs('bob', 'settings', 'Settings');
    const { page } = window;
    vi.useFakeTimers({ toFake: ['Date'] });
    const later = (ms: number): unknown => vi.setSystemTime(Date.now() + ms);
    try {
      await window.button('Set up an app').click();
      const secret = (await page.locator('.secret code').textContent())!;
      const nextCode = (): Promise<string> => {
        later(30_000);
        return generate({ secret, epoch: Date.now() / 1_000 });
      };
      await page.getByRole('img', { name: 'The QR code for your authenticator app' }).waitFor();
      const confirm = async (code: string): Promise<void> => {
        await window.field('Code').fill(code);
        await page.keyboard.press('Enter');
      };
      await confirm('000000');
      await page.getByText('check the clock of its device').waitFor();
      await confirm(await nextCode());
      await page.getByText('You have 10 recovery codes left.').waitFor();
      const [recoveryCode = ''] = ((await page.locator('.secret code').textContent()) ?? '').split('\n');
      await expectReadable(window, 'settings authenticator app');

      await window.button('Log out').click();
      await window.button('Log in').click();
      await page.getByLabel(/user ?name/i).fill('bob');
      await page.getByLabel('Password').fill('bob-password');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
      await expectReadable(window, 'log-in code');
      await window.field('Code').fill('000000');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await window.field('Code').fill(recoveryCode);
      await page.keyboard.press('Enter');
      await page.getByText('You have 9 recovery codes left.').waitFor();

      // After five minutes it takes a proof; who gives none changes nothing.
      later(6 * 60_000);
      const remove = async (): Promise<void> => {
        await window.button('Remove the app').click();
        await page.getByRole('dialog').locator('form').getByRole('button').click();
      };
      const proof = page.getByRole('dialog', { name: 'Is it you?' });
      await remove();
      await proof.getByLabel('Code').fill('000000');
      await page.keyboard.press('Enter');
      await proof.getByRole('alert').waitFor();
      await expectReadable(window, 'step-up');
      await page.keyboard.press('Escape');
      await page.getByText('to POST /user/step-up').waitFor();
      await page.keyboard.press('Escape');
      await page.reload();
      await remove();
      await proof.getByLabel('Code').fill(await nextCode());
      await page.keyboard.press('Enter');
      await window.button('Set up an app').waitFor();
    } finally {
      vi.useRealTimers();
    }
  });

  it('change the password, which ends the other sessions', async () => {
    const window = await open();
    const { page } = window;
    const change = async (current: string, next: string, again = next): Promise<void> => {
      await window.field('Current password').fill(current);
      await window.field('New password').fill(next);
      await window.field('New password again').fill(again);
      await page.keyboard.press('Enter');
    };
    await change('alice-password', 'correct horse', 'correct house');
    await page.getByText('This is not the same as the new password.').waitFor();
    await change('wrong', 'correct horse');
    await form(window, 'Password').getByRole('alert').waitFor();
    await change('alice-password', 'correct horse');
    await page.getByText('Your password is changed.').waitFor();
    await page.reload();
    await window.heading('Settings').waitFor();
    await window.button('Log out').waitFor();
    expect((await alice.get('/user/sessions')).status).toBe(401);
    await change('correct horse', 'alice-password');
    await page.getByText('Your password is changed.').waitFor();
    alice = await logIn(world.app, 'alice');
  });

  it('are readable for everybody, in all their parts', async () => {
    const window = await open();
    for (const [part, sight] of [
      ['Security', 'Last used'],
      ['API keys', 'account:read'],
      ['OAuth clients', 'implicit'],
      ['Webhooks', 'order.filled'],
    ] as const) {
      await window.page
        .getByRole('navigation', { name: 'Settings' })
        .getByRole('link', { name: part })
        .click();
      await window.page.getByText(sight).first().waitFor();
      await expectReadable(window, `settings ${part}`);
    }
  });
});
