import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../../scripts/support/browser.js';
import { clientOf, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';
import type { ConsoleWindow } from './console-browser.js';
import { ConsoleWorld, expectReadable } from './console-world.js';
import { NetworkCable } from './network-cable.js';

let world: ConsoleWorld;
let cable: NetworkCable;
let maker: UserCaller;

async function openMarket(username: string): Promise<ConsoleWindow> {
  const window = await world.open();
  await window.logIn(username);
  await window.page.getByRole('link', { name: 'BTC-USD' }).click();
  await window.heading('BTC-USD').waitFor();
  // The book is there, and with it the streams of this page.
  await window.page.locator('.book button').first().waitFor();
  await window.expectState('Live');
  return window;
}

describe.runIf(hasBrowser)('the console', () => {
  beforeAll(async () => {
    cable = await NetworkCable.lay();
    world = await ConsoleWorld.start({ publicUrl: cable.url });
    cable.plugInto(world.app.url);
    maker = await clientOf(world.app, 'maker');
    for (const order of [
      { side: 'sell', price: '64010', size: '2' },
      { side: 'sell', price: '64020.5', size: '1.25' },
      { side: 'buy', price: '63990', size: '3' },
    ]) {
      await maker.place({ market_id: 'BTC-USD', type: 'limit', ...order });
    }
  });

  afterEach(() => world.closeWindows());
  afterAll(async () => {
    await world?.close();
    await cable?.close();
  });

  it('lets a newcomer trade within six clicks after the log-in', async () => {
    const { page, field, button, logIn } = bound(await world.open());
    await logIn('alice');
    let clicks = 0;
    const click = async (locator: Locator): Promise<void> => {
      clicks++;
      await locator.click();
    };
    await click(page.getByRole('link', { name: 'BTC-USD' }));
    await click(button('Take demo money'));
    await page.getByText(/^100.000 USD available$/).waitFor();
    await click(page.getByTitle('Take the price 64010'));
    await eventually(async () => expect(await field('Price').inputValue()).toBe('64010'));
    await page.keyboard.type('0.5');
    const preview = page.getByRole('region', { name: 'What it would do now' });
    await preview.getByText('0.5').waitFor();
    await click(button('Place order'));
    await page.getByText('Your order is filled.').waitFor();
    expect(clicks).toBeLessThanOrEqual(6);
    await page.locator('.fills').getByText('0.5').waitFor();
    await page.locator('.position').getByText('0.5').waitFor();
  });

  it('is traded at by keyboard alone', async () => {
    const { page, field } = bound(await openMarket('alice'));
    const tabTo = async (what: () => Promise<boolean>): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        if (await what()) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('The keyboard does not come there.');
    };
    const isFocused = (locator: Locator) => (): Promise<boolean> =>
      locator.evaluate((element) => element === element.ownerDocument.activeElement);
    await tabTo(isFocused(field('Price')));
    await page.keyboard.type('60000');
    await tabTo(isFocused(field('Size').first()));
    await page.keyboard.type('0.01');
    await page.keyboard.press('Enter');
    await page.getByText('Your order is in the book.').waitFor();
    const cancel = page.getByRole('button', { name: /^Cancel: Buy 0\.01/ });
    await cancel.waitFor();
    await tabTo(isFocused(page.getByRole('button', { name: /^Amend: Buy 0\.01/ })));
    await page.keyboard.press('Enter');
    await page.getByLabel('New price').fill('60001');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel: Buy 0.01 @ 60001' }).waitFor();
    await tabTo(isFocused(page.getByRole('button', { name: 'Cancel: Buy 0.01 @ 60001' })));
    await page.keyboard.press('Enter');
    await page.getByText('You have no open orders here.').waitFor();
  });

  it('shows two traders the same book as the API does', async () => {
    const [alice, bob] = [await openMarket('alice'), await openMarket('bob')];
    await bob.button('Take demo money').click();
    await bob.page.getByText(/^100.000 USD available$/).waitFor();
    for (const [window, side, price, size] of [
      [alice, 'Buy', '63995', '0.2'],
      [bob, 'Sell', '64005', '0.3'],
      [bob, 'Sell', '63995', '0.1'],
    ] as const) {
      await window.page.getByRole('radio', { name: side }).check();
      await window.field('Price').fill(price);
      await window.field('Size').first().fill(size);
      await window.button('Place order').click();
      await window.page.getByText(/^Your order is (?:in the book|filled)\.$/).waitFor();
    }
    const { body } = await maker.get('/markets/BTC-USD/orderbook?depth=15');
    const shown = ({ bids, asks }: { bids: string[][]; asks: string[][] }) => ({
      bids: bids.map(([price, size]) => [Number(price), size]),
      asks: asks.map(([price, size]) => [Number(price), size]),
    });
    for (const window of [alice, bob]) {
      await eventually(async () => expect(shown(await window.book())).toEqual(shown(body)));
    }
    await alice.page.locator('.own-level').first().waitFor();
    await alice.page.locator('.tape').getByText('0.1').first().waitFor();
    await alice.button('Cancel all').click();
    await bob.button('Cancel all').click();
    await alice.page.getByText('You have no open orders here.').waitFor();
  });

  it('says beside the field what was wrong with an order', async () => {
    const { page, field, button } = bound(await openMarket('alice'));
    await button('Place order').click();
    const errorOf = async (label: string): Promise<string> => {
      const input = field(label).first();
      await eventually(async () => expect(await input.getAttribute('aria-invalid')).toBe('true'));
      const id = (await input.getAttribute('aria-describedby'))!.split(' ')[0]!;
      return (await page.locator(`[id="${id}"]`).textContent()) ?? '';
    };
    expect(await errorOf('Price')).toBe('Enter a number for “Price”, such as 1.5.');
    await field('Price').fill('60000');
    await field('Size').first().fill('100');
    await button('Place order').click();
    expect(await errorOf('Size')).toMatch(/fund|available|enough/i);
    await field('Size').first().fill('0.000000001');
    await button('Place order').click();
    expect(await errorOf('Size')).not.toBe('');
    await field('Size').first().fill('1');
    await field('Price').fill('60000.001');
    await button('Place order').click();
    expect(await errorOf('Price')).not.toBe('');
  });

  it('places an order once, however often and whatever the network does to the answer', async () => {
    const { page, field, button } = bound(await openMarket('alice'));
    const rows = page.locator('.orders tbody tr');
    const enter = async (price: string): Promise<void> => {
      await field('Price').fill(price);
      await field('Size').first().fill('0.01');
    };
    await enter('60010');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('Your order is in the book.').waitFor();
    await rows.filter({ hasText: '60\u202f010' }).waitFor();
    await page.keyboard.press('Enter');
    expect(await page.locator('.ticket [role=status].outcome').textContent()).toBe(
      'Your order is in the book.',
    );
    expect(await page.locator('.ticket .error').count()).toBe(0);

    await page.route(
      (url) => url.pathname === '/orders',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
    );
    await enter('60020');
    await button('Place order').click();
    await rows.filter({ hasText: '60\u202f020' }).waitFor();
    await page.locator('.ticket .error').waitFor();
    await page.unrouteAll();
    await button('Place order').click();
    await page.getByText('Your order is in the book.').waitFor();
    expect(await rows.count()).toBe(2);
    await button('Cancel all').click();
    await page.getByText('You have no open orders here.').waitFor();
  });

  it('comes back by itself after the network was away', async () => {
    const window = await openMarket('alice');
    cable.cut();
    await window.expectState('Reconnecting');
    await maker.place({ market_id: 'BTC-USD', type: 'limit', side: 'buy', price: '63991', size: '0.7' });
    cable.mend();
    await window.expectState('Live');
    await eventually(async () => expect((await window.book()).bids[0]).toEqual(['63991.00', '0.7']));
  });

  it('says so where the session was ended elsewhere, and goes on after a log-in', async () => {
    const window = await openMarket('bob');
    const token = await clientOf(world.app, 'admin');
    await token.post('/admin/users/bob/lock', { reason: 'A test.' });
    await token.post('/admin/users/bob/unlock', {});
    await window.field('Price').fill('60000');
    await window.field('Size').first().fill('0.01');
    await window.page.getByText('You were logged out.').waitFor();
    await window.logIn('bob');
    await window.heading('BTC-USD').waitFor();
  });

  it('stays logged in when its page is loaded again, and keeps no token', async () => {
    const { page, button } = bound(await openMarket('alice'));
    await page.reload();
    await button('Log out').waitFor();
    await page.getByRole('heading', { level: 1, name: 'BTC-USD' }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toMatch(/tp[a-z]_/);
    await button('Log out').click();
    await page.reload();
    await button('Log in').waitFor();
  });

  it('asks for the password again, however soon after a log-out that the service is slow to answer', async () => {
    const window = await openMarket('alice');
    const { page } = window;
    let finish!: () => void;
    const held = new Promise<void>((resolve) => (finish = resolve));
    await page.route('**/user/logout', async (route) => {
      await held;
      await route.continue();
    });
    await window.button('Log out').click();
    await window.button('Log in').click();
    setTimeout(finish, 200);
    await page.getByLabel('Password').waitFor();
  });

  it('says so where the service could not be told of a log-out', async () => {
    const window = await openMarket('alice');
    const { page } = window;
    await page.route('**/user/logout', (route) => route.abort());
    await window.button('Log out').click();
    await page.getByText('The service could not be told that you log out').waitFor();
    await page.unroute('**/user/logout');
    // As it says: nobody was asked for a password.
    await window.button('Log in').click();
    await window.button('Log out').click();
    await window.button('Log in').click();
    await page.getByLabel('Password').waitFor();
  });

  it('is readable for everybody, wide and narrow, light and dark', async () => {
    const window = await world.open();
    await window.page.getByRole('link', { name: 'BTC-USD' }).waitFor();
    await expectReadable(window, 'markets');
    await window.logIn('alice');
    await window.page.getByRole('link', { name: 'BTC-USD' }).click();
    await window.heading('BTC-USD').waitFor();
    await window.expectState('Live');
    await expectReadable(window, 'market');
  });
});

/** The parts of a window that can be called by their names alone. */
function bound(window: ConsoleWindow): Pick<ConsoleWindow, 'page' | 'field' | 'button' | 'logIn'> {
  return {
    page: window.page,
    field: (label) => window.field(label),
    button: (name) => window.button(name),
    logIn: (username) => window.logIn(username),
  };
}
