import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { xmlText } from './xml-text.js';

/** The allowed elements: what prose needs, nothing that executes, loads or tracks. */
export const ALLOWED_TAGS = [
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'blockquote', 'pre', 'hr', 'br'],
  ...['div', 'figure', 'figcaption'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...['a', 'img', 'em', 'strong', 'b', 'i', 'u', 's', 'del', 'ins', 'small', 'sub', 'sup', 'mark', 'span'],
  ...['code', 'kbd', 'samp', 'var', 'abbr', 'cite', 'q', 'dfn'],
];

/** The alignment of Markdown table cells, the only style allowed. */
const ALIGNMENTS: readonly (string | undefined)[] = [
  'text-align:left',
  'text-align:center',
  'text-align:right',
];
const CELL = ['style', 'colspan', 'rowspan'];

/** No `id` or `name`: with them a text could imitate a part of the page around it. */
const ALLOWED_ATTRIBUTES = {
  a: ['href', 'title'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  ol: ['start'],
  abbr: ['title'],
  details: ['open'],
  td: CELL,
  th: CELL,
};

const LINK_SCHEMES = ['http', 'https', 'mailto'];
const IMAGE_SCHEMES = ['http', 'https'];

/** Deeper elements lose their tags and keep their text. */
export const NESTING_MAX = 50;

const COMMON: IOptions = {
  disallowedTagsMode: 'discard',
  allowVulnerableTags: false,
  allowedSchemes: LINK_SCHEMES,
  allowedSchemesByTag: { img: IMAGE_SCHEMES },
  allowProtocolRelative: false,
  parseStyleAttributes: false,
  nestingLimit: NESTING_MAX,
};

/**
 * Normalizes a URL in a text, which may be relative. `undefined` if it is invalid or its scheme (such as `https:`) is
 * not allowed.
 */
export type AddressReader = (address: string, schemes: ReadonlySet<string>) => string | undefined;

/**
 * Makes any HTML safe to show, with its URLs normalized by `readAddress`. Other elements lose their tags; scripts and
 * similar elements also lose their content.
 */
export function sanitize(html: string, readAddress: AddressReader): string {
  const clean = sanitizeHtml(html, {
    ...COMMON,
    allowedTags: ALLOWED_TAGS,
    allowedAttributes: ALLOWED_ATTRIBUTES,
    allowedClasses: { code: [/^language-[\w+#.-]+$/] },
    transformTags: {
      a: withAddress('href', readAddress, new Set(LINK_SCHEMES.map((scheme) => `${scheme}:`))),
      td: aligned,
      th: aligned,
      img: withAddress('src', readAddress, new Set(IMAGE_SCHEMES.map((scheme) => `${scheme}:`))),
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs['src'],
  });
  return xmlText(clean);
}

/** The text of sanitised HTML, without elements of these names. */
export function textOf(html: string, withoutTags: readonly string[] = []): string {
  // Adjacent blocks may have no space between them, but are separate words.
  const spaced = html.replace(
    /<\/?(?:p|h\d|li|d[td]|t[hdr]|caption|div|br|pre|summary|figcaption)\b/g,
    ' $&',
  );
  const text = sanitizeHtml(spaced, {
    ...COMMON,
    nestingLimit: NESTING_MAX + 1,
    allowedTags: [],
    allowedAttributes: {},
    nonTextTags: [...withoutTags],
  });
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();
}

function withAddress(
  name: 'href' | 'src',
  readAddress: AddressReader,
  schemes: ReadonlySet<string>,
): (tagName: string, attributes: Attributes) => Tag {
  return (tagName, { [name]: address, ...others }) => {
    if (address === undefined) return { tagName, attribs: others };
    // A fragment within the text itself.
    const url = address.startsWith('#') ? address : readAddress(address, schemes);
    return { tagName, attribs: url === undefined ? others : { [name]: url, ...others } };
  };
}

function aligned(tagName: string, { style, ...others }: Attributes): Tag {
  return { tagName, attribs: ALIGNMENTS.includes(style) ? { style: style ?? '', ...others } : others };
}
