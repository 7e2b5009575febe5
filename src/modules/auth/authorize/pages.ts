import { html, type Html } from '../../../kit/content/html.js';
import { colourRules } from '../../../kit/words/branding/colours.js';
import type { Branding } from '../../../kit/words/branding/branding.js';
import { filledHtml } from '../../../kit/words/filled-html.js';
import { addressOfSupport, logoPath } from '../../../kit/server/branding.js';
import type { PageLook } from './page-looks.js';
import { passkeyForm } from './passkey-form.js';

/**
 * The pages of the authorization endpoint. They are small and work without script, which only offers passkeys; every
 * field has a label, errors are announced, and they are readable without the stylesheet. All URLs in them are relative
 * to `/oauth/`, so that they work behind a proxy that adds a path.
 */

export interface PageForm {
  /** Whether a passkey can be used; the page then has a script. */
  readonly takesPasskey: boolean;
  /** The query of the authorization request, kept through every step. */
  readonly query: string;
  readonly csrfToken: string;
}

export interface LoginPage extends PageForm {
  readonly clientName: string;
  /** Other ways to log in, by identities that others keep. */
  readonly identities: readonly { readonly label: string; readonly address: string }[];
  /** The name typed before, if any. */
  readonly username: string;
  /** The error message; null at first. */
  readonly problem: string | null;
}

export interface CodePage extends PageForm {
  readonly username: string;
  /** Whether the user has an authenticator app, or passkeys alone. */
  readonly hasApp: boolean;
  /** The same request with the login page first, for another account. */
  readonly otherAccountQuery: string;
  readonly problem: string | null;
}

export interface ConsentPage extends Omit<PageForm, 'takesPasskey'> {
  readonly clientName: string;
  readonly username: string;
  readonly scopes: readonly { readonly name: string; readonly words: string }[];
  /** Where the browser goes next, in a form that people recognise: a host, or the scheme of an app. */
  readonly destination: string;
  /** The same request with the login page first, for another account. */
  readonly otherAccountQuery: string;
  readonly problem: string | null;
}

export function loginPage(
  look: PageLook,
  { clientName, identities, username, problem, ...form }: LoginPage,
): string {
  const { query, csrfToken, takesPasskey } = form;
  const { logIn: words, passkeyFailed } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
      <p>${filledHtml(words.toContinue, { client: strong(clientName) })}</p>
      ${alert(problem)}
      <form method="post" action="login?${query}">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <p>
          <label for="username">${words.username}</label>
          <input
            id="username"
            name="username"
            value="${username}"
            ${describedBy(problem)}
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            maxlength="64"
            required
            autofocus
          />
        </p>
        <p>
          <label for="password">${words.password}</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </p>
        <button type="submit" class="primary">${words.submit}</button>
      </form>
      ${takesPasskey ? passkeyForm({ label: words.passkey, failed: passkeyFailed }, form) : null}
      ${identities.map(
        ({ label, address }) =>
          html`<p><a class="button" href="${address}">${words.byIdentity({ provider: label })}</a></p>`,
      )}
      <p><a href="forgot-password">${words.forgotten}</a></p>`,
  );
}

export function codePage(
  look: PageLook,
  { username, hasApp, otherAccountQuery, problem, ...form }: CodePage,
): string {
  const { query, csrfToken, takesPasskey } = form;
  const { code: words, passkeyFailed } = look.words;
  const labels = { label: words.usePasskey, failed: passkeyFailed };
  const passkey = takesPasskey ? passkeyForm(labels, form, !hasApp) : null;
  const title = takesPasskey && !hasApp ? words.titleOfPasskey : words.titleOfCode;
  const asks = hasApp ? words.fromApp : takesPasskey ? words.passkeyOrRecovery : words.recovery;
  return page(
    look,
    title,
    html`<h1>${title}</h1>
      <p>${filledHtml(asks, { username: strong(username) })}</p>
      ${alert(problem)} ${hasApp ? null : passkey}
      <form method="post" action="code?${query}">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <p>
          <label for="code">${hasApp ? words.code : words.recoveryCode}</label>
          <input
            id="code"
            name="code"
            ${describedBy(problem)}
            autocomplete="${hasApp ? 'one-time-code' : 'off'}"
            autocapitalize="none"
            spellcheck="false"
            maxlength="64"
            required
            ${hasApp ? html`autofocus` : null}
          />
        </p>
        <button type="submit" ${hasApp ? html`class="primary"` : null}>${words.submit}</button>
      </form>
      ${hasApp ? passkey : null}
      <p>${hasApp ? words.withoutApp : words.once}</p>
      ${otherAccount(look, username, otherAccountQuery)}`,
  );
}

export function consentPage(look: PageLook, consent: ConsentPage): string {
  const { clientName, username, scopes, destination, otherAccountQuery, problem, query, csrfToken } = consent;
  const { consent: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.heading}</h1>
      ${alert(problem)}
      <p>${filledHtml(words.asks, { client: strong(clientName), username: strong(username) })}</p>
      <ul>
        ${scopes.map(({ name, words: does }) => html`<li>${does} <small>(${name})</small></li>`)}
      </ul>
      <p>${filledHtml(words.destination, { destination: strong(destination) })}</p>
      <form method="post" action="consent?${query}">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <button type="submit" name="decision" value="allow" class="primary">${words.allow}</button>
        <button type="submit" name="decision" value="deny">${words.deny}</button>
      </form>
      ${otherAccount(look, username, otherAccountQuery)}`,
  );
}

/** Where a user binds an identity: nothing happens before the provider has proved it. */
export function linkPage(
  look: PageLook,
  {
    username,
    label,
    address,
  }: { readonly username: string; readonly label: string; readonly address: string },
): string {
  const { link: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
      <p>${filledHtml(words.what, { username: strong(username), provider: strong(label) })}</p>
      <p><a class="button" href="${address}" rel="noreferrer">${words.goOn({ provider: label })}</a></p>`,
  );
}

export function linkedPage(
  look: PageLook,
  { username, label }: { readonly username: string; readonly label: string },
): string {
  const { link: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.done}</h1>
      <p>${filledHtml(words.doneWhat, { username: strong(username), provider: strong(label) })}</p>`,
  );
}

export function errorPage(look: PageLook, message: string, requestId: string): string {
  const { error: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.heading}</h1>
      <p role="alert">${message}</p>
      <p>${filledHtml(words.back, { request: html`<code>${requestId}</code>` })}</p>`,
  );
}

function otherAccount({ words }: PageLook, username: string, query: string): Html {
  return html`<p><a href="authorize?${query}">${words.code.otherAccount({ username })}</a></p>`;
}

function strong(text: string): Html {
  return html`<strong>${text}</strong>`;
}

/** A whole page, as all under `/oauth/` look. */
export function page(look: PageLook, title: string, content: Html): string {
  const { language, words, branding } = look;
  const { name: product, logo } = branding;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${words.titleOf({ title, product })}</title>
        <link rel="stylesheet" href="pages.css" />
      </head>
      <body>
        <main>
          <p class="brand">
            ${logo === null ? product : html`<img src="../${logoPath(logo)}" alt="${product}" />`}
          </p>
          ${content}
        </main>
        ${footer(look)}
      </body>
    </html> `.markup;
}

/** The operator's links, and the page in other languages where there are any. */
function footer({ language, words, branding, languages }: PageLook): Html {
  const { footerLinks, support } = branding;
  const links = [
    ...footerLinks.map(({ label, url }) => html`<a href="${url}" rel="noreferrer">${label}</a> `),
    ...(support === null ? [] : [html`<a href="${addressOfSupport(support)}">${support}</a> `]),
  ];
  const choices = languages.map(({ tag, name, address }) =>
    tag === language
      ? html`<span aria-current="true">${name}</span> `
      : html`<a href="${address}" lang="${tag}" hreflang="${tag}">${name}</a> `,
  );
  return html`<footer>
    ${links.length === 0 ? null : html`<p>${links}</p>`}
    ${languages.length < 2 ? null : html`<nav aria-label="${words.language}">${choices}</nav>`}
  </footer>`;
}

/** The error message of a form. */
export function alert(problem: string | null): Html | null {
  return problem === null ? null : html`<p role="alert" id="problem">${problem}</p>`;
}

/** Screen readers announce the error when the field gets the focus. */
export function describedBy(problem: string | null): Html | null {
  return problem === null ? null : html`aria-invalid="true" aria-describedby="problem"`;
}

/** The pages' only stylesheet: system fonts, both colour schemes, contrast of at least 4.5 to 1, and the operator's colours. */
export function stylesheet(branding: Branding): string {
  return (
    STYLES + colourRules(branding, (rules) => `@media (prefers-color-scheme: dark) { :root { ${rules} } }`)
  );
}

const STYLES = `
:root { color-scheme: light dark; --surface: #fff; --text: #131313; --line: #767676; --accent: #0b5cad; --on-accent: #fff; --alarm: #a4161a; }
@media (prefers-color-scheme: dark) { :root { --surface: #131313; --text: #f2f2f2; --line: #8d8d8d; --accent: #7ab8ff; --on-accent: #06233f; --alarm: #ff9a9a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--surface); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 8vh auto; padding: 0 1.25rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.25; }
ul { padding-left: 1.25rem; }
small, .brand { opacity: 0.8; }
.brand img { display: block; max-width: 14rem; height: 2.5rem; }
footer { max-width: 26rem; margin: 0 auto 2rem; padding: 0 1.25rem; font-size: 0.875rem; }
footer :is(a, span) { margin-right: 0.75rem; }
.brand { margin: 0 0 2rem; font-weight: 600; letter-spacing: 0.02em; }
a { color: var(--accent); }
label { display: block; margin-bottom: 0.25rem; font-weight: 600; }
input:not([type='hidden']) { width: 100%; padding: 0.6rem; font: inherit; border: 1px solid var(--line); border-radius: 0.375rem; }
button { margin: 0.5rem 0.5rem 0 0; padding: 0.6rem 1.25rem; font: inherit; font-weight: 600; border: 1px solid var(--line); border-radius: 0.375rem; background: transparent; color: inherit; cursor: pointer; }
.button { display: block; padding: 0.6rem 1.25rem; font-weight: 600; text-align: center; text-decoration: none; border: 1px solid var(--line); border-radius: 0.375rem; color: inherit; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
:is(form + #passkey, #passkey ~ form) { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
#passkey button { width: 100%; margin-right: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role='alert'] { padding: 0.6rem 0.75rem; border-left: 4px solid var(--alarm); color: var(--alarm); font-weight: 600; }
strong, code { overflow-wrap: anywhere; }
`;
