/** What mails say, in one description for both of their parts: plain text and HTML. */
import { type Html, html } from '../content/html.js';
import type { MailTemplate } from '../words/branding/branding.js';
import { type MailPlaceholder, templateOf } from '../words/branding/mail-templates.js';
import { filledHtml } from '../words/filled-html.js';
import { MAIL_WORDS } from '../words/mail-words.js';
import type { Texts } from '../words/texts.js';
import { filledTemplate } from './filled-template.js';

export interface MailContent {
  /** By which a template of the operator's is for it, such as `verify_email`. */
  readonly kind: string;
  readonly language: string;
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

/** Readable without images, without styles, and in both colour schemes; in the operator's template where there is one. */
export function renderMail(content: MailContent, texts: Texts): RenderedMail {
  const template: MailTemplate = templateOf(texts.branding, content.kind, content.language);
  const text = textPartsOf(content, texts);
  return {
    subject: template.subject === undefined ? content.subject : filledTemplate(template.subject, text),
    text: template.txt === undefined ? textOf(text) : filledTemplate(template.txt, text),
    html:
      template.html === undefined
        ? htmlOf(content, texts)
        : filledTemplate(template.html, htmlPartsOf(content, texts)),
  };
}

/** By the names of templates' placeholders. */
type Parts<Part> = Readonly<Record<MailPlaceholder, Part>>;

function textPartsOf(content: MailContent, texts: Texts): Parts<string> {
  const { subject, username, paragraphs, facts = [], link, closing, serviceUrl } = content;
  const { name: product, support } = texts.branding;
  const words = texts.of(MAIL_WORDS, content.language);
  return {
    product,
    username,
    subject,
    greeting: words.greeting({ username }),
    body: paragraphs.join('\n\n'),
    facts: facts.map(([label, value]) => `${label}: ${oneLine(value)}`).join('\n'),
    link: link?.url ?? '',
    link_label: link?.label ?? '',
    closing: closing.join('\n\n'),
    service_url: serviceUrl,
    support: support === null ? '' : words.support({ support }),
  };
}

function textOf({
  product,
  greeting,
  body,
  facts,
  link,
  link_label: label,
  closing,
  service_url: url,
  support,
}: Parts<string>): string {
  const blocks = [
    greeting,
    body,
    facts,
    link === '' ? '' : `${label}:\n${link}`,
    closing,
    support,
    // The separator by which mail programs know a signature.
    `-- \n${product}, ${url}`,
  ].filter((block) => block !== '');
  return `${blocks.join('\n\n')}\n`;
}

function htmlPartsOf(content: MailContent, texts: Texts): Parts<Html> {
  const { subject, username, paragraphs, facts = [], link, closing, serviceUrl } = content;
  const { name: product, support } = texts.branding;
  const words = texts.of(MAIL_WORDS, content.language);
  const paragraph = (text: string): Html => html`<p>${text}</p>`;
  return {
    product: html`${product}`,
    username: html`${username}`,
    subject: html`${subject}`,
    greeting: filledHtml(words.greeting, { username: html`<strong>${username}</strong>` }),
    body: html`${paragraphs.map(paragraph)}`,
    facts: html`${facts.length === 0 ? null : tableOf(facts)}`,
    link: html`${link?.url ?? null}`,
    link_label: html`${link?.label ?? null}`,
    closing: html`${closing.map(paragraph)}`,
    service_url: html`${serviceUrl}`,
    support: html`${support === null ? null : words.support({ support })}`,
  };
}

function htmlOf(content: MailContent, texts: Texts): string {
  const { greeting, body, facts, closing, support } = htmlPartsOf(content, texts);
  const { subject, link, serviceUrl, language } = content;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${subject}</title>
        ${styleOf(texts)}
      </head>
      <body>
        <main>
          <h1>${subject}</h1>
          <p>${greeting}</p>
          ${body} ${facts} ${link === undefined ? null : html`<p><a href="${link.url}">${link.label}</a></p>`}
          ${closing} ${support.markup === '' ? null : html`<p>${support}</p>`}
        </main>
        <footer>${texts.branding.name}, <a href="${serviceUrl}">${serviceUrl}</a></footer>
      </body>
    </html> `.markup;
}

/** Both colour schemes, with contrast of at least 4.5 to 1: mail programs know no custom properties. */
function styleOf({ branding: { colours } }: Texts): Html {
  const light = { ...OWN_MAIL_COLOURS.light, ...colours.light };
  const dark = { ...OWN_MAIL_COLOURS.dark, ...colours.dark };
  return html`<style>
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
      background: ${light.surface};
      color: ${light.text};
    }
    a {
      color: ${light.accent};
    }
    @media (prefers-color-scheme: dark) {
      body {
        background: ${dark.surface};
        color: ${dark.text};
      }
      a {
        color: ${dark.accent};
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
}

/** Of mails alone where the operator chooses none. */
const OWN_MAIL_COLOURS = {
  light: { surface: '#fff', text: '#131313', accent: '#0b5cad' },
  dark: { surface: '#131313', text: '#f2f2f2', accent: '#7ab8ff' },
} as const;

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
