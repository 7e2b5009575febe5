import { html, type Html } from '../../../kit/content/html.js';

interface PasskeyForm {
  /** The query of the authorization request. */
  readonly query: string;
  readonly csrfToken: string;
}

/** What the form says. */
interface PasskeyLabels {
  readonly label: string;
  readonly failed: string;
}

/** A button that has a passkey sign. Its script shows it where the browser can do that. */
export function passkeyForm(
  { label, failed }: PasskeyLabels,
  { query, csrfToken }: PasskeyForm,
  isMain = false,
): Html {
  return html`<form
      id="passkey"
      method="post"
      action="passkey?${query}"
      data-options="passkey/options?${query}"
      hidden
    >
      <input type="hidden" name="csrf_token" value="${csrfToken}" />
      <input type="hidden" name="response" />
      <p role="alert" hidden>${failed}</p>
      <button type="submit" ${isMain ? html`class="primary"` : null}>${label}</button>
    </form>
    <script src="pages.js" defer></script>`;
}

/** The only script of the pages, which work without it. */
export const SCRIPT = `'use strict';

const form = document.getElementById('passkey');
const problem = form.querySelector('[role="alert"]');
const button = form.querySelector('button');

async function sign() {
  const { csrf_token: token, response } = form.elements;
  const body = new URLSearchParams({ csrf_token: token.value });
  const answer = await fetch(form.dataset.options, { method: 'POST', body });
  if (!answer.ok) throw new Error(answer.statusText);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await answer.json());
  const credential = await navigator.credentials.get({ publicKey });
  response.value = JSON.stringify(credential);
}

if (window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    problem.hidden = true;
    button.disabled = true;
    sign()
      .then(() => form.submit())
      .catch(() => {
        problem.hidden = false;
        button.disabled = false;
      });
  });
}
`;
