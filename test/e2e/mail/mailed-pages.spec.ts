import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { linkIn, MailServer } from '../../support/mail-server.js';
import { PlainBrowser } from '../../support/oauth-browser.js';
import { newReader, reset, resetTokenOf } from './mail-client.js';

const NEXT = 'a password that is new';

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  server = await MailServer.start();
  app = await startTestApp({ mail: server.config, rateLimits: 'off' });
});

afterAll(async () => {
  await app?.close();
  await server?.close();
});

describe('the pages of mails', () => {
  it('keep a token to themselves, take it by their own form alone, and answer everybody the same', async () => {
    const user = await newReader(app, server);
    const token = await resetTokenOf(app, server, user);
    const browser = new PlainBrowser(app.url);
    const page = await browser.open(linkIn(await server.mail(user.email, 'Reset your password')).href);
    expect(page.response.headers.get('cache-control')).toBe('no-store');
    expect(page.response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.response.headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(page.html).not.toContain('<script');

    const stolen = await browser.submit(page, { token, new_password: NEXT, csrf_token: 'made up' });
    expect([stolen.status, stolen.title]).toEqual([403, 'Set a new password – Tradepost']);
    const foreign = await browser.submit(
      page,
      { token, new_password: NEXT },
      { 'sec-fetch-site': 'cross-site' },
    );
    expect(foreign.status).toBe(403);
    expect((await reset(app, token, NEXT)).status).toBe(204);
    const late = await browser.submit(page, { token, new_password: NEXT });
    expect(late.status).toBe(400);
    expect(late.alert).toContain('used before');

    const forgot = await browser.open('/oauth/forgot-password');
    const answers = [];
    for (const typed of [user.username, 'nobody', '"><script>alert(1)</script>', 'x'.repeat(300), '']) {
      answers.push((await browser.submit(forgot, { typed })).html);
    }
    expect(new Set(answers).size).toBe(1);
    expect((await browser.open('/oauth/reset-password?token="><b>&token=2')).html).not.toContain('"><b>');
  });
});
