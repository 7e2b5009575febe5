import { hash } from 'node:crypto';
import { beginningOf } from '../../../kit/content/beginning.js';
import { sanitize, textOf, type AddressReader } from '../../../kit/content/sanitize.js';
import { xmlText } from '../../../kit/content/xml-text.js';

export const HEADLINE_LENGTH_MAX = 300;

/** Of a summary that is made of a text; one that is written may be longer. */
export const SUMMARY_LENGTH_MAX = 400;

/**
 * Of the HTML as it comes; the rest is left out. Sanitising it may take a tenth of a second, in which nothing
 * else happens in the process.
 */
const HTML_LENGTH_MAX = { headline: 2_000, summary: 10_000, content: 100_000 };

/** Beyond it, words are not searched for. */
const PLAIN_TEXT_LENGTH_MAX = 50_000;

/** Shorter ones are the same for different news, such as those of a daily column. */
const TELLING_LENGTH_MIN = 100;

/** The text of a news item, in forms for reading, listing and searching. */
export interface NewsText {
  /** Plain text; empty if there is nothing to show. */
  readonly headline: string;
  /** Plain text. */
  readonly summary: string;
  /** Sanitised HTML. */
  readonly content: string;
  readonly plainText: string;
}

/** What comes from outside, all of it HTML. */
interface NewsHtml {
  readonly headline: string;
  readonly summary: string;
  readonly content: string;
}

/** The text of an entry of a feed: safe to show, and of bounded length. */
export function textOfHtml(html: NewsHtml, readAddress: AddressReader): NewsText {
  const written = {
    headline: beginningOf(plain(html.headline, HTML_LENGTH_MAX.headline), HEADLINE_LENGTH_MAX),
    summary: summaryOf(plain(html.summary, HTML_LENGTH_MAX.summary)),
  };
  const text = textOfWritten({ ...written, content: html.content }, readAddress);
  return { ...text, headline: written.headline || beginningOf(text.plainText, HEADLINE_LENGTH_MAX) };
}

/** The same for an operator's text: headline and summary are plain text, the content is HTML. */
export function textOfWritten(
  { headline, summary, content: html }: NewsHtml,
  readAddress: AddressReader,
): NewsText {
  const content = sanitize(html.slice(0, HTML_LENGTH_MAX.content), readAddress).trim();
  const words = textOf(content);
  return {
    headline,
    summary: summary || summaryOf(words),
    content,
    plainText: xmlText(`${summary} ${words}`.trim().slice(0, PLAIN_TEXT_LENGTH_MAX)),
  };
}

/** The summary of a text that comes without one. */
function summaryOf(words: string): string {
  return beginningOf(words, SUMMARY_LENGTH_MAX);
}

/** Whether a summary is just the beginning of its (sanitised) content. */
export function isBeginning(summary: string, content: string): boolean {
  return summary === summaryOf(textOf(content));
}

/** The same for the same news, whatever its feed calls it. Of short ones the address has to be the same, too. */
export function contentHashOf({ headline, plainText }: NewsText, url: string | null): string {
  const words = `${headline}\n${plainText}`.toLowerCase();
  const address = plainText.length < TELLING_LENGTH_MIN ? withoutQuery(url) : '';
  return hash('sha256', `${words}\n${address}`, 'base64url');
}

/** Feeds say in the query through which feed a reader came. */
function withoutQuery(url: string | null): string {
  return url?.replace(/[?#].*$/s, '') ?? '';
}

function plain(html: string, lengthMax: number): string {
  return textOf(sanitize(html.slice(0, lengthMax), () => undefined));
}
