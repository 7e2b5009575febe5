import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { approvedKyc } from '../support/clients/kyc-client.js';
import { clientOf, logIn, type UserCaller } from '../support/clients/users-client.js';
import { QuietChainPlugin } from '../support/quiet-chain.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;

const open = (part = ''): Promise<ConsoleWindow> =>
  world.openAs('alice', part === '' ? 'wallets' : `wallets/${part}`, 'Wallets');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });
const part = ({ page }: ConsoleWindow, name: string) => page.getByRole('link', { name, exact: true });

async function newWallet(name: string): Promise<string> {
  const { status, body } = await alice.post('/wallets', { name });
  expect(status).toBe(201);
  return body.wallet_id;
}

async function fill(walletId: string, amount: string, asset = 'USD'): Promise<void> {
  const destination = { type: 'wallet', wallet_id: walletId };
  const { status } = await alice.post('/accounts/me/transfers', { asset, amount, destination });
  expect(status).toBe(201);
}

async function availableIn(walletId: string, code = 'USD'): Promise<string | undefined> {
  const { body } = await alice.get(`/wallets/${walletId}`);
  return body.balances.find((each: { asset: string }) => each.asset === code)?.available;
}

describe.runIf(hasBrowser)('the wallets', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({ plugins: [QuietChainPlugin] });
    alice = await logIn(world.app, 'alice');
    expect((await alice.post('/demo/deposits', {})).status).toBeLessThan(300);
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('make a wallet, an address to receive at by its QR code, and keys of other chains that only sign', async () => {
    const window = await open();
    const { page } = window;
    const make = form(window, 'Make a wallet');
    await page.keyboard.press('Tab');
    await make.getByRole('button').click();
    await make.getByRole('alert').first().waitFor();
    await make.getByLabel('Name').fill('<i>Rainy</i> days');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: '<i>Rainy</i> days' }).waitFor();
    const address = form(window, 'Make an address');
    await address.getByRole('button').click();
    const dialog = page.getByRole('dialog');
    const received = (await dialog.locator('code').first().textContent()) ?? '';
    expect(received).toMatch(/^0x[\dA-Fa-f]{40}$/);
    await dialog.getByRole('img', { name: `QR code of ${received}` }).waitFor();
    await dialog.getByText('Send ETH, USDC over Ethereum').waitFor();
    await dialog.getByText('In all, send at least 0.01 ETH.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row').filter({ hasText: received }).getByRole('button').waitFor();

    for (const chain of ['Bitcoin', 'Solana']) {
      await address.getByLabel('Chain').selectOption(chain);
      await address.getByLabel('Use').selectOption('To receive money');
      await address.getByRole('button').click();
      await address.getByText(`The service is not connected to ${chain.toLowerCase()}`).waitFor();
      await address.getByLabel('Use').selectOption('Only to sign');
      await address.getByRole('button').click();
      const row = page.getByRole('row').filter({ hasText: chain });
      await row.getByText('do not send there').waitFor();
      expect(await row.getByRole('button').count()).toBe(0);
      expect(await page.getByRole('dialog').count()).toBe(0);
    }
  });

  it('send to a wallet only what was looked at, once, and show it on both sides', async () => {
    const walletId = await newWallet('Savings');
    const window = await open('account');
    const { page } = window;
    const send = form(window, 'Send');
    await send.getByLabel('Asset').selectOption('USD');
    await send.getByLabel('Amount').fill('-5');
    await send.getByLabel('Own wallet').selectOption('Savings');
    await send.getByRole('button', { name: 'Check' }).click();
    await send.getByRole('button', { name: 'Send now' }).click();
    await send.locator('.field').filter({ hasText: 'Amount' }).getByRole('alert').waitFor();

    await send.getByLabel('Amount').fill('12,5');
    await send.getByRole('button', { name: 'Check' }).click();
    await send.getByText(`You are about to send 12.5 USD to Wallet ${walletId}.`).waitFor();
    expect(await availableIn(walletId)).toBeUndefined();
    await page.keyboard.press('Enter');
    await send.getByText('It is sent.').waitFor();
    expect(await availableIn(walletId)).toBe('12.5');
    const row = page.getByRole('row').filter({ hasText: walletId });
    expect(await row.textContent()).toContain('Out');
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 2, name: 'Out: 12.5 USD' }).waitFor();

    await window.goTo(`wallets/${walletId}/transfers`);
    const received = page.getByRole('row').filter({ hasText: '12.5 USD' });
    await received.waitFor();
    expect(await received.textContent()).toContain('In');
  });

  it('refuse to send more than there is, and say so', async () => {
    const walletId = await newWallet('Small change');
    await fill(walletId, '3');
    const window = await open(`${walletId}/transfers`);
    const send = form(window, 'Send');
    await send.getByText('3 available').waitFor();
    await send.getByLabel('Amount').fill('4');
    await send.getByLabel('Account ID').fill('acc_0000000000D');
    await send.getByRole('button', { name: 'Check' }).click();
    await send.getByRole('button', { name: 'Send now' }).click();
    await send.getByRole('alert').first().waitFor();
    expect(await availableIn(walletId)).toBe('3');
  });

  it('send to an address outside, follow the transfer, and cancel it in time', async () => {
    await approvedKyc(alice, await clientOf(world.app, 'admin'));
    const walletId = await newWallet('To the chain');
    await fill(walletId, '2', 'ETH');
    const window = await open(`${walletId}/transfers`);
    const { page } = window;
    const send = form(window, 'Send');
    await send.getByLabel('Send to').selectOption('Address outside');
    await send.getByLabel('Amount').fill('1');
    await send.getByLabel('Address', { exact: true }).fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
    await send.getByRole('button', { name: 'Check' }).click();
    await send.getByRole('button', { name: 'Send now' }).click();
    await send.getByText('It is on its way.').waitFor();
    expect(await availableIn(walletId, 'ETH')).toMatch(/^0\.9/);
    await page.getByRole('row').filter({ hasText: 'About to be sent' }).getByRole('link').click();
    await page.getByText('Fee of the chain').waitFor();
    await window.button('Cancel').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('row').filter({ hasText: 'Cancelled' }).waitFor();
    expect(await availableIn(walletId, 'ETH')).toBe('2');
  });

  it('list destinations, refuse an address that is none, and delete them', async () => {
    const window = await open(`${await newWallet('Outward')}/destinations`);
    const { page } = window;
    const list = form(window, 'List a destination');
    await list.getByLabel('Address').fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee');
    await list.getByLabel('Label').fill('Cold storage');
    await list.getByRole('button').click();
    await list.getByRole('alert').first().waitFor();
    await list.getByLabel('Address').fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
    await list.getByRole('button').click();
    const row = page.getByRole('row').filter({ hasText: 'Cold storage' });
    await row.waitFor();
    await part(window, 'Transfers').click();
    await page.getByText('There is nothing to send yet.').waitFor();
    await part(window, 'Destinations').click();
    await row.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No destination is listed').waitFor();
  });

  it('sign a message and typed data by the key of an address', async () => {
    const walletId = await newWallet('Keys');
    const window = await open(`${walletId}/signatures`);
    const { page } = window;
    await page.getByText('Make an address first').waitFor();
    await alice.post(`/wallets/${walletId}/addresses`, { chain: 'ethereum', purpose: 'signing' });
    await page.reload();
    const sign = form(window, 'Sign');
    await sign.getByLabel('Message', { exact: true }).fill('I own this.');
    await sign.getByRole('button').click();
    await page.getByText(/^0x[\da-f]{130}$/).waitFor();
    await page.getByRole('row').filter({ hasText: 'eip191' }).waitFor();
    await sign.getByLabel('What').selectOption('Typed data (EIP-712)');
    await sign.getByLabel('Typed data as JSON').fill('{"types":');
    await sign.getByRole('button').click();
    await sign.getByText('This is not JSON.').waitFor();
    await sign.getByLabel('Typed data as JSON').fill('{"types":{},"primaryType":"Mail"}');
    await sign.getByRole('button').click();
    await sign.getByRole('alert').first().waitFor();
    const typed = {
      types: {
        EIP712Domain: [{ name: 'name', type: 'string' }],
        Mail: [{ name: 'contents', type: 'string' }],
      },
      primaryType: 'Mail',
      domain: { name: 'Post' },
      message: { contents: 'Hello' },
    };
    await sign.getByLabel('Typed data as JSON').fill(JSON.stringify(typed));
    await sign.getByRole('button').click();
    await page.getByRole('row').filter({ hasText: 'eip712' }).waitFor();
  });

  it('show nothing of another’s wallet', async () => {
    const walletId = await newWallet('Private');
    const window = await world.openAs('admin', `wallets/${walletId}`, 'Wallets');
    await window.page.getByRole('alert').waitFor();
    expect(await window.page.content()).not.toContain('Private');
  });

  it('are readable for everybody, in all their parts', async () => {
    const walletId = await newWallet('Readable');
    await fill(walletId, '7');
    await alice.post(`/wallets/${walletId}/addresses`, { chain: 'ethereum', label: 'Shop' });
    const window = await open();
    await window.page.getByRole('link', { name: 'Readable' }).waitFor();
    await expectReadable(window, 'wallets');
    await part(window, 'Trading account').click();
    await window.page.getByRole('row').nth(1).waitFor();
    await expectReadable(window, 'wallets Trading account');
    await window.goTo(`wallets/${walletId}`);
    for (const name of ['Addresses', 'Deposits', 'Transfers', 'Destinations', 'Signatures']) {
      await part(window, name).click();
      await window.page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
      await expectReadable(window, `wallet ${name}`);
    }
    await part(window, 'Transfers').click();
    await window.page.getByRole('row').filter({ hasText: '7 USD' }).getByRole('link').click();
    await window.page.getByRole('heading', { level: 2, name: 'In: 7 USD' }).waitFor();
    await expectReadable(window, 'transfer');
    await part(window, 'Addresses').click();
    await window.page.getByRole('button', { name: /^Receive/ }).click();
    await window.page.getByRole('dialog').waitFor();
    await expectReadable(window, 'receive');
  });
});
