import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { accountOf, fund, OPERATORS, userMadeBy } from '../e2e/admin/approvals-client.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let first: UserCaller;
let alice: UserCaller;

const MARKETS = ['CUP-RED', 'CUP-GREEN', 'CUP-BLUE'];

async function newMarket(marketId: string): Promise<void> {
  const { status, body } = await first.post('/admin/markets', {
    market_id: marketId,
    kind: 'event',
    quote_asset: 'USD',
    tick_size: '0.01',
    lot_size: '1',
    title: `${marketId}?`,
  });
  expect(status, JSON.stringify(body)).toBe(201);
}

const money = async (): Promise<number> =>
  Number(
    (await alice.get('/accounts/me/balances')).body.data.find(
      ({ asset }: { readonly asset: string }) => asset === 'USD',
    ).total,
  );

describe.runIf(hasBrowser)('event groups', () => {
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
    await fund([first, second], await accountOf(alice), '100', 'USD');
    for (const market of MARKETS) await newMarket(market);
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('are made in the desk, of markets that can exclude each other', async () => {
    const { page } = await world.openAs('first', 'desk/event-groups/create', 'Event groups');
    const form = page.getByRole('form', { name: 'Make a group' });
    const make = form.getByRole('button', { name: 'Make a group' });
    await form.getByLabel('Group ID').fill('CUP');
    await form.getByLabel('Title').fill('Who wins <i>the cup</i>?');
    await form.getByLabel('Markets').fill('CUP-RED');
    await make.click();
    await form.locator('.field').filter({ hasText: 'Markets' }).getByRole('alert').waitFor();
    await form.getByLabel('Markets').fill('CUP-RED, NOWHERE');
    await make.click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Markets').fill('CUP-RED, CUP-GREEN\nCUP-BLUE');
    await make.click();
    await page.getByRole('heading', { level: 2, name: 'CUP' }).waitFor();
    await page.getByText('Who wins <i>the cup</i>?').waitFor();
    await page.getByText('Close all its markets first').waitFor();
    expect((await first.get('/event-groups/CUP')).body.market_ids).toEqual(MARKETS);
  });

  it('let customers split money into sets on the market’s page, and merge them', async () => {
    const window = await world.openAs('alice', 'markets/CUP-RED', 'CUP-RED');
    const { page } = window;
    const form = page.getByRole('form', { name: 'Sets' });
    const before = await money();
    await form.getByLabel('Sets to trade').fill('0.5');
    await window.button('Split money into sets').click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Sets to trade').fill('1000');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').waitFor();
    expect(await money()).toBe(before);
    await form.getByLabel('Sets to trade').fill('10');
    await window.button('Split money into sets').click();
    await page.getByText('You have bought 10 sets.').waitFor();
    await eventually(async () => expect(await money()).toBe(before - 10));
    await form.getByLabel('Sets to trade').fill('4');
    await window.button('Merge sets into money').click();
    await page.getByText('4 sets have become money.').waitFor();
    await eventually(async () => expect(await money()).toBe(before - 6));
    await page.getByRole('list', { name: 'Markets of this group' }).getByText('CUP-BLUE').click();
    await page.getByRole('heading', { level: 1, name: 'CUP-BLUE' }).waitFor();
  });

  it('are settled by two persons, after a preview of who gets what', async () => {
    const before = await money();
    for (const market of MARKETS)
      expect((await first.patch(`/admin/markets/${market}`, { status: 'closed' })).status).toBe(200);
    const one = await world.openAs('first', 'desk/event-groups/CUP', 'Event groups');
    const form = one.page.getByRole('form', { name: 'Settle the group' });
    await form.getByRole('button', { name: 'Preview' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('The market that wins').selectOption('CUP-GREEN');
    await form.getByRole('button', { name: 'Preview' }).click();
    await one.page.getByText('To those who are long in CUP-GREEN').waitFor();
    await one.page.getByText('6 USD').waitFor();
    await one.confirm('Settle the group: CUP');
    await one.page.getByText('It is proposed').waitFor();
    expect((await first.get('/event-groups/CUP')).body.winning_market_id).toBeNull();

    const two = await world.openAs('second', 'desk', 'Desk');
    await two.page.getByRole('link', { name: 'Settle the event group CUP: CUP-GREEN wins.' }).click();
    await two.page.getByRole('link', { name: 'event_group CUP' }).waitFor();
    await two.confirm('Approve', '');
    await two.page.getByText('Approved', { exact: true }).waitFor();
    await eventually(async () =>
      expect((await first.get('/event-groups/CUP')).body.winning_market_id).toBe('CUP-GREEN'),
    );
    await eventually(async () => expect(await money()).toBe(before + 6));
    await two.page.getByRole('link', { name: 'event_group CUP' }).click();
    await two.page.getByText('Settled: CUP-GREEN has won.').waitFor();
  });

  it('are readable for everybody', async () => {
    for (const market of ['LIST-A', 'LIST-B']) await newMarket(market);
    const group = { event_group_id: 'LIST', title: 'A or B?', market_ids: ['LIST-A', 'LIST-B'] };
    expect((await first.post('/admin/event-groups', group)).status).toBe(201);
    const customer = await world.openAs('alice', 'markets/LIST-A', 'LIST-A');
    await customer.page.getByRole('form', { name: 'Sets' }).waitFor();
    await customer.expectState('Live');
    await expectReadable(customer, 'market of a group');
    for (const market of group.market_ids)
      await first.patch(`/admin/markets/${market}`, { status: 'closed' });
    const window = await world.openAs('first', 'desk/event-groups', 'Event groups');
    await window.page.getByRole('link', { name: 'LIST' }).waitFor();
    await expectReadable(window, 'event groups');
    await window.page.getByRole('link', { name: 'LIST' }).click();
    await window.field('The market that wins').selectOption('LIST-A');
    await window.button('Preview').click();
    await window.page.getByText('To those who are short in the others').waitFor();
    await expectReadable(window, 'event group');
    await window.page.getByRole('link', { name: 'Make a group' }).click();
    await window.page.getByRole('form', { name: 'Make a group' }).waitFor();
    await expectReadable(window, 'new event group');
  });
});
