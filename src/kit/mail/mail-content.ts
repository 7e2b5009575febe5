/** What mails say, in one description for both of their parts: plain text and HTML. */
import { html, type Html } from '../content/html.js';

export interface MailContent {
  /** A constant: nothing that anybody typed. */
  readonly subject: string;
  readonly username: string;
  readonly paragraphs: readonly string[];
  /** Labels with their values. */
  readonly facts?: readonly (readonly [label: string, value: string])[];
  /** The one thing to do. */
  readonly link?: { readonly label: string; readonly url: string };
  /** What follows, such as what to do otherwise. */
  readonly closing: readonly string[];
  /** Where the service is, at the end of each mail. */
  readonly serviceUrl: string;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Both colour schemes, with contrast of at least 4.5 to 1. */
const STYLE = html`<style>
  :root {
    color-scheme: light dark;
  }
  body {
    max-width: 34rem;
    margin: 0 auto;
    padding: 1.5rem;
    font:
      1rem/1.5 system-ui,
      sans-serif;
    background: #fff;
    color: #131313;
  }
  a {
    color: #0b5cad;
  }
  @media (prefers-color-scheme: dark) {
    body {
      background: #131313;
      color: #f2f2f2;
    }
    a {
      color: #7ab8ff;
    }
  }
  h1 {
    font-size: 1.25rem;
  }
  th {
    padding: 0.125rem 1rem 0.125rem 0;
    text-align: left;
    vertical-align: top;
  }
  td {
    overflow-wrap: anywhere;
  }
  footer {
    margin-top: 2rem;
    font-size: 0.875rem;
  }
</style>`;

/** Readable without images, without styles, and in both colour schemes. */
export function renderMail(content: MailContent): RenderedMail {
  return { subject: content.subject, text: textOf(content), html: htmlOf(content) };
}

function textOf({ username, paragraphs, facts = [], link, closing, serviceUrl }: MailContent): string {
  const blocks = [
    `Hello ${username},`,
    ...paragraphs,
    ...(facts.length === 0 ? [] : [facts.map(([label, value]) => `${label}: ${oneLine(value)}`).join('\n')]),
    ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]),
    ...closing,
    // The separator by which mail programs know a signature.
    `-- \nTradepost, ${serviceUrl}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function htmlOf({
  subject,
  username,
  paragraphs,
  facts = [],
  link,
  closing,
  serviceUrl,
}: MailContent): string {
  const paragraph = (text: string): Html => html`<p>${text}</p>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${subject}</title>
        ${STYLE}
      </head>
      <body>
        <main>
          <h1>${subject}</h1>
          <p>Hello <strong>${username}</strong>,</p>
          ${paragraphs.map(paragraph)} ${facts.length === 0 ? null : tableOf(facts)}
          ${link === undefined ? null : html`<p><a href="${link.url}">${link.label}</a></p>`}
          ${closing.map(paragraph)}
        </main>
        <footer>Tradepost, <a href="${serviceUrl}">${serviceUrl}</a></footer>
      </body>
    </html> `.markup;
}

function tableOf(facts: NonNullable<MailContent['facts']>): Html {
  return html`<table>
    ${facts.map(
      ([label, value]) =>
        html`<tr>
          <th scope="row">${label}</th>
          <td>${oneLine(value)}</td>
        </tr>`,
    )}
  </table>`;
}

/** A value that somebody typed must not look like another line of the mail. */
function oneLine(value: string): string {
  return value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
