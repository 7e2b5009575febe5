import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { answered, invite, letIn, openSubAccount } from '../support/clients/accounts-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import type { Json } from '../support/caller.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let alice: UserCaller;
let bob: UserCaller;

const openAs = (username: string, accountId?: string): Promise<ConsoleWindow> =>
  world.openAs(username, ['portfolio/accounts', accountId].filter(Boolean).join('/'), 'Portfolio');

const form = ({ page }: ConsoleWindow, name: string) => page.getByRole('form', { name });
const rowsOf = ({ page }: ConsoleWindow, table: string) =>
  page.getByRole('group', { name: table }).locator('tbody tr');

const accountsOf = async (user: UserCaller): Promise<Json[]> =>
  (await answered(user.get('/accounts'), 200)).data as Json[];
const membersOf = async (accountId: string): Promise<Json[]> =>
  (await answered(alice.get(`/accounts/${accountId}/members`), 200)).data as Json[];

async function availableIn(accountId: string): Promise<string | undefined> {
  const { data } = await answered(alice.get(`/accounts/${accountId}/balances`), 200);
  return data.find(({ asset }: Json) => asset === 'USD')?.available;
}

describe.runIf(hasBrowser)('accounts in the portfolio', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
    [alice, bob] = [await logIn(world.app, 'alice'), await logIn(world.app, 'bob')];
    await answered(alice.post('/demo/deposits', {}), 201);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await world.closeWindows();
  });
  afterAll(() => world?.close());

  it('open a sub-account, and move money into it once', async () => {
    const window = await openAs('alice');
    const { page } = window;
    const open = form(window, 'Open a sub-account');
    expect(await form(window, 'Move money between your accounts').count()).toBe(0);
    await open.getByRole('button').click();
    await open.getByRole('alert').waitFor();
    await open.getByLabel('Name').fill('<b>Hedge</b> قلم');
    await page.keyboard.press('Enter');
    await open.getByText('The account is open.').waitFor();
    await rowsOf(window, 'Your accounts')
      .filter({ hasText: '<b>Hedge</b> قلم' })
      .getByText('owner')
      .waitFor();
    const opened = (await accountsOf(alice)).filter(({ name }) => name === '<b>Hedge</b> قلم');
    expect(opened).toMatchObject([{ role: 'owner', is_main: false }]);
    const accountId: string = opened[0]!.account_id;

    const move = form(window, 'Move money between your accounts');
    await move.getByLabel('To').selectOption(accountId);
    await move.getByLabel('Amount').fill('-5');
    await page.keyboard.press('Enter');
    await move.locator('.field').filter({ hasText: 'Amount' }).getByRole('alert').waitFor();
    await move.getByLabel('Amount').fill('99999999999');
    await page.keyboard.press('Enter');
    await move.getByText('Less than 99999999999 USD is available.').waitFor();
    expect(await availableIn(accountId)).toBeUndefined();
    await move.getByLabel('Amount').fill('12,5');
    await page.keyboard.press('Enter');
    await move.getByText('The money is moved.').waitFor();
    expect(await availableIn(accountId)).toBe('12.5');
    await expectReadable(window, 'accounts');

    await page.getByRole('link', { name: 'Overview' }).click();
    await window.field('Account').selectOption(accountId);
    await page.getByRole('group', { name: 'Balances' }).getByText('12.5').first().waitFor();
  });

  it('invite somebody with a proof, change the role, and end the membership', async () => {
    const accountId = await openSubAccount(alice, 'Shared');
    const window = await openAs('alice');
    const { page } = window;
    await page.getByRole('link', { name: 'Shared' }).click();
    await page.getByRole('heading', { level: 2, name: 'Members of Shared' }).waitFor();
    await page.getByText('Nobody else can act on this account.').waitFor();
    const inviting = form(window, 'Invite somebody');
    const rows = rowsOf(window, 'Members of Shared');
    const send = async (username: string, role: string): Promise<void> => {
      await inviting.getByLabel('Username').fill(username);
      await inviting.getByLabel('Role').selectOption(role);
      await inviting.getByRole('button', { name: 'Invite somebody' }).click();
    };
    await send('no such/name', 'viewer');
    await inviting.getByRole('alert').waitFor();

    // After five minutes it takes a proof.
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 6 * 60_000);
    await send('bob', 'viewer');
    const proof = page.getByRole('dialog', { name: 'Is it you?' });
    await proof.getByLabel('Your password').fill('alice-password');
    expect(await membersOf(accountId)).toEqual([]);
    await page.keyboard.press('Enter');
    await inviting.getByText('The invitation is good for seven days.').waitFor();
    await rows.filter({ hasText: 'bob' }).getByText('invited').waitFor();
    expect(await membersOf(accountId)).toMatchObject([
      { username: 'bob', role: 'viewer', status: 'invited' },
    ]);

    await answered(bob.post(`/accounts/${accountId}/membership`, {}), 204);
    await send('bob', 'trader');
    await inviting.getByText('The new role counts from now on.').waitFor();
    await rows.filter({ hasText: 'trader' }).getByText('active').waitFor();
    expect(await membersOf(accountId)).toMatchObject([{ username: 'bob', role: 'trader', status: 'active' }]);
    await expectReadable(window, 'members of an account');

    await window.button('End: bob').click();
    await page.getByRole('dialog').getByText('can no longer see this account').waitFor();
    await page.keyboard.press('Escape');
    expect((await bob.get(`/accounts/${accountId}/balances`)).status).toBe(200);
    await window.confirm('End: bob');
    await page.getByText('Nobody else can act on this account.').waitFor();
    await eventually(async () => expect((await bob.get(`/accounts/${accountId}/balances`)).status).toBe(404));
  });

  it('accept and decline invitations, and leave an account of somebody else’s', async () => {
    const [wanted, unwanted] = [
      await openSubAccount(alice, 'Wanted'),
      await openSubAccount(alice, 'Declined'),
    ];
    await invite(alice, wanted, 'bob', 'trader');
    await invite(alice, unwanted, 'bob', 'viewer');
    const window = await openAs('bob');
    const invitations = rowsOf(window, 'Invitations to you');
    await invitations.filter({ hasText: 'Wanted' }).getByText('alice').waitFor();
    await expectReadable(window, 'invitations to accounts');
    await window.confirm('Decline: Declined');
    await eventually(async () => expect(await invitations.count()).toBe(1));
    expect(await membersOf(unwanted)).toEqual([]);
    await window.confirm('Accept: Wanted');
    await window.page.getByText('Nobody has invited you to an account.').waitFor();
    const row = rowsOf(window, 'Your accounts').filter({ hasText: 'Wanted' });
    await row.getByText('trader').waitFor();
    // What belongs to others is no account to manage, or to move money from here.
    expect(await row.getByRole('link').count()).toBe(0);
    expect(await accountsOf(bob)).toContainEqual(expect.objectContaining({ account_id: wanted }));

    await window.confirm('Leave: Wanted');
    await row.waitFor({ state: 'detached' });
    expect(await membersOf(wanted)).toEqual([]);
    expect((await bob.get(`/accounts/${wanted}/balances`)).status).toBe(404);
  });

  it('say what the service says about members of an account of somebody else’s', async () => {
    const accountId = await openSubAccount(alice, 'Foreign');
    await letIn(alice, accountId, bob, 'bob', 'viewer');
    const window = await openAs('bob', accountId);
    await window.page.getByRole('alert').waitFor();
    expect(await form(window, 'Invite somebody').count()).toBe(0);
  });
});
