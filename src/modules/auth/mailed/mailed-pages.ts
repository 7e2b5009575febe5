/** The pages for who follows the link of a mail, or asks for one. They look and work like the log-in pages. */
import { html } from '../../../kit/content/html.js';
import type { PageLook } from '../authorize/page-looks.js';
import { alert, describedBy, page } from '../authorize/pages.js';

interface Form {
  readonly csrfToken: string;
  /** The error message; null at first. */
  readonly problem: string | null;
}

export function forgotPage(look: PageLook, { csrfToken, problem }: Form): string {
  const { forgot: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.heading}</h1>
      <p>${words.what}</p>
      ${alert(problem)}
      <form method="post" action="forgot-password">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <p>
          <label for="typed">${words.typed}</label>
          <input
            id="typed"
            name="typed"
            ${describedBy(problem)}
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            maxlength="254"
            required
            autofocus
          />
        </p>
        <button type="submit" class="primary">${words.submit}</button>
      </form>`,
  );
}

/** The same for everybody. */
export function askedPage(look: PageLook): string {
  const { asked: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
      <p>${words.sent}</p>
      <p>${words.noMail}</p>`,
  );
}

export function newPasswordPage(
  look: PageLook,
  { csrfToken, problem, token }: Form & { readonly token: string },
): string {
  const { newPassword: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
      <p>${words.what}</p>
      ${alert(problem)}
      <form method="post" action="reset-password">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <input type="hidden" name="token" value="${token}" />
        <p>
          <label for="new_password">${words.password}</label>
          <input
            id="new_password"
            name="new_password"
            type="password"
            ${describedBy(problem)}
            autocomplete="new-password"
            required
            autofocus
          />
        </p>
        <button type="submit" class="primary">${words.submit}</button>
      </form>
      <p><a href="forgot-password">${words.another}</a></p>`,
  );
}

/** With a button, since programs that look through mail follow links too. */
export function verifyPage(
  look: PageLook,
  { csrfToken, problem, token }: Form & { readonly token: string },
): string {
  const { verify: words } = look.words;
  return page(
    look,
    words.title,
    html`<h1>${words.title}</h1>
      ${alert(problem)}
      <form method="post" action="verify-email">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <input type="hidden" name="token" value="${token}" />
        <button type="submit" class="primary">${words.submit}</button>
      </form>`,
  );
}

export function donePage(look: PageLook, title: string, what: string): string {
  return page(
    look,
    title,
    html`<h1>${title}</h1>
      <p>${what}</p>
      <p><a href="../console">${look.words.goOn({ product: look.branding.name })}</a></p>`,
  );
}
