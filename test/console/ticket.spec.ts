import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import type { Json } from '../support/caller.js';
import { clientOf, logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';

let world: ConsoleWorld;
let maker: UserCaller;
let alice: UserCaller;

async function openMarket(): Promise<ConsoleWindow> {
  const window = await world.openAs('alice', 'markets/BTC-USD', 'BTC-USD');
  await window.page.locator('.book button').first().waitFor();
  await window.expectState('Live');
  return window;
}

const openOrders = async (): Promise<Json[]> =>
  (await alice.get('/orders?market_id=BTC-USD&status=open,untriggered,partially_filled')).body.data;
/** The newest order, once there is one that is none of `before`. */
async function placed(before: readonly Json[] = []): Promise<Json> {
  return eventually(async () => {
    const [newest] = (await alice.get('/orders?market_id=BTC-USD&limit=1')).body.data;
    expect(before.map(({ order_id: id }) => id)).not.toContain(newest.order_id);
    return newest;
  });
}

async function fill(window: ConsoleWindow, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await window.field(label).first().fill(value);
}

async function choose(window: ConsoleWindow, choices: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, option] of Object.entries(choices)) await window.field(label).selectOption(option);
}

const preview = ({ page }: ConsoleWindow) => page.getByRole('region', { name: 'What it would do now' });

/** What stands beside a field as its error. */
async function errorOf(window: ConsoleWindow, label: string): Promise<string> {
  const input = window.field(label).first();
  await eventually(async () => expect(await input.getAttribute('aria-invalid')).toBe('true'));
  const id = (await input.getAttribute('aria-describedby'))!.split(' ')[0]!;
  return (await window.page.locator(`[id="${id}"]`).textContent()) ?? '';
}

describe.runIf(hasBrowser)('the ticket', () => {
  beforeAll(async () => {
    world = await ConsoleWorld.start();
    maker = await clientOf(world.app, 'maker');
    alice = await logIn(world.app, 'alice');
    expect((await alice.post('/demo/deposits', {})).status).toBe(201);
    await maker.place({ market_id: 'BTC-USD', type: 'limit', side: 'sell', price: '64000', size: '5' });
    await maker.place({ market_id: 'BTC-USD', type: 'limit', side: 'buy', price: '63000', size: '5' });
    await alice.place({ market_id: 'BTC-USD', type: 'market', side: 'buy', size: '0.5' });
  });
  beforeEach(async () => {
    await alice.delete('/orders?all=true');
  });
  afterEach(() => world.closeWindows());
  afterAll(() => world?.close());

  it('places a stop that the mark price triggers, and one that trails by percent or by a price', async () => {
    const window = await openMarket();
    await window.page.getByRole('radio', { name: 'Sell' }).check();
    await choose(window, { Type: 'Stop', 'Triggered by': 'The mark price' });
    await fill(window, { 'Stop price': '60000', Size: '0.1' });
    await preview(window).getByText('Waits for its price.').waitFor();
    await window.button('Place order').click();
    await window.page.getByText('Your stop waits for its price.').waitFor();
    const [stop] = await openOrders();
    expect(stop).toMatchObject({ type: 'stop', trigger: 'mark', stop_price: '60000', size: '0.1' });

    await choose(window, { Type: 'Trailing stop', 'Follow by': 'Percent' });
    await fill(window, { Percent: '0', Size: '0.1' });
    await window.button('Place order').click();
    expect(await errorOf(window, 'Percent')).toBe('Enter a number for “Percent”, such as 1.5.');
    await fill(window, { Percent: '100' });
    await window.button('Place order').click();
    expect(await errorOf(window, 'Percent')).toMatch(/trailing_percent/);
    await fill(window, { Percent: '2.5' });
    await preview(window).getByText('Waits for its price.').waitFor();
    await window.button('Place order').click();
    await window.page.getByRole('cell', { name: '2.5 %' }).waitFor();
    expect(await placed([stop!])).toMatchObject({ type: 'trailing_stop', trailing_percent: '2.5' });

    await choose(window, { 'Follow by': 'A price' });
    await fill(window, { Offset: '1e3', Size: '0.1' });
    await window.button('Place order').click();
    expect(await errorOf(window, 'Offset')).not.toBe('');
    const before = await openOrders();
    await fill(window, { Offset: '500' });
    await window.button('Place order').click();
    expect(await placed(before)).toMatchObject({ trailing_offset: '500', stop_price: '63500' });
  });

  it('hides a part of an order, and refuses to show too little of it', async () => {
    const window = await openMarket();
    await window.page.getByText('More', { exact: true }).click();
    await fill(window, { Price: '60000', Size: '1', 'Shown size (may stay empty)': '0.001' });
    await window.button('Place order').click();
    expect(await errorOf(window, 'Shown size (may stay empty)')).toMatch(/display_size/);
    await fill(window, { 'Shown size (may stay empty)': '0.2' });
    await window.button('Place order').click();
    await window.page.getByText('Your order is in the book.').waitFor();
    expect((await openOrders())[0]).toMatchObject({ size: '1', display_size: '0.2' });
    await eventually(async () => expect((await window.book()).bids).toContainEqual(['60000.00', '0.2']));
  });

  it('spends no more than what is entered, at the market', async () => {
    const window = await openMarket();
    await choose(window, { Type: 'Market', 'Amount as': 'Stake' });
    await window.field('Stake').fill('6400');
    await window.page.getByText('It spends at most that, fees included.').waitFor();
    await preview(window).getByText('64 000', { exact: false }).first().waitFor();
    const before = Number((await alice.balance('USD')).total);
    await window.button('Place order').click();
    await window.page.getByText('Your order is filled.').waitFor();
    const order = await placed();
    expect(order).toMatchObject({ type: 'market', quote_size: '6400', status: 'filled' });
    const spent = before - Number((await alice.balance('USD')).total);
    expect(spent).toBeLessThanOrEqual(6400);
    expect(spent).toBeGreaterThan(6300);
  });

  it('places two exits of which one cancels the other', async () => {
    const window = await openMarket();
    await window.page.getByRole('radio', { name: 'Sell' }).check();
    await choose(window, { Type: 'One cancels the other' });
    await window.button('Place orders').click();
    expect(await errorOf(window, 'Limit of the exit')).not.toBe('');
    expect(await errorOf(window, 'Stop price')).not.toBe('');
    await fill(window, { 'Limit of the exit': '66000', 'Stop price': '61000', Size: '0.2' });
    await preview(window).getByText('0.2 BTC').waitFor();
    await fill(window, { 'Limit of the stop (may stay empty)': '60900.001' });
    await window.button('Place orders').click();
    await window.page.locator('.ticket').getByRole('alert').first().waitFor();
    expect(await openOrders()).toEqual([]);
    await fill(window, { 'Limit of the stop (may stay empty)': '60900' });
    await window.button('Place orders').click();
    await window.page.getByText('Your orders are placed.').waitFor();
    const { data } = (await alice.get('/order-lists?limit=1')).body;
    expect(data).toMatchObject([
      {
        type: 'oco',
        status: 'open',
        orders: [
          { type: 'limit', side: 'sell', price: '66000', size: '0.2' },
          { type: 'stop_limit', side: 'sell', stop_price: '61000', price: '60900' },
        ],
      },
    ]);
    await window.page.getByText('in a list').first().waitFor();
  });

  it('places a bracket, and previews the exits that its entry arms', async () => {
    const window = await openMarket();
    await choose(window, { Type: 'Bracket', Entry: 'At the market' });
    await fill(window, { 'Limit of the exit': '66000', 'Stop price': '61000', Size: '0.1' });
    await preview(window).getByRole('heading', { name: 'Stop' }).waitFor();
    await preview(window).getByText('0.1 BTC').waitFor();
    await window.button('Place orders').click();
    await window.page.getByText('Your orders are placed.').waitFor();
    const [list] = (await alice.get('/order-lists?limit=1')).body.data;
    expect(list).toMatchObject({ type: 'bracket', status: 'open' });
    expect(list.orders.map(({ status, side }: Json) => `${side} ${status}`)).toEqual([
      'buy filled',
      'sell open',
      'sell untriggered',
    ]);

    await choose(window, { Entry: 'At a limit price' });
    await fill(window, { Price: '62000', Size: '0.1' });
    await preview(window).getByText('Waits until the entry has filled.').first().waitFor();
    await window.button('Place orders').click();
    await eventually(async () =>
      expect((await alice.get('/order-lists?limit=1')).body.data[0].orders[0]).toMatchObject({
        price: '62000',
        status: 'open',
      }),
    );
  });

  it('replaces an open order in one command, or leaves it alone', async () => {
    const first = await alice.place({
      market_id: 'BTC-USD',
      type: 'limit',
      side: 'buy',
      price: '61000',
      size: '0.3',
    });
    const window = await openMarket();
    const replace = async (name: string): Promise<void> => {
      await window.page.getByRole('button', { name: `Replace: ${name}` }).click();
      await window.page.getByText(`Replaces: ${name}`).waitFor();
    };
    await replace('Buy 0.3 @ 61000');
    await window.page.locator('.replaced').getByRole('button', { name: 'Keep as it is' }).click();
    await window.button('Place order').waitFor();
    await replace('Buy 0.3 @ 61000');
    await fill(window, { Price: '61000.001' });
    await window.button('Replace order').click();
    expect(await errorOf(window, 'Price')).not.toBe('');
    expect((await alice.get(`/orders/${first.order_id}`)).body.status).toBe('open');
    await fill(window, { Price: '61500', Size: '0.2' });
    await preview(window).getByText('The order that goes gives back').waitFor();
    await window.button('Replace order').click();
    await window.page.getByText('Your order is in the book.').waitFor();
    expect((await alice.get(`/orders/${first.order_id}`)).body).toMatchObject({
      status: 'cancelled',
      status_reason: 'replaced',
    });
    expect(await openOrders()).toMatchObject([{ price: '61500', size: '0.2' }]);

    await replace('Buy 0.2 @ 61500');
    await fill(window, { Size: '1000' });
    await preview(window).getByText('It would be refused: the money is missing.').waitFor();
    await window.button('Replace order').click();
    await window.page.getByText(/^The old order is cancelled, and the new one was refused/).waitFor();
    expect(await openOrders()).toEqual([]);
  });

  it('is readable for everybody, with a bracket and with a replacement', async () => {
    await alice.place({ market_id: 'BTC-USD', type: 'limit', side: 'buy', price: '61000', size: '0.3' });
    await alice.place({
      market_id: 'BTC-USD',
      type: 'trailing_stop',
      side: 'sell',
      trailing_percent: '5',
      size: '0.1',
    });
    const window = await openMarket();
    await choose(window, { Type: 'Bracket' });
    await fill(window, { Price: '62000', 'Limit of the exit': '66000', 'Stop price': '61000', Size: '0.1' });
    await preview(window).getByText('Waits until the entry has filled.').first().waitFor();
    await expectReadable(window, 'bracket');
    await window.page.getByRole('button', { name: 'Replace: Buy 0.3 @ 61000' }).click();
    await preview(window).getByText('The order that goes gives back').waitFor();
    await expectReadable(window, 'replacement');
    await choose(window, { Type: 'Trailing stop' });
    await expectReadable(window, 'trailing stop');
  });
});
