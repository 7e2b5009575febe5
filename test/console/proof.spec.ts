import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;

async function place(): Promise<string> {
  const order = { market_id: 'BTC-USD', type: 'limit', side: 'buy', price: '100', size: '0.01' };
  const { status, body } = await alice.post('/orders', order);
  expect(status).toBe(201);
  return body.order_id;
}

describe.runIf(hasBrowser)('the page of proof', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
    alice = await logIn(world.app, 'alice');
    expect((await alice.post('/demo/deposits', {})).status).toBeLessThan(300);
    await place();
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('checks the newest head, and that the next one goes on from it', async () => {
    const { page } = await world.openAs('alice', 'proof', 'Proof');
    await page.getByText('The signature is right').waitFor();
    const rows = page.locator('.facts div').filter({ hasText: 'Rows' }).locator('dd').first();
    const before = await rows.textContent();
    await place();
    await eventually(async () => {
      expect((await alice.get('/journal/head')).body.height).toBeGreaterThan(Number(before));
    });
    // Once: a second look would go on from what the first one saw.
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(`the journal goes on from row ${before}`).waitFor();
    const lookAgain = async (changed: string, told: string): Promise<void> => {
      // A look that is still under way would store what it saw over the change.
      await eventually(async () => {
        await page.evaluate((text) => {
          const seen = JSON.parse(localStorage.getItem('tradepost.witness')!);
          const changes = JSON.parse(text);
          const head = { ...seen.head, ...changes.head };
          localStorage.setItem('tradepost.witness', JSON.stringify({ ...seen, ...changes, head }));
        }, changed);
        await page.getByRole('button', { name: 'Check again' }).click();
        await page.getByText(told).waitFor({ timeout: 2_000 });
      });
    };
    // A head that the service never signed, as if it had told this browser another story before.
    await lookAgain(JSON.stringify({ head: { root_hash: 'e'.repeat(64) } }), 'Not proven');
    await lookAgain(JSON.stringify({ firstKeyId: 'f'.repeat(32) }), 'The keys do not begin with the one');
  });

  it('replays the public journal, and names the row that is forged', async () => {
    const window = await world.openAs('alice', 'proof', 'Proof');
    const { page } = window;
    const button = page.getByRole('button', { name: 'Replay everything' });
    await button.click();
    await page.getByText('Every trade was the turn of its order').waitFor();
    await page.getByText('Digest of all books').waitFor();
    await expectReadable(window, 'public-journal');
    // Somebody on the way makes an order smaller than it was.
    await page.route('**/journal/public*', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      await route.fulfill({ response: answer, body: text.replace('"size_lots":', '"size_lots":1') });
    });
    await button.click();
    await page.getByText(/Not proven: the public part of row \d+ is not the one/).waitFor();
    expect(await page.getByText('Every trade was the turn').count()).toBe(0);
  });

  it('gets the receipt of an order and proves it', async () => {
    const window = await world.openAs('alice', 'proof', 'Proof');
    const { page } = window;
    const orderId = await place();
    await page.getByLabel('Order id').fill(orderId);
    await page.getByRole('button', { name: 'Get and check the receipt' }).click();
    await page.getByText(/Proven: row \d+ of the journal/).waitFor();
    const table = page.getByRole('group', { name: 'Receipt' });
    await table.getByRole('cell', { name: 'remaining_lots' }).waitFor();
    await expectReadable(window, 'proof');
    await page.getByLabel('Order id').fill('ord_00000000ZZZ');
    await page.getByRole('button', { name: 'Get and check the receipt' }).click();
    await page.getByText('There is no such order').waitFor();
  });

  it('checks a receipt that was pasted, and names what is forged', async () => {
    const { page } = await world.openAs('alice', 'proof', 'Proof');
    const { body: receipt } = await alice.get(`/orders/${await place()}/receipt`);
    const pasted = page.getByRole('textbox', { name: 'Receipt' });
    const button = page.getByRole('button', { name: 'Check the receipt', exact: true });
    await pasted.fill(JSON.stringify(receipt));
    await button.click();
    await page.getByText(/Proven: row \d+/).waitFor();
    receipt.statement.changes[0].row.filled_lots = 9;
    await pasted.fill(JSON.stringify(receipt));
    await button.click();
    await page.getByText('the statement is not one that the row has').waitFor();
    expect(await page.getByText(/Proven: row/).count()).toBe(0);
    for (const hostile of ['', '{', 'null', '[]', '{"head":{}}', '<script>alert(1)</script>']) {
      await pasted.fill(hostile);
      await button.click();
      await page.getByRole('alert').waitFor();
    }
  });
});
