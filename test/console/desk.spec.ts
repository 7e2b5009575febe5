import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { accountOf, fund, OPERATORS, userMadeBy } from '../e2e/admin/approvals-client.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let first: UserCaller;
let alice: UserCaller;
let bob: UserCaller;

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });

async function newMarket(marketId: string): Promise<void> {
  const { status, body } = await first.post('/admin/markets', {
    market_id: marketId,
    kind: 'event',
    quote_asset: 'USD',
    tick_size: '0.01',
    lot_size: '1',
    title: 'Rain?',
  });
  expect(status, JSON.stringify(body)).toBe(201);
}

/** Alice is long, Bob is short. */
async function trade(marketId: string, size: string): Promise<void> {
  const order = { market_id: marketId, type: 'limit', price: '0.40', size };
  expect((await bob.post('/orders', { ...order, side: 'sell' })).status).toBe(201);
  expect((await alice.post('/orders', { ...order, side: 'buy' })).status).toBe(201);
}

describe.runIf(hasBrowser)('the desk', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      fourEyes: true,
      seedDemo: false,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    });
    first = await logIn(world.app, 'first');
    const second = await logIn(world.app, 'second');
    expect((await first.post('/admin/assets', { code: 'USD', scale: 2 })).status).toBe(201);
    alice = await userMadeBy(world.app, first, 'alice');
    bob = await userMadeBy(world.app, first, 'bob');
    for (const each of [alice, bob]) {
      await fund([first, second], await accountOf(each), '1000', 'USD');
    }
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('is not shown to customers, whatever address they type', async () => {
    const { page } = await world.openAs('alice', 'desk', 'Desk');
    await page.getByText('This page is for operators.').waitFor();
    expect(await page.getByRole('link', { name: 'Desk', exact: true }).count()).toBe(0);
  });

  it('shows one operator’s proposal to another, who carries it out once', async () => {
    const { account_id: accountId } = (await alice.get('/accounts')).body.data[0];
    const other = await world.openAs('second', 'desk', 'Desk');
    await other.page.getByText('Nothing waits for a decision.').waitFor();
    const deposit = { asset: 'USD', amount: '250.00', reference: '<b>wire</b> 7' };
    expect((await first.post(`/admin/accounts/${accountId}/deposits`, deposit)).status).toBe(202);
    // The inbox is live.
    const summary = `Deposit 250 USD into the account ${accountId} of alice (<b>wire</b> 7).`;
    await other.page.getByRole('link', { name: summary }).click();
    await other.page.getByText('Proposed by').waitFor();

    const own = await world.openAs('first', 'desk', 'Desk');
    await own.page.getByRole('link', { name: summary }).click();
    await own.button('Approve').click();
    await own.page.getByRole('dialog').locator('form').getByRole('button').click();
    await own.page.getByRole('dialog').getByRole('alert').waitFor();

    const balance = async (): Promise<string> =>
      (await alice.get('/accounts/me/balances')).body.data.find(
        ({ asset }: { asset: string }) => asset === 'USD',
      ).total;
    const before = await balance();
    await other.confirm('Approve', 'The bank shows it.');
    await other.page.getByText('Approved', { exact: true }).waitFor();
    await own.page.keyboard.press('Escape');
    await own.page.getByText('Approved', { exact: true }).waitFor();
    expect(Number(await balance()) - Number(before)).toBe(250);
  });

  it('rejects with a reason, and not without', async () => {
    const { account_id: accountId } = (await alice.get('/accounts')).body.data[0];
    const deposit = { asset: 'USD', amount: '1', reference: 'wire 8' };
    await first.post(`/admin/accounts/${accountId}/deposits`, deposit);
    const window = await world.openAs('second', 'desk', 'Desk');
    await window.page.getByRole('link', { name: /wire 8/ }).click();
    await window.button('Reject').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.locator('form').getByRole('button').click();
    await dialog.locator('.field').getByRole('alert').waitFor();
    await dialog.getByLabel('Reason').fill('No such wire.');
    await window.page.keyboard.press('Enter');
    await window.page.getByText('No such wire.').waitFor();
    await window.page.getByRole('link', { name: 'All approvals' }).click();
    await window.field('State').selectOption('Rejected');
    await window.page.getByRole('row').filter({ hasText: 'wire 8' }).waitFor();
  });

  it('creates a market, changes and halts it, and opens it again', async () => {
    const window = await world.openAs('first', 'desk/markets/create', 'Market desk');
    const { page } = window;
    const create = form(window, 'Create a market');
    await create.getByLabel('Market ID').fill('SNOW-OSLO');
    await create.getByLabel('Kind').selectOption('Event');
    await create.getByLabel('Lot size').fill('-1');
    await create.getByRole('button').click();
    await create.locator('.field').filter({ hasText: 'Lot size' }).getByRole('alert').waitFor();
    await create.getByLabel('Lot size').fill('1');
    await create.getByLabel('Title').fill('Snow in Oslo?');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'SNOW-OSLO: open' }).waitFor();
    await window.confirm('Halt: SNOW-OSLO');
    await page.getByRole('heading', { level: 2, name: 'SNOW-OSLO: halted' }).waitFor();
    const change = form(window, 'Change the market');
    await change.getByLabel('Taker fee rate').fill('two');
    await change.getByRole('button').click();
    await change.locator('.field').filter({ hasText: 'Taker fee rate' }).getByRole('alert').waitFor();
    await change.getByLabel('Taker fee rate').fill('0.02');
    await change.getByRole('button').click();
    await change.getByText('Saved.').waitFor();
    await window.confirm('Open: SNOW-OSLO');
    await page.getByRole('heading', { level: 2, name: 'SNOW-OSLO: open' }).waitFor();
    const { body } = await alice.get('/markets/SNOW-OSLO');
    expect(body).toMatchObject({ status: 'open', title: 'Snow in Oslo?', taker_fee_rate: '0.02' });
    await window.goTo('desk/markets');
    await window.field('Search').fill('snow');
    await page.getByRole('row').filter({ hasText: 'SNOW-OSLO' }).waitFor();
  });

  it('settles by two persons who see who gets what, and corrects it', async () => {
    await newMarket('RAIN-LISBON');
    await trade('RAIN-LISBON', '10');
    const one = await world.openAs('first', 'desk/markets/RAIN-LISBON', 'Market desk');
    await one.confirm('Close: RAIN-LISBON');
    const settle = form(one, 'Settle');
    await settle.getByLabel('Settlement value').fill('1.5');
    await settle.getByRole('button').click();
    await settle.getByRole('alert').first().waitFor();
    await settle.getByLabel('Settlement value').fill('1');
    await settle.getByRole('button').click();
    await one.page.getByText('10 USD').waitFor();
    await one.confirm('Settle: RAIN-LISBON');
    await one.page.getByText(/proposes to settle at 1\./).waitFor();

    const two = await world.openAs('second', 'desk', 'Desk');
    await two.page.getByRole('link', { name: /RAIN-LISBON/ }).click();
    await two.page.getByText('10 USD').waitFor();
    await two.confirm('Approve', '');
    await two.page.getByText('Approved', { exact: true }).waitFor();
    await eventually(async () =>
      expect((await alice.get('/markets/RAIN-LISBON')).body).toMatchObject({
        status: 'settled',
        settlement_value: '1',
      }),
    );

    await one.page.reload();
    const correct = form(one, 'Correct the settlement');
    await correct.getByLabel('Settlement value').fill('0');
    await correct.getByRole('button').click();
    await one.page.getByText('-10 USD').waitFor();
    await one.confirm('Correct the settlement: RAIN-LISBON');
    await one.page.getByText(/proposes to settle at 0\./).waitFor();
    await one.confirm('Withdraw the proposal');
    await one.page.getByText(/proposes/).waitFor({ state: 'detached' });
    expect((await first.get('/admin/approvals?status=pending')).body.data).toEqual([]);
  });

  it('adds an asset, and refuses one that is none', async () => {
    const window = await world.openAs('first', 'desk/markets/assets', 'Market desk');
    const add = form(window, 'Add an asset');
    await add.getByLabel('Code').fill('gbp');
    await add.getByRole('button').click();
    await add.locator('.field').filter({ hasText: 'Code' }).getByRole('alert').waitFor();
    await add.getByLabel('Code').fill('CHF');
    await add.getByLabel('Decimals').fill('2');
    await add.getByRole('button').click();
    await window.page.getByRole('row').filter({ hasText: 'CHF' }).waitFor();
  });

  it('is readable for everybody, in its inbox and its markets', async () => {
    await newMarket('READABLE');
    await trade('READABLE', '3');
    await first.patch('/admin/markets/READABLE', { status: 'closed' });
    const settled = { status: 'settled', settlement_value: '0.5' };
    expect((await first.patch('/admin/markets/READABLE', settled)).status).toBe(202);
    const window = await world.openAs('second', 'desk', 'Desk');
    const { page } = window;
    await page.getByRole('link', { name: /READABLE/ }).waitFor();
    await expectReadable(window, 'desk inbox');
    await page.getByRole('link', { name: /READABLE/ }).click();
    await page.getByText('Paid to longs').waitFor();
    await expectReadable(window, 'desk approval');
    await window.goTo('desk/markets');
    await page.getByRole('link', { name: 'READABLE' }).waitFor();
    await expectReadable(window, 'desk markets');
    await page.getByRole('link', { name: 'READABLE' }).click();
    await page.getByText(/proposes to settle/).waitFor();
    await expectReadable(window, 'desk market');
    for (const part of ['Create a market', 'Assets']) {
      await page.getByRole('link', { name: part, exact: true }).click();
      await page.getByRole('heading', { level: 2, name: part, exact: true }).waitFor();
      await expectReadable(window, `desk ${part}`);
    }
  });
});
