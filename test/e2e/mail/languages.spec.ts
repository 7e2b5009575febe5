import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { ConsoleVisits } from '../../support/clients/console-visits.js';
import { clientOf, logIn, UserCaller } from '../../support/clients/users-client.js';
import { linkIn, MailServer, tokenIn } from '../../support/mail-server.js';
import { newUser } from './mail-client.js';

let folder: string;
let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradepost-branding-'));
  await mkdir(join(folder, 'mails'));
  const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);
  await write(
    'branding.json',
    JSON.stringify({
      name: 'Hafen & Börse',
      colours: { light: { accent: '#7a1f5c' } },
      support: 'hilfe@hafen.example',
      footer_links: [{ label: 'Impressum <i>', url: 'https://hafen.example/impressum' }],
    }),
  );
  await write('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h1v1z"/></svg>');
  await write('words.de.json', JSON.stringify({ auth: { logIn: { submit: 'Hinein <b>jetzt</b>' } } }));
  await write('words.fr.json', JSON.stringify({ auth: { logIn: { title: 'Se connecter' } } }));
  await write('mails/password_changed.de.txt', '{greeting}\n\nGeheim bleibt geheim.\n{link}\n{facts}\n');
  server = await MailServer.start();
  app = await startTestApp({
    mail: server.config,
    rateLimits: 'off',
    texts: { brandingDir: folder, defaultLanguage: 'en' },
  });
});

afterAll(async () => {
  await app?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function loginPage(
  headers: Record<string, string>,
  more = '',
): Promise<{ html: string; cookies: string[] }> {
  const { url } = await (await ConsoleVisits.at(app)).attempt();
  const response = await fetch(url + more, { headers });
  expect(response.status).toBe(200);
  return { html: await response.text(), cookies: response.headers.getSetCookie() };
}

describe('pages', () => {
  it('are in the language that is chosen, kept, asked for, or the service’s own', async () => {
    const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
    expect((await loginPage({})).html).toContain('<html lang="en">');
    expect((await loginPage({ 'accept-language': 'xx, *' })).html).toContain('<h1>Log in</h1>');
    expect((await loginPage(german)).html).toContain('<h1>Anmelden</h1>');
    expect((await loginPage(german, '&ui_locales=fr%20de')).html).toContain('<h1>Se connecter</h1>');
    expect((await loginPage({ ...german, cookie: 'language=en' }, '&ui_locales=fr')).html).toContain(
      'lang="en"',
    );
    const chosen = await loginPage({ cookie: 'language=en' }, '&lang=de');
    expect(chosen.html).toContain('<html lang="de">');
    expect(chosen.cookies.join()).toContain('language=de; Max-Age=31536000; Path=/');
    const hostile = await loginPage({ cookie: 'language=__proto__' }, '&lang=%22%3E%3Cscript%3E');
    expect(hostile.html).toContain('<html lang="en">');
    expect(hostile.html).not.toContain('<script>');
    expect(hostile.cookies.join()).not.toContain('language=');
  });

  it('are in the operator’s words and looks, whose markup is text', async () => {
    const { html } = await loginPage({ 'accept-language': 'de' });
    expect(html).toContain('<title>Anmelden – Hafen &amp; Börse</title>');
    expect(html).toContain('Hinein &lt;b&gt;jetzt&lt;/b&gt;');
    expect(html).toContain('<strong>Hafen &amp; Börse-Konsole</strong>');
    expect(html).toContain('<img src="../branding/logo.svg" alt="Hafen &amp; Börse" />');
    expect(html).toContain('Impressum &lt;i&gt;');
    expect(html).toContain('href="mailto:hilfe@hafen.example"');
    const css = await (await fetch(`${app.url}/oauth/pages.css`)).text();
    expect(css).toContain(':root { --accent: #7a1f5c; }');
    const logo = await fetch(`${app.url}/branding/logo.svg`);
    expect(logo.headers.get('content-type')).toBe('image/svg+xml');
    expect(logo.headers.get('content-security-policy')).toContain('sandbox');
    expect((await fetch(`${app.url}/branding/branding.json`)).status).toBe(404);
    expect((await fetch(`${app.url}/branding/..%2fbranding.json`)).status).toBe(404);
  });

  it('tell of a refusal in their language, by its code', async () => {
    const { html } = await loginPage({ 'accept-language': 'de' });
    const cookie = (await loginPage({ 'accept-language': 'de' })).cookies[0]!.split(';')[0]!;
    const token = /name="csrf_token" value="([^"]+)"/.exec(html)![1]!;
    const { url } = await (await ConsoleVisits.at(app)).attempt();
    const response = await fetch(url.replace('/authorize?', '/login?'), {
      method: 'POST',
      headers: { 'accept-language': 'de', cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ csrf_token: token, username: 'alice', password: 'wrong' }),
    });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('Diese Seite war zu lange offen');
  });
});

describe('mails', () => {
  it('are in the language of the user, and in the operator’s template', async () => {
    const user = await newUser(app, { email: 'leser@example.com', language: 'de' });
    expect((await user.session.get(`/user/${user.username}`)).body).toMatchObject({ language: 'de' });
    const asked = await user.session.post('/user/email/verification', {});
    expect(asked.status, JSON.stringify(asked.body)).toBe(202);
    const mail = await server.mail('leser@example.com', 'Bestätigen Sie Ihre E-Mail-Adresse');
    expect(mail.text).toMatch(new RegExp(`^Guten Tag ${user.username},`));
    expect(mail.text).toContain('-- \nHafen & Börse, http');
    expect(mail.html).toContain('<html lang="de">');
    expect(linkIn(mail).pathname).toBe('/oauth/verify-email');
    const verified = await new UserCaller(app.url).post('/user/email/verify', { token: tokenIn(mail) });
    expect(verified.status).toBe(204);

    const next = 'ein anderes Passwort';
    const changed = await user.session.post('/user/password', {
      current_password: user.password,
      new_password: next,
    });
    expect(changed.status, JSON.stringify(changed.body)).toBe(204);
    const notice = await server.mail('leser@example.com', 'Ihr Passwort wurde geändert');
    expect(notice.text).toContain('Geheim bleibt geheim.');
    expect(notice.text).toContain('Zeit: ');
    expect(notice.html).toContain('Konto ansehen');
  });

  it('are in the language that the user has changed to; one that is not there is refused', async () => {
    const user = await newUser(app, { email: 'reader@example.com' });
    const put = (language: unknown): ReturnType<UserCaller['put']> =>
      user.session.put(`/user/${user.username}`, { language });
    expect((await put('xx')).body).toMatchObject({ error: { code: 'validation_failed' } });
    expect((await put('../de')).status).toBe(400);
    expect((await put(['de'])).status).toBe(400);
    expect((await put('de')).body).toMatchObject({ language: 'de' });
    expect((await user.session.post('/user/email/verification', {})).status).toBe(202);
    await server.mail('reader@example.com', 'Bestätigen Sie Ihre E-Mail-Adresse');
    const operator = await clientOf(app, 'admin');
    const bad = await operator.post('/user', {
      username: 'no-one',
      password: 'no-one-password',
      language: 'xx',
    });
    expect(bad.status).toBe(400);
  });
});

describe('a log-in', () => {
  it('lets browser and user agree', async () => {
    const { username } = await newUser(app, { language: 'de' });
    const visits = await ConsoleVisits.at(app);
    const { browser } = await visits.visit(username);
    expect((await browser.open('/oauth/forgot-password')).html).toContain('<html lang="de">');

    const other = await newUser(app);
    const { url } = await visits.attempt();
    const fresh = (await visits.visit('alice')).browser;
    await fresh.open('/oauth/forgot-password?lang=fr');
    await fresh.logIn(`${url}&prompt=login`, other.username);
    const session = await logIn(app, other.username);
    expect((await session.get(`/user/${other.username}`)).body).toMatchObject({ language: 'fr' });
  });
});
