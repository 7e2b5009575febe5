/** The pages for who follows the link of a mail, or asks for one. They look and work like the log-in pages. */
import { html } from '../../../kit/content/html.js';
import { alert, describedBy, page } from '../authorize/pages.js';

interface Form {
  readonly csrfToken: string;
  /** The error message; null at first. */
  readonly problem: string | null;
}

export function forgotPage({ csrfToken, problem }: Form): string {
  return page(
    'Forgot your password',
    html`<h1>Forgot your password?</h1>
      <p>We send a link to your verified mail address. It sets a new password.</p>
      ${alert(problem)}
      <form method="post" action="forgot-password">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <p>
          <label for="typed">User name or mail address</label>
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
        <button type="submit" class="primary">Send the link</button>
      </form>`,
  );
}

/** The same for everybody. */
export function askedPage(): string {
  return page(
    'Look into your mail',
    html`<h1>Look into your mail</h1>
      <p>
        If there is such a user with a verified address, a link is on its way there. It is good for 20
        minutes.
      </p>
      <p>No mail? Look where your mail program keeps spam, or ask the operators.</p>`,
  );
}

export function newPasswordPage({ csrfToken, problem, token }: Form & { readonly token: string }): string {
  return page(
    'Set a new password',
    html`<h1>Set a new password</h1>
      <p>It ends all your sessions.</p>
      ${alert(problem)}
      <form method="post" action="reset-password">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <input type="hidden" name="token" value="${token}" />
        <p>
          <label for="new_password">New password</label>
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
        <button type="submit" class="primary">Set the password</button>
      </form>
      <p><a href="forgot-password">Ask for another link</a></p>`,
  );
}

/** With a button, since programs that look through mail follow links too. */
export function verifyPage({ csrfToken, problem, token }: Form & { readonly token: string }): string {
  return page(
    'Verify your mail address',
    html`<h1>Verify your mail address</h1>
      ${alert(problem)}
      <form method="post" action="verify-email">
        <input type="hidden" name="csrf_token" value="${csrfToken}" />
        <input type="hidden" name="token" value="${token}" />
        <button type="submit" class="primary">This is my address</button>
      </form>`,
  );
}

export function donePage(title: string, words: string): string {
  return page(
    title,
    html`<h1>${title}</h1>
      <p>${words}</p>
      <p><a href="../console">Go on to Tradepost</a></p>`,
  );
}
