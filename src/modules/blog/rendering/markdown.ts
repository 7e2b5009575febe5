import MarkdownIt, { type Token } from 'markdown-it';
import { beginningOf } from '../../../kit/content/beginning.js';
import { storedUrl } from '../../../kit/content/own-origin.js';
import { sanitize, textOf } from '../../../kit/content/sanitize.js';
import { ApiError } from '../../../kit/http/errors.js';

/** The limit of the HTML. Short Markdown can expand a lot: references and table rows repeat text. */
export const HTML_LENGTH_MAX = 1_000_000;

const EXCERPT_LENGTH_MAX = 300;

/** What an excerpt leaves out: it is about the text. */
const NOT_IN_EXCERPTS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'table', 'figure'];

/** Adults read about 238 words of English prose a minute (Brysbaert, 2019). */
const WORDS_PER_MINUTE = 238;

/** For names of elements and what stands around them. */
const TOKEN_LENGTH = 16;

/** HTML in the Markdown is let through here, since all that comes out is sanitised. */
const markdownIt = new MarkdownIt({ html: true });

const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Where relative addresses of a text lead. */
export interface TextPlace {
  readonly publicUrl: string;
  /** Where it is read, such as `/blog/posts/`. */
  readonly path: string;
}

/** What a text becomes. */
export interface RenderedText {
  /** Sanitised; addresses are absolute, those of this service begin with `OWN_ORIGIN`. */
  readonly html: string;
  /** Its words. */
  readonly plainText: string;
  /** Its beginning: at most 300 characters and an ellipsis. */
  readonly excerpt: string;
  /** How long it takes to read, in whole minutes from 1 on. */
  readonly readingMinutes: number;
}

/**
 * Renders Markdown (CommonMark with tables and strikethrough; HTML is taken, too) for everyone to see.
 * Throws `validation_failed` (400) where it would become over a million characters of HTML.
 */
export function renderMarkdown(markdown: string, { publicUrl, path }: TextPlace): RenderedText {
  const html = sanitize(toHtml(markdown), (address, schemes) =>
    storedUrl(address, publicUrl, path, schemes),
  ).trim();
  if (html.length > HTML_LENGTH_MAX) throw tooLong();
  const plainText = textOf(html);
  return {
    html,
    plainText,
    excerpt: beginningOf(textOf(html, NOT_IN_EXCERPTS) || plainText, EXCERPT_LENGTH_MAX),
    readingMinutes: Math.max(1, Math.ceil(countWords(plainText) / WORDS_PER_MINUTE)),
  };
}

/** The length is added up before the HTML is written: a few kilobytes could ask for a gigabyte. */
function toHtml(markdown: string): string {
  const environment = {};
  const tokens = markdownIt.parse(markdown, environment);
  if (lengthOf(tokens) > 2 * HTML_LENGTH_MAX) throw tooLong();
  return markdownIt.renderer.render(tokens, markdownIt.options, environment);
}

function lengthOf(tokens: readonly Token[]): number {
  let length = 0;
  for (const { content, attrs, children } of tokens) {
    length += TOKEN_LENGTH + (children ? lengthOf(children) : content.length);
    for (const [name, value] of attrs ?? []) length += name.length + String(value).length;
  }
  return length;
}

function countWords(text: string): number {
  let count = 0;
  for (const { isWordLike } of words.segment(text)) if (isWordLike) count++;
  return count;
}

function tooLong(): ApiError {
  const problem = `must not become over ${HTML_LENGTH_MAX / 1e6} million characters of HTML`;
  return ApiError.validation([{ field: 'markdown', message: `markdown ${problem}` }]);
}
