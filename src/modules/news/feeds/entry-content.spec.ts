import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { ALLOWED_TAGS } from '../../../kit/content/sanitize.js';
import { KnownMarkets } from '../items/market-symbols.js';
import { feedEntryContentOf, sourceOf, type FeedEntryContent } from './entry-content.js';
import type { FeedEntry } from './feed-document.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const ENTRY: FeedEntry = {
  guid: '1',
  headline: 'A headline',
  summary: '',
  content: '',
  author: undefined,
  url: undefined,
  categories: [],
  publishedAt: undefined,
  language: undefined,
  baseUrl: 'https://example.com/news/1',
};
const SURROUNDINGS = {
  source: 'example.com',
  document: { language: 'en-GB' },
  markets: new KnownMarkets([]),
};

const read = (fields: Partial<FeedEntry>): FeedEntryContent =>
  feedEntryContentOf({ ...ENTRY, ...fields }, SURROUNDINGS, NOW);

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

describe('contentOf', () => {
  it.each([
    ['Fish &amp; chips', 'Fish & chips'],
    ['<b>Bold</b> and <i>brave</i>', 'Bold and brave'],
    ['5 < 6', '5 < 6'],
    ['  many \n\t blanks ', 'many blanks'],
    ['<script>alert(1)</script>Calm', 'Calm'],
    ['a\u0000b\u0007c\uD800d', 'abcd'],
    ['<p>One</p><p>Two</p>', 'One Two'],
    ['&lt;b&gt; is a tag', '<b> is a tag'],
  ])('makes the headline %j plain text', (headline, text) => {
    expect(read({ headline }).headline).toBe(text);
  });

  it('cuts what is too long', () => {
    const long = 'word '.repeat(100_000);
    const { headline, summary, content, plainText, author } = read({
      headline: long,
      summary: long,
      content: `<p>${long}</p>`,
      author: long,
    });
    expect(headline.length).toBeLessThanOrEqual(301);
    expect(summary.length).toBeLessThanOrEqual(401);
    expect(content.length).toBeLessThanOrEqual(100_010);
    expect(plainText.length).toBeLessThanOrEqual(50_000);
    expect(author?.length).toBeLessThanOrEqual(100);
  });

  it('takes the beginning of the text for a headline or summary that is missing', () => {
    expect(read({ headline: '', content: '<p>Just a <b>note</b>.</p>' })).toMatchObject({
      headline: 'Just a note.',
      summary: 'Just a note.',
      content: '<p>Just a <b>note</b>.</p>',
    });
    expect(read({ headline: '', content: '<script>1</script>' }).headline).toBe('');
  });

  it('reads addresses where the entry stands', () => {
    const { content, url } = read({
      url: '/story?a=1&b=2',
      content:
        '<a href="more#x">a</a><a href="//b.example/">b</a><img src="../c.png"><a href="mailto:d@e.example">d</a>',
    });
    expect(url).toBe('https://example.com/story?a=1&b=2');
    expect(
      elementsOf(content)
        .flatMap(({ attrs }) => attrs.map(({ value }) => value))
        .sort(),
    ).toEqual([
      'https://b.example/',
      'https://example.com/c.png',
      'https://example.com/news/more#x',
      'mailto:d@e.example',
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com/',
    'https://',
    `/${'x'.repeat(3_000)}`,
  ])('has no address for %s', (url) => {
    expect(read({ url }).url).toBeNull();
  });

  it('names the first category that has a name', () => {
    const categories = ['', 'http://schemas.example.com/kind#post', '!!!', 'Zürich & région', 'Other'];
    expect(read({ categories }).category).toBe('zurich-region');
    expect(read({}).category).toBeNull();
  });

  it('has the language of the entry before that of the feed', () => {
    expect(read({}).language).toBe('en');
    expect(read({ language: 'pt_BR' }).language).toBe('pt');
    expect(read({ language: 'Portuguese (Brazil)' }).language).toBeNull();
  });

  it('is known by what it says, and where that is short, by its address', () => {
    const hash = (fields: Partial<FeedEntry>): string => read(fields).contentHash;
    const content = `<p>${'A long story about something. '.repeat(5)}</p>`;
    expect(hash({ content, url: '/a' })).toBe(
      hash({ content: content.replace('<p>', '<p class="x">'), url: '/b' }),
    );
    expect(hash({ content })).not.toBe(hash({ content, headline: 'Another one' }));
    expect(hash({ url: '/a?from=rss#top' })).toBe(hash({ url: '/a' }));
    expect(hash({ url: '/a' })).not.toBe(hash({ url: '/b' }));
  });

  it.each([
    ['nested elements', '<b>'.repeat(60_000)],
    ['open brackets', '<'.repeat(200_000)],
    ['comments', '<!--'.repeat(50_000)],
    ['attributes', `<p ${'a="b" '.repeat(30_000)}>x</p>`],
    ['entities', '&amp;'.repeat(40_000)],
    ['tables', '<table><tr><td>'.repeat(12_000)],
    ['links', '<a href="/x">y</a>'.repeat(10_000)],
    ['foreign content', '<svg><math><foreignObject><mtext>'.repeat(6_000)],
    ['raw text', '<textarea><style><title><noscript><xmp>'.repeat(5_000)],
    ['lists', '<ul><li>'.repeat(20_000)],
    ['half a tag', `${'x'.repeat(99_998)}<script>alert(1)</script>`],
  ])('is safe and bounded for %s', (_what, html) => {
    const { content, headline } = read({ headline: html, content: html });
    expect(headline.length).toBeLessThanOrEqual(301);
    expect(content.length).toBeLessThan(2_000_000);
    for (const { tagName, attrs } of elementsOf(content)) {
      expect([...ALLOWED_TAGS, 'colgroup']).toContain(tagName);
      for (const { name } of attrs) expect(['href', 'src', 'colspan', 'rowspan']).toContain(name);
    }
  });
});

describe('sourceOf', () => {
  it.each([
    ['https://www.example.com/rss', 'example.com'],
    ['https://feeds.example.com/all?x=1', 'example.com'],
    ['https://rss.example.co.uk/', 'example.co.uk'],
    ['https://EXAMPLE.com:8443/feed', 'example.com'],
    ['https://feed.com/', 'feed.com'],
    ['https://news.example.com/', 'news.example.com'],
  ])('of %s is %s', (url, source) => {
    expect(sourceOf(url)).toBe(source);
  });
});
