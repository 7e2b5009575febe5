import { XMLParser } from 'fast-xml-parser';
import { parseAtomFeed, parseRssFeed } from 'feedsmith';
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { change, fromNow, HOUR_MS, read, writePage, writePost } from '../../support/clients/blog-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';

/** Text that would end an element, a CDATA section or the whole document if it were not escaped. */
const AWKWARD = 'A & B <i>“C”</i> ]]> &amp; \'d\' "e" 東京 😀';

/** Throws for everything that a strict parser refuses, including bad namespaces and characters. */
function requireWellFormed(xml: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
}

describe('the feeds of the blog', () => {
  let app: TestApp;
  let operator: Caller;
  let post: Json;
  beforeAll(async () => {
    app = await startTestApp();
    operator = await callerFor(app.url, 'admin');
    post = await writePost(operator, {
      title: AWKWARD,
      markdown: `Text & <b>more</b> ]]\\> [link](/docs) ]]> <script>alert(1)</script>\n\n    a < b ]]> &copy;`,
      category: 'News & notes',
      tags: ['R&D', 'C++'],
      author: 'Ada <Lovelace>',
      custom_excerpt: 'In <short> & ]]> so on.',
    });
  });
  afterAll(() => app.close());

  const xmlOf = async (path: string): Promise<string> => {
    const { status, text } = await read(app.url, path);
    expect(status).toBe(200);
    requireWellFormed(text);
    return text;
  };

  it('are RSS 2.0', async () => {
    const { headers } = await read(app.url, '/blog/feed.xml');
    expect(headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    const feed = parseRssFeed(await xmlOf('/blog/feed.xml'));
    expect(feed).toMatchObject({
      title: 'Tradepost',
      link: `${app.url}/blog/posts`,
      description: expect.any(String),
      atom: { links: [{ href: `${app.url}/blog/feed.xml`, rel: 'self', type: 'application/rss+xml' }] },
    });
    expect(feed.items?.[0]).toMatchObject({
      title: AWKWARD,
      link: post.url,
      guid: {
        value: expect.stringMatching(`^tag:127[.]0[.]0[.]1,2026:${post.post_id}$`),
        isPermaLink: false,
      },
      description: 'In &lt;short&gt; &amp; ]]&gt; so on.',
      categories: [{ name: 'News & notes' }, { name: 'R&D' }, { name: 'C++' }],
      dc: { creators: ['Ada <Lovelace>'] },
      content: { encoded: post.html },
    });
    expect(Date.parse(feed.items?.[0]?.pubDate ?? '')).toBe(
      Math.floor(Date.parse(post.published_at) / 1000) * 1000,
    );
  });

  it('are Atom 1.0', async () => {
    const { headers } = await read(app.url, '/blog/atom.xml');
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const feed = parseAtomFeed(await xmlOf('/blog/atom.xml'));
    expect(feed).toMatchObject({
      id: `${app.url}/blog/atom.xml`,
      title: { value: 'Tradepost' },
      updated: expect.stringMatching(/Z$/),
    });
    expect(feed.links?.map(({ rel }) => rel)).toEqual(['self', 'alternate']);
    expect(feed.entries?.[0]).toMatchObject({
      title: { value: AWKWARD },
      links: [{ href: post.url, rel: 'alternate' }],
      published: post.published_at,
      authors: [{ name: 'Ada <Lovelace>' }],
      categories: [
        { term: 'news-notes', label: 'News & notes' },
        { term: 'r-d', label: 'R&D' },
        { term: 'c', label: 'C++' },
      ],
      summary: { value: 'In <short> & ]]> so on.' },
      content: { value: post.html, type: 'html' },
    });
  });

  it('know a post again after it got another slug', async () => {
    const before = await writePost(operator, { title: 'To be renamed' });
    const idOf = async (): Promise<unknown> => {
      const { entries } = parseAtomFeed(await xmlOf('/blog/atom.xml'));
      return entries?.find((entry) => entry.title?.value === 'To be renamed')?.id;
    };
    const id = await idOf();
    expect(id).toContain(before.post_id);
    await change(operator, before, { slug: 'renamed' });
    expect(await idOf()).toBe(id);
  });

  it('have the newest 20 posts, the newest first', async () => {
    for (let i = 0; i < 22; i++) await writePost(operator, { title: `Post ${i}` });
    await writePost(operator, { title: 'Not yet', status: 'scheduled', published_at: fromNow(HOUR_MS) });
    const expected = Array.from({ length: 20 }, (_, i) => `Post ${21 - i}`);
    const rss = parseRssFeed(await xmlOf('/blog/feed.xml'));
    const atom = parseAtomFeed(await xmlOf('/blog/atom.xml'));
    expect(rss.items?.map(({ title }) => title)).toEqual(expected);
    expect(atom.entries?.map(({ title }) => title?.value)).toEqual(expected);
  });

  it('stay whole, whatever characters a post has', async () => {
    await writePost(operator, {
      title: 'Odd \ufffe\uffff\u202e\u2028 title',
      markdown: 'a\u0001b\u0008c\u001bd\ufffee &#x1F; &#xD800; <![CDATA[ ]]> <!-- --> <?x ?>',
      custom_excerpt: 'Odd \uffff excerpt',
      tags: ['Odd \uffff tag'],
      author: 'Odd \uffff author',
    });
    for (const path of ['/blog/feed.xml', '/blog/atom.xml']) {
      expect(await xmlOf(path)).toContain('Odd \u202e\u2028 title');
    }
  });
});

describe('the sitemap', () => {
  let app: TestApp;
  let operator: Caller;
  beforeAll(async () => {
    app = await startTestApp({ publicUrl: 'https://trade.example/a&b' });
    operator = await callerFor(app.url, 'admin');
  });
  afterAll(() => app.close());

  const parse = async (path: string): Promise<Json> => {
    const { status, headers, text } = await read(app.url, path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
    requireWellFormed(text);
    return new XMLParser({ isArray: (name) => name === 'url' || name === 'sitemap' }).parse(text);
  };
  const locationsOf = (items: Json[]): string[] => items.map(({ loc }: Json) => loc);

  it('lists posts and pages under the public address', async () => {
    const { updated_at } = await writePost(operator, { slug: 'mapped' });
    await writePage(operator, { slug: 'mapped-page' });
    await writePage(operator, { slug: 'unmapped-page', status: 'draft' });
    const { urlset } = await parse('/sitemap.xml');
    const base = 'https://trade.example/a&b/blog';
    expect(locationsOf(urlset.url)).toEqual(
      expect.arrayContaining([`${base}/posts`, `${base}/posts/mapped`, `${base}/pages/mapped-page`]),
    );
    expect(locationsOf(urlset.url)).not.toContain(`${base}/pages/unmapped-page`);
    expect(urlset.url).toContainEqual({ loc: `${base}/posts/mapped`, lastmod: updated_at });
    expect((await parse('/sitemap.xml?page=1')).urlset.url).toEqual(urlset.url);
  });

  it('is split where it is large', async () => {
    const copy = (entryId: number, isDraft: boolean): Promise<unknown> =>
      queryOnce(
        app.config.databaseUrl!,
        `INSERT INTO blog_entries OVERRIDING SYSTEM VALUE
         SELECT (jsonb_populate_record(entry, jsonb_build_object(
           'entry_id', $1::bigint, 'slug', 'copy-' || $1::bigint, 'is_draft', $2::boolean))).*
         FROM blog_entries entry WHERE slug = 'welcome-to-tradepost'`,
        [entryId, isDraft],
      );
    await copy(10_000, false);
    expect(await parse('/sitemap.xml')).toHaveProperty('urlset');
    await copy(20_001, true);
    expect(await parse('/sitemap.xml')).toHaveProperty('urlset');
    await copy(30_001, false);
    const { sitemapindex } = await parse('/sitemap.xml');
    const base = 'https://trade.example/a&b';
    expect(locationsOf(sitemapindex.sitemap)).toEqual([
      `${base}/sitemap.xml?page=1`,
      `${base}/sitemap.xml?page=4`,
    ]);
    expect(locationsOf((await parse('/sitemap.xml?page=1')).urlset.url)).toContain(
      `${base}/blog/posts/copy-10000`,
    );
    expect(locationsOf((await parse('/sitemap.xml?page=4')).urlset.url)).toEqual([
      `${base}/blog/posts/copy-30001`,
    ]);
    for (const page of ['2', '3', '5', '1000000']) {
      expect((await read(app.url, `/sitemap.xml?page=${page}`)).status).toBe(404);
    }
    for (const page of ['0', '-1', 'x', '1e3', '1&page=2']) {
      expect((await read(app.url, `/sitemap.xml?page=${page}`)).status).toBe(400);
    }
  });
});
