import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { ConsoleVisits } from '../../support/clients/console-visits.js';
import { register } from '../../support/clients/passkeys-client.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';
import { type Page, PlainBrowser } from '../../support/oauth-browser.js';
import type { Deviation, SoftwarePasskey } from '../../support/software-passkey.js';

let app: TestApp;
let visits: ConsoleVisits;
let people = 0;

interface Holder {
  readonly username: string;
  readonly session: UserCaller;
  readonly passkey: SoftwarePasskey;
  readonly recoveryCodes: string[];
}

async function newHolder(): Promise<Holder> {
  const username = `visitor-${++people}`;
  await (await logIn(app, 'alice')).post('/user', { username, password: `${username}-password` });
  const session = await logIn(app, username);
  const { passkey, created } = await register(app, session);
  return { username, session, passkey, recoveryCodes: created.recovery_codes };
}

/** What the script of a page asks for. */
async function ask(browser: PlainBrowser, page: Page, csrfToken = page.csrfToken): Promise<Page> {
  const address = new URL(`passkey/options${page.url.search}`, page.url);
  return browser.open(address.href, { method: 'POST', body: new URLSearchParams({ csrf_token: csrfToken }) });
}

/** What the script of a page sends. */
function send(browser: PlainBrowser, page: Page, response: Json, csrfToken = page.csrfToken): Promise<Page> {
  const body = new URLSearchParams({ csrf_token: csrfToken, response: JSON.stringify(response) });
  return browser.open(new URL(`passkey${page.url.search}`, page.url).href, { method: 'POST', body });
}

async function sign(
  browser: PlainBrowser,
  page: Page,
  passkey: SoftwarePasskey,
  deviation: Deviation = {},
): Promise<Page> {
  const options = JSON.parse((await ask(browser, page)).html);
  return send(browser, page, passkey.get(options, deviation));
}

async function loginPage(browser: PlainBrowser): Promise<Page> {
  return browser.open((await visits.attempt()).url);
}

async function codeOf(browser: PlainBrowser, done: Page): Promise<string | null> {
  const answer = await browser.open(new URL(done.location, done.url).href);
  return new URL(answer.location).searchParams.get('code');
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  app = await startTestApp({ rateLimits: 'off', host: 'localhost', publicUrl: 'http://localhost:0' });
  // The address that the service is known by, for passkeys and the issuer alike.
  visits = await ConsoleVisits.at({ ...app, url: app.config.publicUrl });
});

afterAll(async () => {
  await app?.close();
  vi.useRealTimers();
});

describe('the log-in pages', () => {
  it('take a passkey alone', async () => {
    const { passkey } = await newHolder();
    const browser = new PlainBrowser(app.url);
    const page = await loginPage(browser);
    expect(page.html).toContain('Log in with a passkey');
    const before = browser.cookies.get('__Host-tradepost_login')?.value;
    expect(await codeOf(browser, await sign(browser, page, passkey))).toMatch(/^tpc_/);
    expect(browser.cookies.get('__Host-tradepost_login')?.value).not.toBe(before);
  });

  it('take one as the second factor after the password, or a recovery code', async () => {
    const { username, passkey, recoveryCodes } = await newHolder();
    const browser = new PlainBrowser(app.url);
    const awaited = await browser.logIn((await visits.attempt()).url, username);
    expect(awaited.title).toContain('Use your passkey');
    const options = JSON.parse((await ask(browser, awaited)).html);
    expect(options.allowCredentials).toMatchObject([{ id: passkey.id }]);
    const refused = await sign(browser, awaited, passkey, { origin: 'https://elsewhere.example' });
    expect({ status: refused.status, title: refused.title, alert: refused.alert }).toEqual({
      status: 403,
      title: expect.stringContaining('Use your passkey'),
      alert: expect.stringContaining('not yours'),
    });
    expect(await codeOf(browser, await sign(browser, awaited, passkey))).toMatch(/^tpc_/);

    const other = new PlainBrowser(app.url);
    const again = await other.logIn((await visits.attempt()).url, username);
    const body = new URLSearchParams({ csrf_token: again.csrfToken, code: recoveryCodes[0]! });
    const address = new URL(`code${again.url.search}`, again.url).href;
    expect(await codeOf(other, await other.open(address, { method: 'POST', body }))).toMatch(/^tpc_/);
  });

  it('await the user of the password, and no other', async () => {
    const one = await newHolder();
    const other = await newHolder();
    const browser = new PlainBrowser(app.url);
    const awaited = await browser.logIn((await visits.attempt()).url, one.username);
    expect((await sign(browser, awaited, other.passkey)).status).toBe(403);
    expect((await visits.silently(browser)).get('error')).toBe('login_required');
  });

  it('take what was signed from the browser that asked, from their own form, once and in time', async () => {
    const { passkey, username } = await newHolder();
    const [browser, thief] = [new PlainBrowser(app.url), new PlainBrowser(app.url)];
    const page = await loginPage(browser);
    const theirs = await loginPage(thief);
    const response = passkey.get(JSON.parse((await ask(browser, page)).html));
    expect((await send(thief, theirs, response)).status).toBe(403);
    expect((await send(browser, page, response, 'forged')).alert).toContain('open for too long');
    expect((await ask(browser, page, 'forged')).status).toBe(403);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => send(browser, page, response)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([303, ...Array(7).fill(403)]);

    const late = new PlainBrowser(app.url);
    const opened = await loginPage(late);
    const options = JSON.parse((await ask(late, opened)).html);
    vi.setSystemTime(Date.now() + 5 * 60_000);
    const tooLate = await send(late, opened, passkey.get(options));
    expect({ status: tooLate.status, title: tooLate.title }).toEqual({
      status: 403,
      title: expect.stringContaining('Log in'),
    });

    // Nor is a challenge of the API one of a browser.
    const awaited = await late.logIn((await visits.attempt()).url, username);
    const api = await new UserCaller(app.url).post('/user/passkeys/log-in/options', {});
    expect((await send(late, awaited, passkey.get(api.body))).status).toBe(403);
  });

  it.each(['', 'null', '[]', '7', '{', '{"id":7}', 'x'.repeat(50_000)])(
    'refuse what is no response: %#',
    async (text) => {
      const browser = new PlainBrowser(app.url);
      const page = await loginPage(browser);
      const body = new URLSearchParams({ csrf_token: page.csrfToken, response: text });
      const answer = await browser.open(new URL(`passkey${page.url.search}`, page.url).href, {
        method: 'POST',
        body,
      });
      expect(answer.status).toBe(403);
      expect(answer.alert).toContain('passkey');
    },
  );

  it('run their own script alone, and only where they need it', async () => {
    const browser = new PlainBrowser(app.url);
    const page = await loginPage(browser);
    const policyOf = ({ response }: Page): string => response.headers.get('content-security-policy') ?? '';
    expect(policyOf(page)).toContain(
      "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self';",
    );
    const script = await browser.open('/oauth/pages.js');
    expect(script.response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(policyOf(await browser.open('/oauth/authorize'))).not.toContain('script-src');
  });

  it('offer no passkey at an address, where browsers have none', async () => {
    const numbered = await startTestApp({ rateLimits: 'off' });
    try {
      const browser = new PlainBrowser(numbered.url);
      const page = await browser.open((await (await ConsoleVisits.at(numbered)).attempt()).url);
      expect(page.html).not.toContain('passkey');
      expect(page.response.headers.get('content-security-policy')).not.toContain('script-src');
    } finally {
      await numbered.close();
    }
  });
});
