import { join, resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../../src/testing/service-process.js';
import { hasBrowser, HeadlessBrowser } from '../../../scripts/support/browser.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const STEP_TIMEOUT_MS = 60_000;

/** On the built service: only the compiler's plugin adds the fields to the page. */
describe.skipIf(!hasBrowser)('Swagger UI', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let browser: HeadlessBrowser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await ServiceProcess.start({
      entry: resolve('dist/bundle/main.js'),
      env: { DATABASE_URL: database.url, SEED_DEMO: 'true' },
    });
    browser = await HeadlessBrowser.launch();
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    recordComplaints(page);
    // As people type it; the service's own address is numeric.
    await page.goto(`${service.url.replace('127.0.0.1', 'localhost')}/docs`);
    await page.locator('.opblock-tag').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await database?.drop();
  });

  /** For debugging: set SCREENSHOTS to a folder to get screenshots. */
  const photograph = async (name: string, seen: Page = page): Promise<void> => {
    const folder = process.env['SCREENSHOTS'];
    if (folder) await seen.screenshot({ path: join(folder, `${name}.png`) });
  };

  it('shows the groups and their operations', async () => {
    expect(page.url()).toBe(`${service.url}/docs`);
    expect(await page.title()).toBe('Tradepost API');
    const groups = await page.locator('.opblock-tag').allInnerTexts();
    expect(groups.map((text) => text.split('\n')[0])).toEqual(
      expect.arrayContaining(['Pets', 'Markets', 'Admin']),
    );
    await photograph('1-page');
  });

  it('authorizes a client by its secret, with no scope picked by hand', async () => {
    await page.locator('.auth-wrapper .authorize').click();
    const clientCredentials = scheme('client_credentials (OAuth2, clientCredentials)');
    expect(await clientCredentials.getByLabel('client_id').inputValue()).toBe('demo');
    expect(await clientCredentials.getByLabel('client_secret').inputValue()).toBe('demo-secret');
    expect(await page.locator('.modal-ux .auth-container').count()).toBe(3);
    await photograph('2-authorize');
    await clientCredentials.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    await clientCredentials.getByText('Authorized', { exact: true }).waitFor();
    await photograph('3-authorized');
    await closeDialog();
  });

  it('then places an order with the example as it stands', async () => {
    const { headers, status, text } = await execute('Markets', 'post', '/orders');
    await photograph('4-order');
    expect(headers['authorization']).toMatch(/^Bearer tpa_/);
    expect(status).toBe('201');
    expect(text).toContain('"status": "open"');
  });

  it('reads the market that the order now rests in', async () => {
    const { status, text } = await execute('Markets', 'get', '/markets/{market_id}/orderbook');
    await photograph('5-orderbook');
    expect(status).toBe('200');
    expect(text).toContain('"60000"');
    await logOut('client_credentials (OAuth2, clientCredentials)');
  });

  it('finds operations by words of their path, summary and id', async () => {
    const search = page.getByRole('searchbox', { name: 'Search operations' });
    await search.fill('cancelAllOrders');
    await page.locator('[data-path="/orders"]').waitFor();
    expect(await page.getByText('1 operation', { exact: true }).count()).toBe(1);
    await search.fill('');
    await page.getByText(/^2\d\d operations$/).waitFor();
  });

  it('opens the operation that an address names, on whichever page it is', async () => {
    const visitor = await browser.newPage();
    await visitor.goto(`${service.url}/docs#/Admin/createMarket`);
    await visitor.waitForURL(/audience=all/);
    await visitor.locator('#operations-Admin-createMarket .responses-wrapper').waitFor();
    await visitor.context().close();
  });

  it('takes an API key, on the page of everything', async () => {
    await page.goto(`${service.url}/docs?audience=all`);
    await page.locator('.opblock-tag').first().waitFor();
    await page.locator('.auth-wrapper .authorize').click();
    const apiKey = scheme('api_key');
    await apiKey.getByRole('textbox').fill('special-key');
    await apiKey.getByRole('button', { name: 'Apply credentials' }).click();
    await apiKey.getByText('Authorized', { exact: true }).waitFor();
    await photograph('6-api-key');
    await closeDialog();
  });

  it('then finds a pet', async () => {
    const { headers, status, text } = await execute('Pets', 'get', '/pet/{petId}');
    await photograph('7-pet');
    expect(headers['api_key']).toBe('special-key');
    expect(headers['authorization']).toBeUndefined();
    expect(status).toBe('200');
    expect(text).toContain('"photoUrls"');
    await logOut('api_key');
  });

  it('authorizes a user by the implicit flow: log-in, consent, and back', async () => {
    await page.locator('.auth-wrapper .authorize').click();
    const implicit = scheme('implicit (OAuth2, implicit)');
    expect(await implicit.getByLabel('client_id').inputValue()).toBe('petstore-ui');
    await implicit.getByText('select all', { exact: true }).click();
    const opened = page.waitForEvent('popup');
    await implicit.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    const popup = await opened;
    popup.setDefaultTimeout(STEP_TIMEOUT_MS);
    recordComplaints(popup);

    await popup.getByRole('heading', { name: 'Log in' }).waitFor();
    await photograph('8-login', popup);
    // Plain http, but on this machine: the browser accepts cookies here that it would refuse elsewhere.
    expect(await popup.context().cookies()).toMatchObject([
      { name: '__Host-tradepost_login', path: '/', secure: true, httpOnly: true },
    ]);
    const username = popup.getByLabel('User name');
    expect(await popup.locator(':focus').getAttribute('name')).toBe('username');
    await username.fill('alice');
    await popup.getByLabel('Password').fill('wrong');
    await popup.getByRole('button', { name: 'Log in' }).click();
    await popup.getByRole('alert').waitFor();
    await photograph('9-login-refused', popup);
    // The wrong password was a 403, which the browser reports as a failed load.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('403')]);
    await popup.getByLabel('Password').fill('alice-password');
    await popup.keyboard.press('Enter');

    await popup.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await popup.getByRole('listitem').allInnerTexts()).toEqual([
      'read pets (read:pets)',
      'modify pets (write:pets)',
    ]);
    await photograph('10-consent', popup);
    const closed = popup.waitForEvent('close');
    await popup.getByRole('button', { name: 'Allow' }).click();
    await closed;
    await implicit.getByText('Authorized', { exact: true }).waitFor();
    await photograph('11-implicit');
    await closeDialog();
  });

  it('then updates a pet with a form', async () => {
    const { headers, status, text } = await execute('Pets', 'post', '/pet/{petId}');
    await photograph('12-pet-update');
    expect(headers['authorization']).toMatch(/^Bearer tpa_/);
    expect(status).toBe('200');
    expect(text).toContain('"photoUrls"');
  });

  it('ran without a complaint of the browser', () => {
    expect(complaints).toEqual([]);
  });

  function recordComplaints(of: Page): void {
    of.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    of.on('pageerror', (error) => complaints.push(error.message));
  }

  /** A part of the Authorize dialog, by its heading. */
  function scheme(name: string): Locator {
    return page.locator('.modal-ux .auth-container').filter({ hasText: name });
  }

  async function closeDialog(): Promise<void> {
    await page.locator('.modal-ux .close-modal').click();
  }

  /** So that the next operation proves another scheme. */
  async function logOut(name: string): Promise<void> {
    await page.locator('.auth-wrapper .authorize').click();
    await scheme(name).getByRole('button', { name: 'Remove authorization' }).click();
    await closeDialog();
  }

  /** The page renders only the visible part of a long list, so this scrolls to the operation. */
  async function openGroup(group: string, operation: Locator): Promise<void> {
    await page.evaluate('scrollTo(0, 0)');
    const title = page.locator(`.opblock-tag[data-tag="${group}"]`);
    if ((await title.getAttribute('data-is-open')) !== 'true') await title.click();
    await page.mouse.move(640, 500);
    for (let i = 0; i < 100 && !(await operation.isVisible()); i++) {
      await page.mouse.wheel(0, 300);
      await page.waitForTimeout(20);
    }
  }

  interface Executed {
    readonly headers: Record<string, string>;
    readonly status: string;
    readonly text: string;
  }

  /** "Try it out", with the examples as they stand. */
  async function execute(group: string, method: string, path: string): Promise<Executed> {
    const operation = page
      .locator(`.opblock-${method}`)
      .filter({ has: page.locator(`[data-path="${path}"]`) });
    await openGroup(group, operation);
    await operation.locator('.opblock-summary-control').click();
    const [template = ''] = path.split('{');
    const sent = page.waitForRequest(
      (request) =>
        request.method() === method.toUpperCase() && new URL(request.url()).pathname.startsWith(template),
    );
    await operation.getByRole('button', { name: 'Execute' }).click();
    const headers = await (await sent).allHeaders();
    const response = operation.locator('.live-responses-table .response').first();
    await response.waitFor();
    const [status = ''] = (await response.locator('.response-col_status').innerText()).split(/\s/);
    return { headers, status, text: await response.innerText() };
  }
});
