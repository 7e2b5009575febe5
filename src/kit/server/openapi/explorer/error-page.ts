import { html, type Html } from '../../../content/html.js';
import type { ErrorCode } from '../../../http/error-code.js';

/** Where an error is answered, and what it means there. */
export interface AnsweredBy {
  /** Such as `POST /orders`. */
  readonly operation: string;
  readonly error: ErrorCode;
}

export interface ErrorPageContents {
  readonly errors: readonly ErrorCode[];
  /** By code. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly answeredBy: readonly AnsweredBy[];
}

/** All codes that `error.code` may have: each has its own place on the page, named as the code is. */
export function errorPage({ errors, meanings, answeredBy }: ErrorPageContents): string {
  const parts = errors.map((error) => {
    const { code, status } = error;
    const uses = answeredBy.filter((use) => use.error.code === code);
    return html`<section id="${code}">
      <h2><a href="#${code}">${code}</a></h2>
      <p>
        ${withCode(meanings[code] ?? error.meaning ?? 'The message says what to do.')} HTTP ${String(status)}.
      </p>
      ${usesOf(uses)}
    </section>`;
  });
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Errors of the Tradepost API</title>
      <link rel="stylesheet" href="explorer.css" />
    </head>
    <body class="text">
      <h1>Errors</h1>
      <p>
        Every failure is answered as
        <code>{"error": {"code", "message", "request_id", "details"}}</code>: programs go by the code, and the
        message is for people. <a href="../docs">The operations</a>
      </p>
      ${parts}
    </body>
  </html>`;
  return `<!doctype html>${page.markup}`;
}

/** Routes for which a code means the same stand together. */
function usesOf(uses: readonly AnsweredBy[]): Html | null {
  const byMeaning = new Map<string, string[]>();
  for (const { operation, error } of uses) {
    const meaning = error.meaning ?? '';
    byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), operation]);
  }
  if (byMeaning.size === 0) return null;
  const items = [...byMeaning].map(
    ([meaning, operations]) =>
      html`<li>${withCode(meaning)} ${operations.map((each) => html`<code>${each}</code> `)}</li>`,
  );
  return html`<ul>
    ${items}
  </ul>`;
}

/** What stands between backticks is code. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
