import { type ComponentChildren, h, type JSX } from 'preact';
import { words } from '../words/index.js';

/** What the service lets through, by what it becomes here; headings have a level of their own. */
const ELEMENTS = new Set([
  ...[
    'p',
    'blockquote',
    'pre',
    'hr',
    'br',
    'div',
    'figure',
    'figcaption',
    'ul',
    'ol',
    'li',
    'dl',
    'dt',
    'dd',
  ],
  ...['details', 'summary', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...['em', 'strong', 'b', 'i', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'span'],
  ...['code', 'kbd', 'samp', 'var', 'abbr', 'cite', 'q', 'dfn'],
]);
const ATTRIBUTES: Readonly<Record<string, string>> = {
  title: 'title',
  start: 'start',
  colspan: 'colSpan',
  rowspan: 'rowSpan',
};
const ALIGNMENT = 'data-align';
const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:']);
/** The page's own heading and that of the text. */
const LEVELS_ABOVE = 2;

interface RichTextProps {
  /** Sanitised by the service; what it would not have let through is not shown here either. */
  readonly html: string;
}

/**
 * A text with headings, lists, tables and links, made of elements and never of HTML. Images of other hosts become links:
 * the page loads nothing from them.
 */
export function RichText({ html }: RichTextProps): JSX.Element {
  const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
  const context: Context = { level: LEVELS_ABOVE };
  return <div class="prose">{childrenOf(body, context)}</div>;
}

/** The page's policy forbids styles, even where they are only read; the alignment of cells is kept by another name. */
function withoutStyles(html: string): string {
  return html.replace(/<[^>]*>/g, (tag) =>
    tag.replace(
      /\sstyle\s*=\s*(?:"text-align:(center|right)"|"[^"]*"|'[^']*'|[^\s>]+)/gi,
      (_style, alignment: string | undefined) =>
        alignment === undefined ? '' : ` ${ALIGNMENT}="${alignment}"`,
    ),
  );
}

interface Context {
  /** Of the last heading: no level may be left out. */
  level: number;
}

function childrenOf(parent: Element, context: Context): ComponentChildren[] {
  return [...parent.childNodes].map((node) => {
    if (node instanceof Text) return node.data;
    return node instanceof Element ? elementOf(node, context) : null;
  });
}

function elementOf(element: Element, context: Context): ComponentChildren {
  const name = element.localName;
  if (name === 'a') return linkOf(element, childrenOf(element, context));
  if (name === 'img') return imageOf(element);
  if (/^h[1-6]$/.test(name)) {
    context.level = Math.min(6, Math.max(LEVELS_ABOVE + 1, Number(name[1]) + 1), context.level + 1);
    return h(`h${context.level}`, null, childrenOf(element, context));
  }
  if (name === 'table') {
    return (
      <div
        class="scroll"
        tabIndex={0}
        role="group"
        aria-label={element.querySelector('caption')?.textContent ?? words.table}
      >
        <table>{childrenOf(element, context)}</table>
      </div>
    );
  }
  if (['script', 'style', 'template'].includes(name)) return null;
  if (!ELEMENTS.has(name)) return childrenOf(element, context);
  const given = Object.entries(ATTRIBUTES).flatMap(([attribute, property]) => {
    const value = element.getAttribute(attribute);
    return value === null ? [] : [[property, value]];
  });
  const alignment = element.getAttribute(ALIGNMENT);
  return h(
    name,
    { ...Object.fromEntries(given), ...(alignment !== null && { class: `aligned-${alignment}` }) },
    ...childrenOf(element, context),
  );
}

function linkOf(element: Element, children: ComponentChildren[]): ComponentChildren {
  const href = addressOf(element.getAttribute('href'));
  if (href === null || !LINK_SCHEMES.has(href.protocol)) return children;
  return (
    <a href={href.href} rel="noreferrer" target="_blank">
      {children}
    </a>
  );
}

function imageOf(element: Element): ComponentChildren {
  const source = addressOf(element.getAttribute('src'));
  const text = element.getAttribute('alt') ?? '';
  if (source === null || !['http:', 'https:'].includes(source.protocol)) return text;
  if (source.origin === location.origin) return <img class="photo" src={source.href} alt={text} />;
  return (
    <a href={source.href} rel="noreferrer" target="_blank">
      {words.news.image({ what: text || words.news.imageOf })}
    </a>
  );
}

function addressOf(text: string | null): URL | null {
  return text !== null && URL.canParse(text, document.baseURI) ? new URL(text, document.baseURI) : null;
}
