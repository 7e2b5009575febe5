import { html, type Html } from '../../../kit/content/html.js';
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

export function loginPage({ clientName, username, problem, ...form }: LoginPage): string {
  const { query, csrfToken, takesPasskey } = form;
  return page(
    'Log in',
    html`<h1>Log in</h1>
      <p>to continue to <strong>${clientName}</strong></p>
      ${alert(problem)}
      <form method="post" action="login?${query}">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <p>
          <label for="username">User name</label>
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
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </p>
        <button type="submit" class="primary">Log in</button>
      </form>
      ${takesPasskey ? passkeyForm('Log in with a passkey', form) : null}
      <p><a href="forgot-password">Forgot your password?</a></p>`,
  );
}

export function codePage({ username, hasApp, otherAccountQuery, problem, ...form }: CodePage): string {
  const { query, csrfToken, takesPasskey } = form;
  const passkey = takesPasskey ? passkeyForm('Use a passkey', form, !hasApp) : null;
  const title = takesPasskey && !hasApp ? 'Use your passkey' : 'Enter a code';
  return page(
    title,
    html`<h1>${title}</h1>
      ${
        hasApp
          ? html`<p>Open your authenticator app for <strong>${username}</strong>, and type what it shows.</p>`
          : html`<p>
              Your password is right, <strong>${username}</strong>. Now
              ${takesPasskey ? 'your passkey, or ' : ''}a recovery code.
            </p>`
      }
      ${alert(problem)} ${hasApp ? null : passkey}
      <form method="post" action="code?${query}">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <p>
          <label for="code">${hasApp ? 'Code' : 'Recovery code'}</label>
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
        <button type="submit" ${hasApp ? html`class="primary"` : null}>Log in</button>
      </form>
      ${hasApp ? passkey : null}
      <p>
        ${hasApp ? 'Without the app, a recovery code does: each of them once.' : 'Each recovery code is good once.'}
      </p>
      <p><a href="authorize?${otherAccountQuery}">Not ${username}? Log in as somebody else.</a></p>`,
  );
}

export function consentPage(consent: ConsentPage): string {
  const { clientName, username, scopes, destination, otherAccountQuery, problem, query, csrfToken } = consent;
  return page(
    'Allow access',
    html`<h1>Allow access?</h1>
      ${alert(problem)}
      <p><strong>${clientName}</strong> asks to act for you, <strong>${username}</strong>. It could:</p>
      <ul>
        ${scopes.map(({ name, words }) => html`<li>${words} <small>(${name})</small></li>`)}
      </ul>
      <p>Either way you go on to <strong>${destination}</strong>.</p>
      <form method="post" action="consent?${query}">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <button type="submit" name="decision" value="allow" class="primary">Allow</button>
        <button type="submit" name="decision" value="deny">Deny</button>
      </form>
      <p><a href="authorize?${otherAccountQuery}">Not ${username}? Log in as somebody else.</a></p>`,
  );
}

export function errorPage(message: string, requestId: string): string {
  return page(
    'Something is wrong',
    html`<h1>This cannot go on</h1>
      <p role="alert">${message}</p>
      <p>
        Go back to the app that sent you here. Its makers may want to know this number:
        <code>${requestId}</code>
      </p>`,
  );
}

/** A whole page, as all under `/oauth/` look. */
export function page(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – Tradepost</title>
        <link rel="stylesheet" href="pages.css" />
      </head>
      <body>
        <main>
          <p class="brand">Tradepost</p>
          ${content}
        </main>
      </body>
    </html> `.markup;
}

/** The error message of a form. */
export function alert(problem: string | null): Html | null {
  return problem === null ? null : html`<p role="alert" id="problem">${problem}</p>`;
}

/** Screen readers announce the error when the field gets the focus. */
export function describedBy(problem: string | null): Html | null {
  return problem === null ? null : html`aria-invalid="true" aria-describedby="problem"`;
}

/** The pages' only stylesheet: system fonts, both colour schemes, contrast of at least 4.5 to 1. */
export const STYLESHEET = `
:root { color-scheme: light dark; --page: #fff; --text: #131313; --line: #767676; --accent: #0b5cad; --on-accent: #fff; --alarm: #a4161a; }
@media (prefers-color-scheme: dark) { :root { --page: #131313; --text: #f2f2f2; --line: #8d8d8d; --accent: #7ab8ff; --on-accent: #06233f; --alarm: #ff9a9a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 8vh auto; padding: 0 1.25rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; line-height: 1.25; }
ul { padding-left: 1.25rem; }
small, .brand { opacity: 0.8; }
.brand { margin: 0 0 2rem; font-weight: 600; letter-spacing: 0.02em; }
a { color: var(--accent); }
label { display: block; margin-bottom: 0.25rem; font-weight: 600; }
input:not([type='hidden']) { width: 100%; padding: 0.6rem; font: inherit; border: 1px solid var(--line); border-radius: 0.375rem; }
button { margin: 0.5rem 0.5rem 0 0; padding: 0.6rem 1.25rem; font: inherit; font-weight: 600; border: 1px solid var(--line); border-radius: 0.375rem; background: transparent; color: inherit; cursor: pointer; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
:is(form + #passkey, #passkey ~ form) { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
#passkey button { width: 100%; margin-right: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role='alert'] { padding: 0.6rem 0.75rem; border-left: 4px solid var(--alarm); color: var(--alarm); font-weight: 600; }
strong, code { overflow-wrap: anywhere; }
`;
