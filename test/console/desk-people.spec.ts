import { generate } from 'otplib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { accountOf, fund, OPERATORS, userMadeBy } from '../e2e/admin/approvals-client.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let first: UserCaller;
let second: UserCaller;
let alice: UserCaller;
let account: string;

const open = (part: string): Promise<ConsoleWindow> =>
  world.openAs('first', part === '' ? 'desk/people' : `desk/people/${part}`, 'People');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });

async function usdOf(caller: UserCaller): Promise<string> {
  const { data } = (await caller.get('/accounts/me/balances')).body;
  return data.find(({ asset }: { asset: string }) => asset === 'USD').total;
}

describe.runIf(hasBrowser)('the desk’s people', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      fourEyes: true,
      seedDemo: false,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    });
    first = await logIn(world.app, 'first');
    second = await logIn(world.app, 'second');
    expect((await first.post('/admin/assets', { code: 'USD', scale: 2 })).status).toBe(201);
    alice = await userMadeBy(world.app, second, 'alice');
    account = await accountOf(alice);
    await fund([second, first], account, '1000', 'USD');
    const market = { market_id: 'RAIN', kind: 'event', quote_asset: 'USD', tick_size: '0.01', lot_size: '1' };
    expect((await first.post('/admin/markets', market)).status).toBe(201);
    const order = { market_id: 'RAIN', type: 'limit', side: 'buy', price: '0.40', size: '5' };
    expect((await alice.post('/orders', order)).status).toBe(201);
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('finds a user, locks and unlocks', async () => {
    const mule = await userMadeBy(world.app, second, 'mule');
    const window = await open('');
    const { page } = window;
    await window.field('Begins with').fill('MUL');
    await page.getByRole('row').filter({ hasText: 'alice' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'mule' }).click();
    await window.button('Lock: mule').click();
    await page.getByRole('dialog').locator('form').getByRole('button').click();
    await page.getByRole('dialog').locator('.field').getByRole('alert').waitFor();
    await page.getByLabel('Reason').fill('A stolen laptop.');
    await page.keyboard.press('Enter');
    await page.getByText('Locked', { exact: true }).waitFor();
    expect((await mule.get('/accounts')).status).toBe(401);
    await window.confirm('Unlock: mule', '');
    await page.getByText('Active', { exact: true }).first().waitFor();
    await logIn(world.app, 'mule');
  });

  it('proposes an operator, and says that another one must approve', async () => {
    await userMadeBy(world.app, second, 'candidate');
    const window = await open('users/candidate');
    await window.confirm('Make an operator: candidate');
    await window.page.getByText('another operator must approve').waitFor();
    const { data } = (await second.get('/admin/approvals?status=pending&kind=operator')).body;
    expect(data).toMatchObject([{ subject: { type: 'user', id: 'candidate' } }]);
  });

  it('proposes to remove the second factor of a user who has one', async () => {
    const user = await userMadeBy(world.app, second, 'forgetful');
    const window = await open('users/forgetful');
    await window.button('Remove second factor: forgetful').click();
    const dialog = window.page.getByRole('dialog');
    await dialog.locator('form').getByRole('button').click();
    await dialog.getByText('The user has no second factor.').waitFor();
    await window.page.keyboard.press('Escape');
    const { secret } = (await user.post('/user/totp', {})).body;
    const code = await generate({ secret });
    expect((await user.post('/user/totp/confirm', { code })).status).toBe(200);
    await window.confirm('Remove second factor: forgetful');
    await window.page.getByText('another operator must approve').waitFor();
    const { data } = (await second.get('/admin/approvals?status=pending&kind=factor_reset')).body;
    expect(data).toMatchObject([{ subject: { type: 'user', id: 'forgetful' } }]);
  });

  it('proposes deposits and adjustments, each once, with errors beside their fields', async () => {
    const window = await open(`accounts/${account}`);
    const before = await usdOf(alice);
    for (const [name, submit] of [
      ['Deposit', 'Deposit'],
      ['Adjust', 'Adjust'],
    ] as const) {
      const booking = form(window, name);
      await booking.getByLabel('Asset').fill('USD');
      await booking.getByLabel('Amount').fill('-12');
      await booking.getByLabel('Reference').fill(`<b>${name}</b>`);
      if (name === 'Adjust') await booking.getByLabel('Reason').fill('Fee taken twice.');
      await booking.getByRole('button', { name: submit }).click();
      await booking.locator('.field').filter({ hasText: 'Amount' }).getByRole('alert').waitFor();
      await booking.getByLabel('Amount').fill('12.50');
      await booking.getByRole('button', { name: submit }).click();
      await booking.getByText('It is proposed').waitFor();
    }
    expect(await usdOf(alice)).toBe(before);
    const { data } = (await second.get('/admin/approvals?status=pending')).body;
    const kinds = data.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['deposit', 'adjustment']));
  });

  it('freezes an account, which cancels its orders, and proposes to unfreeze it', async () => {
    const window = await open('accounts');
    const { page } = window;
    await window.field('Begins with').fill('alice');
    await page.getByRole('link', { name: account }).click();
    await page.getByRole('row').filter({ hasText: 'RAIN' }).waitFor();
    await window.confirm(`Freeze: ${account}`, 'Asked by the court.');
    await page.getByText('Frozen', { exact: true }).waitFor();
    expect((await alice.get('/orders?status=open')).body.data).toEqual([]);
    await window.confirm(`Unfreeze: ${account}`, '');
    await page.getByText('another operator must approve').waitFor();
  });

  it('lists orders of all owners, and what each operator did', async () => {
    const window = await open('orders');
    const { page } = window;
    await window.field('Market').fill('RAIN');
    await page.getByRole('row').filter({ hasText: account }).waitFor();
    await window.field('Market').fill('NOWHERE');
    await page.getByText('There are no such orders.').waitFor();
    await window.goTo('desk/audit');
    await window.field('To what').fill('user:alice');
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click();
    await page.getByRole('dialog').locator('pre').waitFor();
  });

  it('is readable for everybody, in all its parts', async () => {
    const window = await open('');
    const { page } = window;
    await page.getByRole('link', { name: 'alice' }).waitFor();
    await expectReadable(window, 'desk people');
    await page.getByRole('link', { name: 'alice' }).click();
    await page.getByRole('link', { name: account }).waitFor();
    await expectReadable(window, 'desk user');
    await page.getByRole('link', { name: account }).click();
    await page.getByRole('row').filter({ hasText: 'RAIN' }).waitFor();
    await expectReadable(window, 'desk account');
    for (const part of ['Accounts', 'Orders', 'Trades']) {
      await page.getByRole('link', { name: part, exact: true }).click();
      await window.heading('People').waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      await expectReadable(window, `desk ${part}`);
    }
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click();
    await expectReadable(window, 'desk audit');
  });
});
