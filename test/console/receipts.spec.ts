import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyReceipt } from '../../packages/verify/src/proofs.js';
import { hasBrowser } from '../../scripts/support/browser.js';
import type { Json } from '../support/caller.js';
import { approvedKyc } from '../support/clients/kyc-client.js';
import { addIban, BANKS, holdFiles, payOut } from '../support/clients/payouts-client.js';
import { clientOf, logIn, type UserCaller } from '../support/clients/users-client.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;
let maker: UserCaller;

async function place(caller: UserCaller, side: 'buy' | 'sell', price: string): Promise<Json> {
  const order = { market_id: 'BTC-USD', type: 'limit', side, price, size: '0.01' };
  const { status, body } = await caller.post('/orders', order);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

const openOrder = (orderId: string): Promise<ConsoleWindow> =>
  world.openAs('alice', `portfolio/orders/${orderId}`, 'Portfolio');

/** Presses the button of a receipt, sees that it was checked, and saves it: the file proves itself. */
async function saveReceipt(window: ConsoleWindow, button: string, fileName: string): Promise<Json> {
  const { page } = window;
  await window.button(button).click();
  await page.getByText(/Proven: row \d+ of the journal/).waitFor();
  await page.getByText('Checked by this browser').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    window.button('Save the receipt').click(),
  ]);
  expect(download.suggestedFilename()).toBe(fileName);
  const receipt = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(verifyReceipt(receipt, (await alice.get('/journal/keys')).body)).toMatchObject({ ok: true });
  return receipt;
}

describe.runIf(hasBrowser)('receipts in the console', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({ environment: BANKS });
    await holdFiles(world.app);
    [alice, maker] = [await logIn(world.app, 'alice'), await clientOf(world.app, 'maker')];
    expect((await alice.post('/demo/deposits', {})).status).toBeLessThan(300);
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('prove an order of the list, as it was accepted and as it is now', async () => {
    await place(maker, 'sell', '64000');
    const { order_id: orderId } = await place(alice, 'buy', '64000');
    const window = await world.openAs('alice', 'portfolio/orders', 'Portfolio');
    const { page } = window;
    await page
      .getByRole('group', { name: 'Orders' })
      .locator('tbody tr')
      .first()
      .getByRole('link')
      .last()
      .click();
    await page.getByText(orderId, { exact: true }).waitFor();
    await page.getByRole('group', { name: 'Fills' }).waitFor();
    const accepted = await saveReceipt(window, 'Receipt of its acceptance', `receipt-${orderId}.json`);
    expect(accepted).toEqual((await alice.get(`/orders/${orderId}/receipt`)).body);
    await page.getByText('What it says').click();
    const table = page.getByRole('group', { name: 'Receipt' });
    await table.getByRole('cell', { name: 'remaining_lots' }).first().waitFor();
    await saveReceipt(window, 'Receipt of its last change', `receipt-${orderId}-latest.json`);
    await page.getByText('What it says').click();
    await expectReadable(window, 'order with its receipt');
  });

  it('are refused where they are forged, or true and of another order', async () => {
    const [first, second] = [await place(alice, 'buy', '100'), await place(alice, 'buy', '101')];
    const window = await openOrder(first.order_id);
    const { page } = window;
    const answers: ((receipt: Json) => Json)[] = [
      (receipt) => {
        receipt.statement.changes[0].row.filled_lots = 9;
        return receipt;
      },
      () => ({ head: null }),
      () => '<script>alert(1)</script>',
    ];
    const { body: ofSecond } = await alice.get(`/orders/${second.order_id}/receipt`);
    answers.push(() => ofSecond);
    const { order_id: foreign } = await place(maker, 'buy', '102');
    const { body: ofMaker } = await maker.get(`/orders/${foreign}/receipt`);
    answers.push(() => ofMaker);
    for (const [at, answer] of answers.entries()) {
      await page.route('**/orders/*/receipt?*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: answer(await response.json()) });
      });
      await window.button('Receipt of its acceptance').click();
      await page.getByRole('alert').filter({ hasText: 'Not proven' }).waitFor();
      if (at > 2) await page.getByText('it is of something else').waitFor();
      expect(await page.getByText('Checked by this browser').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Save the receipt' }).count()).toBe(0);
      await page.unroute('**/orders/*/receipt?*');
    }
    await saveReceipt(window, 'Receipt of its acceptance', `receipt-${first.order_id}.json`);
  });

  it('are refused where the keys are not those that the browser saw first', async () => {
    const { order_id: orderId } = await place(alice, 'buy', '103');
    const window = await world.openAs('alice', 'proof', 'Proof');
    const { page } = window;
    await page.getByText('The signature is right').waitFor();
    await page.evaluate(() => {
      const seen = JSON.parse(localStorage.getItem('tradepost.witness')!);
      localStorage.setItem('tradepost.witness', JSON.stringify({ ...seen, firstKeyId: 'f'.repeat(32) }));
    });
    await window.goTo(`portfolio/orders/${orderId}`);
    await window.button('Receipt of its acceptance').click();
    await page.getByText('The keys do not begin with the one').waitFor();
  });

  it('prove transfers of the trading account, and payouts', async () => {
    const wallet = await alice.post('/wallets', { name: 'Savings' });
    const moved = await alice.post('/accounts/me/transfers', {
      destination: { type: 'wallet', wallet_id: wallet.body.wallet_id },
      asset: 'USD',
      amount: '12',
    });
    expect(moved.status).toBe(201);
    const { transfer_id: transferId } = moved.body;
    const window = await world.openAs('alice', `wallets/account/${transferId}`, 'Wallets');
    await saveReceipt(window, 'Receipt of what was booked last', `receipt-${transferId}.json`);
    await expectReadable(window, 'transfer with its receipt');
    await window.goTo(`wallets/${wallet.body.wallet_id}/transfers/${transferId}`);
    await window.page.getByText('What became of it').waitFor();
    expect(await window.page.getByText('Receipt', { exact: true }).count()).toBe(0);

    await approvedKyc(alice, await clientOf(world.app, 'admin'));
    const payout = await payOut(alice, await addIban(alice), '10');
    await window.goTo(`banking/payouts/${payout.payout_id}`);
    await saveReceipt(window, 'Receipt of what was booked last', `receipt-${payout.payout_id}.json`);
    await expectReadable(window, 'payout with its receipt');
  });
});
