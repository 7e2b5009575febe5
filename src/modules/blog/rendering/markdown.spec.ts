import fc from 'fast-check';
import { html as names, parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { hostileParts } from '../../../../test/support/hostile-markdown.js';
import { OWN_ORIGIN } from '../../../kit/content/own-origin.js';
import { ALLOWED_TAGS, NESTING_MAX } from '../../../kit/content/sanitize.js';
import { ApiError } from '../../../kit/http/errors.js';
import { HTML_LENGTH_MAX, renderMarkdown, type RenderedText } from './markdown.js';

const PLACE = { publicUrl: 'https://trade.example', path: '/blog/posts/' };

const render = (markdown: string): RenderedText => renderMarkdown(markdown, PLACE);
const htmlOf = (markdown: string): string => render(markdown).html;

/** Every element of some HTML as a browser reads it, templates and foreign content included. */
function elementsOf(html: string): DefaultTreeAdapterTypes.Element[] {
  const found: DefaultTreeAdapterTypes.Element[] = [];
  const pending: DefaultTreeAdapterTypes.ChildNode[] = [...parseFragment(html).childNodes];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (!('tagName' in node)) continue;
    found.push(node);
    pending.push(...node.childNodes);
    if ('content' in node) pending.push(...node.content.childNodes);
  }
  return found;
}

const ATTRIBUTES = new Map([
  ['a', ['href', 'title']],
  ['img', ['src', 'alt', 'title', 'width', 'height']],
  ['ol', ['start']],
  ['abbr', ['title']],
  ['details', ['open']],
  ['td', ['style', 'colspan', 'rowspan']],
  ['th', ['style', 'colspan', 'rowspan']],
  ['code', ['class']],
]);

/** What is wrong with some HTML: said again here, so that a slip in the sanitiser's own lists is found. */
function faultsOf(html: string): string[] {
  return elementsOf(html).flatMap(({ tagName, namespaceURI, attrs }) => {
    const faults: string[] = [];
    if (namespaceURI !== names.NS.HTML) faults.push(`foreign <${tagName}>`);
    // Parsers complete tables by themselves.
    if (!ALLOWED_TAGS.includes(tagName) && tagName !== 'colgroup') faults.push(`<${tagName}>`);
    for (const { name, value } of attrs) {
      if (!ATTRIBUTES.get(tagName)?.includes(name)) faults.push(`${tagName} ${name}`);
      if (name === 'href' && !/^(https?:\/\/|mailto:|#)/.test(value)) faults.push(`href ${value}`);
      if (name === 'src' && !/^https?:\/\//.test(value)) faults.push(`src ${value}`);
      if (name === 'style' && !/^text-align:(left|center|right)$/.test(value)) faults.push(`style ${value}`);
      if (name === 'class' && !/^language-[\w+#.-]+$/.test(value)) faults.push(`class ${value}`);
    }
    return faults;
  });
}

describe('renderMarkdown', () => {
  it('takes CommonMark with tables and strikethrough', () => {
    expect(htmlOf('# One\n\n*two* **three** ~~four~~ `five`\n\n> six\n\n3. seven\n')).toBe(
      '<h1>One</h1>\n<p><em>two</em> <strong>three</strong> <s>four</s> <code>five</code></p>\n' +
        '<blockquote>\n<p>six</p>\n</blockquote>\n<ol start="3">\n<li>seven</li>\n</ol>',
    );
    expect(htmlOf('| a | b |\n|:-:|--:|\n| 1 | 2 |')).toContain(
      '<td style="text-align:center">1</td>\n<td style="text-align:right">2</td>',
    );
    expect(htmlOf('```ts\nlet a = "<b>";\n```')).toBe(
      '<pre><code class="language-ts">let a = "&lt;b&gt;";\n</code></pre>',
    );
  });

  it('keeps the HTML that prose needs', () => {
    const html =
      '<details open><summary>More</summary>H<sub>2</sub>O, <kbd>Ctrl</kbd>, <abbr title="A">a</abbr></details>';
    expect(htmlOf(html)).toBe(html);
  });

  it.each([
    ['[a](https://example.com/b)', 'https://example.com/b'],
    ['[a](HTTPS://EXAMPLE.COM)', 'https://example.com/'],
    ['[a](//example.com/b)', 'https://example.com/b'],
    ['<mailto:a@example.com>', 'mailto:a@example.com'],
    ['[a](#part)', '#part'],
    ['[a](another-post)', `${OWN_ORIGIN}/blog/posts/another-post`],
    ['[a](/docs?x=1&y=2#z)', `${OWN_ORIGIN}/docs?x=1&y=2#z`],
    ['[a](../pages/about)', `${OWN_ORIGIN}/blog/pages/about`],
    ['[a](https://trade.example/docs)', `${OWN_ORIGIN}/docs`],
    ['[a](https://trade.example)', `${OWN_ORIGIN}/`],
    ['[a](https://trade.example.org/docs)', 'https://trade.example.org/docs'],
    ['<a href="https://example.com/b">a</a>', 'https://example.com/b'],
  ])('reads the address in %s', (markdown, href) => {
    const [link] = elementsOf(htmlOf(markdown)).filter(({ tagName }) => tagName === 'a');
    expect(link?.attrs).toEqual([{ name: 'href', value: href }]);
  });

  it.each([
    ...[
      '<script>alert(1)</script>',
      '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
      '<script\n>alert(1)</script >',
    ],
    ...['<scr<script>ipt>alert(1)</scr</script>ipt>', '<script/x>alert(1)</script>', '<script>alert(1)'],
    ...['<img src=x onerror=alert(1)>', '<img/src=x/onerror=alert(1)>', '<img src=x\nonerror\n=\nalert(1)>'],
    ...['<p onclick=alert(1)>a</p>', '<p OnMouseOver="alert(1)">a</p>', '<details ontoggle=alert(1) open>'],
    ...['<a href="javascript:alert(1)">a</a>', '<a href=" &#106;avascript:alert(1)">a</a>'],
    ...['<a href="java\tscript:alert(1)">a</a>', '<a href="java&NewLine;script&colon;alert(1)">a</a>'],
    ...['<a href="\u0001javascript:alert(1)">a</a>', '<a href="vbscript:x">a</a>', '<a href="blob:x">a</a>'],
    ...['<a href="data:text/html,<script>alert(1)</script>">a</a>', '<a href="file:///etc/passwd">a</a>'],
    ...['<img src="data:image/svg+xml;base64,PHN2Zz4=">', '<img src="javascript:alert(1)">'],
    ...[
      '<img src=x srcset="data:,x 1x">',
      '<a href="https://a.example" target=_blank ping=//evil.example>a</a>',
    ],
    ...['[a](javascript:alert(1))', '[a](JaVaScRiPt:alert(1))', '[a](&#106;avascript:alert(1))'],
    ...['[a](java&Tab;script:alert(1))', '[a](<javascript:alert(1)>)', '![a](javascript:alert(1))'],
    ...['![a](data:image/png;base64,AAAA)', '[a]: javascript:alert(1)\n\n[a]', '<javascript:alert(1)>'],
    ...['[a](https://b.example "t" onclick="alert(1)")', '![a" onerror="alert(1)](https://b.example/x.png)'],
    ...['[a](https://b.example/"onmouseover="alert(1))', '[a](https://b.example "\\" onclick=\\"alert(1)")'],
    ...[
      '<svg onload=alert(1)>',
      '<svg><script>alert(1)</script></svg>',
      '<svg><style><img src=x onerror=alert(1)>',
    ],
    ...['<svg><a xlink:href="javascript:alert(1)"><text>a</text></a></svg>', '<svg><foreignObject><p>a</p>'],
    ...[
      '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
      '<math href="javascript:alert(1)">a</math>',
    ],
    ...[
      '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    ],
    ...[
      '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
      '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    ],
    ...[
      '<iframe src="javascript:alert(1)"></iframe>',
      '<iframe srcdoc="<script>alert(1)</script>">',
      '<object data=x>',
    ],
    ...[
      '<embed src=x>',
      '<form action=//evil.example><input name=x><button>a</button></form>',
      '<base href=//evil.example>',
    ],
    ...[
      '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
      '<link rel=stylesheet href=//evil.example>',
    ],
    ...[
      '<style>*{background:url(//evil.example)}</style>',
      '<p style="background:url(javascript:alert(1))">a</p>',
    ],
    ...['<td style="text-align:left;position:fixed">a</td>', '<p id=location name=cookie class=admin>a</p>'],
    ...[
      '<template><script>alert(1)</script></template>',
      '<xmp><script>alert(1)</script></xmp>',
      '<plaintext>',
    ],
    ...[
      '<textarea></textarea><img src=x onerror=alert(1)></textarea>',
      '<title></title><script>alert(1)</script>',
    ],
    ...[
      '<select><option><script>alert(1)</script></option></select>',
      '<video src=x onerror=alert(1)></video>',
    ],
    ...[
      '<!--><img src=x onerror=alert(1)>-->',
      '<!--<img src="--><img src=x onerror=alert(1)//">',
      '<?xml ?><script>alert(1)</script>',
    ],
    ...[
      '<![CDATA[<script>alert(1)</script>]]>',
      '<![CDATA[><script>alert(1)</script>]]>',
      '<//p><script>alert(1)</script>',
    ],
    ...[
      '<img src="x` `<script>alert(1)</script>"` `>',
      '<a href="x" "onclick=alert(1)>a</a>',
      '<p =onclick=alert(1)>a',
    ],
    ...[
      '<a href=https://b.example/x style=x:expression(alert(1))>a</a>',
      '\\<script>alert(1)</script>',
      '`<script>` <script>alert(1)</script>',
    ],
    ...[
      '<IMG """><SCRIPT>alert(1)</SCRIPT>"\\>',
      '<table background=javascript:alert(1)><td>a',
      '<marquee onstart=alert(1)>a',
    ],
    ...[
      '```"><script>alert(1)</script>\na\n```',
      '```js onclick=alert(1)\na\n```',
      '~~~ <img src=x onerror=alert(1)>\na',
    ],
  ])('leaves nothing dangerous of %j', (markdown) => {
    expect(faultsOf(htmlOf(markdown))).toEqual([]);
  });

  it('drops what is in scripts and styles, and keeps the text of other elements', () => {
    expect(htmlOf('a<script>b</script><style>c</style><blink>d</blink>')).toBe('<p>ad</p>');
    expect(htmlOf('<img src="data:x" alt="a"> b')).toBe('<p> b</p>');
  });

  it('leaves no character that would break a feed', () => {
    const { html, plainText } = render('a\u0001b\u000bc\ufffed <b>&#8;</b>\u0085 😀');
    expect(html).toBe('<p>abcd <b>\ufffd</b>\u0085 😀</p>');
    expect(plainText).toBe('abcd \ufffd\u0085 😀');
  });

  const snippet = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...hostileParts()) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  );

  it('lets nothing through, whatever pieces are put together', () => {
    fc.assert(
      fc.property(fc.array(snippet, { maxLength: 24 }), (pieces) => {
        const { html, excerpt, readingMinutes } = render(pieces.join(''));
        expect(faultsOf(html)).toEqual([]);
        // What is safe stays as it is: nothing comes to life when it is sanitised again.
        expect(faultsOf(htmlOf(html))).toEqual([]);
        expect([...excerpt].length).toBeLessThanOrEqual(301);
        expect(readingMinutes).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('what Markdown may cost', () => {
  const fill = (piece: string, length = 100_000): string => piece.repeat(Math.floor(length / piece.length));
  const rows = (count: number, row: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => row(i)).join('\n');

  // Whatever is slow here would hold up orders.
  it.each([
    ...[
      '[',
      '](',
      '[a](',
      '![[]()',
      '*a **a ',
      '_',
      '**',
      '~~a',
      '<',
      '<a ',
      '<b>',
      '<div>',
      '</b>',
      '> ',
      '- ',
    ],
    ...['`', '``a', '<!--', '<?', '<!A ', '<![CDATA[', '&', '&amp;', '\\', '\\\n', '# a\n', '---\n', '```\n'],
    ...[
      '<a@b.c>',
      '[a]: b\n',
      '[a]:\n',
      '"',
      '<a href="',
      '<td style="text-align:left">',
      '|\n|',
      'a\n-\n',
      '\t-',
    ],
    ...['1. ', '[*a', 'a-', 'a.b/', 'a@', "a'", '😀', '東', '<details>', '<p>\n\n'],
  ])('is bounded for 100,000 characters of %j', (piece) => {
    const { html } = render(fill(piece));
    expect(html.length).toBeLessThanOrEqual(HTML_LENGTH_MAX);
    expect(depthOf(html)).toBeLessThanOrEqual(NESTING_MAX);
  });

  it('is bounded for lists and quotes in each other', () => {
    for (const markdown of [
      rows(400, (i) => `${' '.repeat(i)}- a`),
      rows(440, (i) => `${'>'.repeat(i)} a\n`),
      rows(440, (i) => `${'`'.repeat(i)}a`),
    ]) {
      expect(depthOf(refusedOr(markdown))).toBeLessThanOrEqual(NESTING_MAX);
    }
  });

  it.each([
    ['references', `[a]: /${'x'.repeat(50_000)}\n\n${fill('[a]', 48_000)}`],
    ['rows of a wide table', `|${fill('a|', 48_000)}\n|${fill('-|', 48_000)}\n${fill('|\n', 4_000)}`],
  ])('is refused where %s would become too long', (_what, markdown) => {
    expect(() => render(markdown)).toThrow(ApiError);
    try {
      render(markdown);
    } catch (error) {
      expect(error).toMatchObject({ code: 'validation_failed', details: [{ field: 'markdown' }] });
    }
  });

  function refusedOr(markdown: string): string {
    try {
      return htmlOf(markdown);
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError);
      return '';
    }
  }

  function depthOf(html: string): number {
    let depth = 0;
    let deepest = 0;
    for (const [tag] of html.matchAll(/<\/?[a-z][^>]*>/g)) {
      if (tag.startsWith('</')) depth--;
      else if (!tag.endsWith('/>')) deepest = Math.max(deepest, ++depth);
    }
    return deepest;
  }
});

describe('an excerpt', () => {
  it('is the beginning of the prose', () => {
    expect(render('# Title\n\nThis is *it* & that.\n\n```\ncode\n```').excerpt).toBe('This is it & that.');
    expect(render('|a|b|\n|-|-|\n|1|2|').excerpt).toBe('a b 1 2');
    expect(render('<script>x</script>').excerpt).toBe('');
  });

  it('ends between words, and never within a character', () => {
    const long = render('word, '.repeat(100)).excerpt;
    expect(long).toMatch(/word…$/);
    expect(long.length).toBeLessThanOrEqual(301);
    expect(render('😀'.repeat(400)).excerpt).toBe(`${'😀'.repeat(300)}…`);
  });
});

describe('the reading time', () => {
  it.each([
    ['', 1],
    ['word '.repeat(238), 1],
    ['word '.repeat(239), 2],
    ['word '.repeat(2_380), 10],
  ])('counts words (%#)', (markdown, minutes) => {
    expect(render(markdown).readingMinutes).toBe(minutes);
  });
});
