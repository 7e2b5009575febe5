/** Shared by the specs of the console: people at browsers. */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { HeadlessBrowser } from '../../scripts/support/browser.js';
import { eventually } from '../support/eventually.js';

/** One person's window, which notes what goes wrong in it. */
export class ConsoleWindow {
  /** Errors of scripts, and what the page's policy refused. */
  readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.faults.push(message.text());
    });
  }

  static async open(
    browser: HeadlessBrowser,
    url: string,
    options: BrowserContextOptions = {},
  ): Promise<ConsoleWindow> {
    const page = await browser.newPage({
      locale: 'en-GB',
      viewport: { width: 1440, height: 900 },
      ...options,
    });
    page.setDefaultTimeout(30_000);
    const window = new ConsoleWindow(page, url);
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return window;
  }

  async logIn(username: string): Promise<void> {
    await this.button('Log in').click();
    await this.page.getByLabel(/user ?name/i).fill(username);
    await this.page.getByLabel('Password').fill(`${username}-password`);
    await this.page.keyboard.press('Enter');
    await this.button('Log out').waitFor();
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console/${path}`);
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  field(label: string): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true });
  }

  /** Presses a button that asks, and says yes, with a reason where one is given. */
  async confirm(name: string, reason?: string): Promise<void> {
    await this.button(name).click();
    const dialog = this.page.getByRole('dialog');
    if (reason !== undefined) await dialog.getByLabel(/^Reason/).fill(reason);
    await dialog.locator('form').getByRole('button').click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** The bids and asks that are shown, best first, as price and size. */
  async book(): Promise<{ bids: string[][]; asks: string[][] }> {
    const rowsOf = async (name: string): Promise<string[][]> =>
      (await this.page.getByRole('rowgroup', { name, exact: true }).getByRole('row').all()).length === 0
        ? []
        : this.page
            .getByRole('rowgroup', { name, exact: true })
            .evaluate((body) =>
              [...body.querySelectorAll('tr')]
                .filter((row) => row.querySelector('button') !== null)
                .map((row) => [
                  row.querySelector('button')?.textContent ?? '',
                  row.children[1]?.textContent ?? '',
                ]),
            );
    const plain = (rows: string[][]): string[][] =>
      rows.map((row) => row.map((text) => text.replaceAll('\u202f', '')));
    return { bids: plain(await rowsOf('Bids')), asks: plain((await rowsOf('Asks')).reverse()) };
  }

  async expectState(state: string): Promise<void> {
    await eventually(async () => expect(await this.page.locator('.connection').textContent()).toBe(state));
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
