import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { accountOf, OPERATORS, userMadeBy } from '../e2e/admin/approvals-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let first: UserCaller;
let alice: UserCaller;

const TIERS = [
  { volume_30d: '0', maker_fee_rate: '0.001', taker_fee_rate: '0.002' },
  { volume_30d: '1000000', maker_fee_rate: '-0.0001', taker_fee_rate: '0.0005' },
];

describe.runIf(hasBrowser)('the desk of fees', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start({
      seedDemo: false,
      bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    });
    first = await logIn(world.app, 'first');
    expect((await first.post('/admin/assets', { code: 'USD', scale: 2 })).status).toBe(201);
    alice = await userMadeBy(world.app, first, 'alice');
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('makes a schedule of tiers, and shows beside each field what is wrong', async () => {
    const { page } = await world.openAs('first', 'desk/fees', 'Fees');
    await page.getByText('There is no fee schedule').waitFor();
    await page.getByRole('link', { name: 'Make a schedule' }).click();
    const form = page.getByRole('form', { name: 'Make a schedule' });
    const save = form.getByRole('button', { name: 'Save the schedule' });
    const errorBeside = (label: string, at = 0) =>
      form.locator('.field').filter({ hasText: label }).nth(at).getByRole('alert');
    const fill = async (label: string, at: number, text: string): Promise<void> =>
      form.getByLabel(label).nth(at).fill(text);
    await form.getByLabel('Name').fill('VIP <b>');
    await fill('Maker fee rate', 0, '0.001');
    await fill('Taker fee rate', 0, '1e-3');
    await save.click();
    await errorBeside('Taker fee rate').waitFor();
    await fill('Taker fee rate', 0, '0.002');
    await save.click();
    await errorBeside('Name').waitFor();
    await form.getByLabel('Name').fill('vip');
    await form.getByRole('button', { name: 'Add a tier' }).click();
    await fill('From a volume of', 1, '1000000');
    await fill('Maker fee rate', 1, '-0.1');
    await fill('Taker fee rate', 1, '0.0005');
    await save.click();
    await errorBeside('Maker fee rate', 1).waitFor();
    expect((await first.get('/admin/fee-schedules')).body.data).toEqual([]);
    await fill('Maker fee rate', 1, '-0.0001');
    await form.getByLabel('Volume in').fill('USD');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'vip' }).waitFor();
    expect((await first.get('/admin/fee-schedules/vip')).body).toMatchObject({
      tiers: TIERS,
      volume_asset: 'USD',
    });
  });

  it('changes a schedule, gives it to accounts, and deletes it once nobody has it', async () => {
    const accountId = await accountOf(alice);
    const window = await world.openAs('first', 'desk/fees', 'Fees');
    const { page } = window;
    await page.getByRole('link', { name: 'vip' }).click();
    await page.getByRole('button', { name: 'Remove tier 2' }).click();
    await page.getByRole('button', { name: 'Save the schedule' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await first.get('/admin/fee-schedules/vip')).body.tiers).toEqual(TIERS.slice(0, 1));

    await page.getByRole('link', { name: 'All fee schedules' }).click();
    const give = page.getByRole('form', { name: 'Give an account a schedule' });
    await give.getByLabel('Account ID').fill('acc_nobody');
    await give.getByLabel('Fee schedule').selectOption('vip');
    await give.getByRole('button', { name: 'Give' }).click();
    await give.getByRole('alert').waitFor();
    await give.getByLabel('Account ID').fill(accountId);
    await give.getByRole('button', { name: 'Give' }).click();
    await give.getByText('The account has it').waitFor();
    const given = async (): Promise<unknown> =>
      (await first.get(`/admin/accounts/${accountId}/fee-schedule`)).body.name;
    expect(await given()).toBe('vip');

    await window.goTo('desk/fees/vip');
    await page.getByRole('button', { name: 'Delete: vip' }).click();
    await page.getByRole('dialog').locator('form').getByRole('button').click();
    await page.getByRole('dialog').getByText('Accounts have this schedule').waitFor();
    await page.keyboard.press('Escape');

    await window.goTo(`desk/people/accounts/${accountId}`);
    const ofAccount = page.getByRole('form', { name: 'Fee schedule' });
    await eventually(async () => expect(await ofAccount.getByLabel('Fee schedule').inputValue()).toBe('vip'));
    await ofAccount.getByLabel('Fee schedule').selectOption('That of all');
    await ofAccount.getByRole('button', { name: 'Give' }).click();
    await ofAccount.getByText('The account has it').waitFor();
    expect(await given()).toBeNull();

    await window.goTo('desk/fees/vip');
    await window.confirm('Delete: vip');
    await page.getByText('There is no fee schedule').waitFor();
    expect((await first.get('/admin/fee-schedules/vip')).status).toBe(404);
  });

  it('is readable for everybody, and keeps customers out', async () => {
    expect((await first.put('/admin/fee-schedules/default', { tiers: TIERS })).status).toBe(200);
    const window = await world.openAs('first', 'desk/fees', 'Fees');
    await window.page.getByRole('link', { name: 'default' }).waitFor();
    await window.page.getByRole('form', { name: 'Give an account a schedule' }).waitFor();
    await expectReadable(window, 'fee schedules');
    await window.page.getByRole('link', { name: 'default' }).click();
    await window.page.getByRole('button', { name: 'Remove tier 2' }).waitFor();
    await expectReadable(window, 'fee schedule');
    const customer = await world.openAs('alice', 'desk/fees', 'Fees');
    await customer.page.getByText('This page is for operators.').waitFor();
  });
});
